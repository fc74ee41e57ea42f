import KettleDashboard
import KettleModel
import Testing

/// When the screen changes only because time passes.
struct TicksTests {
  private func next(_ rows: [TransferSnapshot], isLost: Bool = false) -> Int64? {
    var model = Sample.model(columns: 80, rows: 24, showing: rows)
    if isLost { _ = model.update(.linkChanged(.lost), at: Sample.now) }
    return model.millisecondsToNextTick(at: Sample.now)
  }

  @Test func `an idle dashboard needs no ticks`() {
    #expect(next([]) == nil)
    let still = Sample.rows.filter { [.paused, .completed, .queued].contains($0.state) }
    #expect(next(still) == nil)
  }

  @Test func `an indeterminate bar needs five ticks a second while connected`() {
    let row = Sample.row(1, titled: "x", state: .running)
    #expect(next([row]) == MovingBar.stepMilliseconds)
    #expect(next([row], isLost: true) == 1000)
  }

  @Test func `a countdown ticks when its number changes`() {
    let row = Sample.row(1, titled: "x", state: .waiting) {
      $0.reason = .retry
      $0.goesOnAt = Sample.time(seconds: 12).advanced(byMilliseconds: -300)
    }
    #expect(next([row]) == 701)
    let due = Sample.row(1, titled: "x", state: .waiting) { $0.goesOnAt = Sample.now.wall }
    #expect(next([due]) == nil)
  }

  @Test func `the displayed countdown changes at its tick`() {
    let row = Sample.row(1, titled: "x", state: .waiting) {
      $0.reason = .retry
      $0.goesOnAt = Sample.time(seconds: 12)
    }
    let model = Sample.model(columns: 80, rows: 24, showing: [row])
    func text(_ milliseconds: Int64) -> Bool {
      let now = Moment(
        monotonic: Sample.now.monotonic,
        wall: Sample.now.wall.advanced(byMilliseconds: milliseconds))
      return model.screen(at: now).lines[2].contains("retry in 12 s")
    }
    #expect(text(0) && text(999))
    #expect(!text(1000))
  }

  @Test func `a message disappears after a while`() {
    var model = Sample.model(columns: 80, rows: 24, showing: [])
    _ = model.press(.character("s"))
    #expect(model.millisecondsToNextTick(at: Sample.now) == 5000)
    _ = model.update(.ticked, at: Sample.moment(seconds: 5))
    #expect(model.said == nil)
    #expect(model.millisecondsToNextTick(at: Sample.moment(seconds: 5)) == nil)
  }

  @Test func `the dashboard ticks until all speeds have left the graph`() {
    let row = Sample.row(1, titled: "x", state: .running) {
      $0.bytesExpected = 100
      $0.bytesPerSecond = 5
    }
    var model = Sample.model(columns: 80, rows: 24, showing: [row])
    #expect(model.millisecondsToNextTick(at: Sample.now) == 500)
    let done = Sample.row(1, titled: "x", state: .paused)
    let window = ListWindow(first: 0, matchingCount: 1, rows: [done])
    for second in 1...Int64(TotalSpeedHistory.countMax) {
      _ = model.update(.rowsArrived(window, Totals()), at: Sample.moment(seconds: second))
    }
    #expect(!model.service.speeds.isMoving)
    #expect(model.millisecondsToNextTick(at: Sample.moment(seconds: 13)) == nil)
  }

  @Test func `open details reload every second`() {
    var model = Sample.model(columns: 80, rows: 24)
    let load = DashboardEffect.service(.loadDetails(TransferID(rawValue: 1)))
    #expect(model.press(.enter) == [load])
    #expect(model.update(.ticked, at: Sample.now) == [])
    #expect(model.update(.ticked, at: Sample.moment(seconds: 1)) == [load])
    #expect(model.update(.ticked, at: Sample.moment(seconds: 1)) == [])
    _ = model.update(.linkChanged(.lost), at: Sample.moment(seconds: 1))
    #expect(model.update(.ticked, at: Sample.moment(seconds: 3)) == [])
    #expect(model.update(.linkChanged(.connected), at: Sample.moment(seconds: 3)).contains(load))
  }

  @Test func `open details follow row updates between two loads`() {
    var model = Sample.model(columns: 80, rows: 24)
    _ = model.press(.enter)
    _ = model.update(.detailsArrived(Sample.details), at: Sample.now)
    var rows = Sample.rows
    rows[0].state = .paused
    _ = model.update(
      .rowsArrived(ListWindow(first: 0, matchingCount: rows.count, rows: rows), Sample.totals),
      at: Sample.now)
    #expect(model.screen().lines.contains(" State           paused"))
  }
}
