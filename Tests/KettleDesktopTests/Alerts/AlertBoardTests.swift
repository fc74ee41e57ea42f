import KettleModel
import Testing

@testable import KettleDesktop

struct AlertBoardTests {
  /// The service's list, and the board that records its changes.
  private struct Bench {
    var board: AlertBoard
    var rows: [Int64: TransferSnapshot] = [:]
    var now = MonotonicTime(milliseconds: 1_000_000)
    var isWatched = false

    init(_ change: (inout AlertBoard.Settings) -> Void = { _ in }) {
      var settings = AlertBoard.Settings()
      change(&settings)
      board = AlertBoard(settings)
    }

    mutating func put(
      _ ids: ClosedRange<Int64>, _ state: TransferState, reason: WaitingReason? = nil,
      error: TransferFailure? = nil, task: TaskStatus? = nil, subtitle: String? = nil
    ) {
      for id in ids {
        var row = TransferSnapshot(
          id: TransferID(rawValue: id), session: SessionID(rawValue: "kettle"),
          taskIdentifier: id, title: "file \(id)", url: "http://host/\(id)", state: state,
          reason: reason, createdAt: WallTime(millisecondsSince1970: 0), error: error, task: task)
        row.subtitle = subtitle
        let before = rows.updateValue(row, forKey: id)
        board.record(from: before, to: row, isWatched: isWatched, at: now)
      }
    }

    mutating func put(_ id: Int64, _ state: TransferState, error: TransferFailure? = nil) {
      put(id...id, state, error: error)
    }

    mutating func remove(_ id: Int64) {
      board.record(from: rows.removeValue(forKey: id), to: nil, isWatched: isWatched, at: now)
    }

    /// It was queued in the store.
    mutating func wake(_ id: Int64) {
      rows[id] = TransferSnapshot(
        id: TransferID(rawValue: id), session: SessionID(rawValue: "kettle"), taskIdentifier: id,
        title: "file \(id)", url: "http://host/\(id)", state: .queued,
        createdAt: WallTime(millisecondsSince1970: 0))
    }

    mutating func pass(seconds: Int64) { now = now.advanced(byMilliseconds: seconds * 1000) }

    /// Waits until an alert is due. Returns it and the seconds until then.
    mutating func next() -> (alert: Alert?, seconds: Int64)? {
      guard let dueAt = board.dueAt else { return nil }
      let wait = max(0, dueAt.milliseconds(since: now))
      now = max(now, dueAt)
      return (board.alert(at: now, isWatched: isWatched), wait / 1000)
    }
  }

  private let refused = TransferFailure(.httpStatus, on: "http://host/1", detail: "404 Not Found")

  @Test func `a queued transfer in the store delays the alert`() {
    var bench = Bench()
    var dormant = EvictedTally()
    dormant.states = [.queued: StateTally(count: 2), .completed: StateTally(count: 7)]
    bench.board.begin(dormant)
    for id in [Int64(1), 2] {
      #expect(bench.board.dueAt == nil)
      bench.wake(id)
      bench.put(id, .running)
      bench.put(id, .completed)
    }
    #expect(bench.next()?.alert?.summary == "2 downloads finished")
  }

  @Test func `adding a long list cancels the alert`() {
    var bench = Bench()
    bench.put(1, .running)
    bench.put(1, .completed)
    bench.board.record([.paused: 5])
    #expect(bench.board.dueAt != nil)
    bench.board.record([.queued: 1, .paused: 5])
    #expect(bench.board.dueAt == nil)
    bench.wake(2)
    bench.put(2, .completed)
    #expect(bench.next()?.alert?.summary == "2 downloads finished")
  }

  @Test func `a single finished file is named`() {
    var bench = Bench()
    bench.put(1, .queued)
    bench.put(1, .running)
    #expect(bench.board.dueAt == nil)
    bench.put(1, .completed)
    let next = bench.next()
    #expect(next?.seconds == 3)
    #expect(next?.alert == Alert(kind: .finished, summary: "Download finished", body: "file 1"))
    #expect(bench.board.dueAt == nil)
  }

  @Test func `several downloads share one alert after the last one`() {
    var bench = Bench()
    bench.put(1...5, .queued)
    bench.put(1...4, .completed)
    #expect(bench.board.dueAt == nil)
    bench.pass(seconds: 3600)
    bench.put(5, .completed)
    #expect(
      bench.next()?.alert
        == Alert(
          kind: .finished, summary: "5 downloads finished",
          body: "file 1, file 2, file 3 and 2 more"))
  }

  @Test func `earlier downloads are not reported again`() {
    var bench = Bench()
    bench.put(1...3, .completed)
    bench.put(4, .failed, error: refused)
    bench.put(5...6, .paused)
    bench.put(7...7, .waiting, reason: .needsLink)
    #expect(bench.board.dueAt == nil)
  }

  @Test func `failures are named together with finished downloads`() {
    var bench = Bench()
    bench.put(1...3, .running)
    bench.put(2, .failed, error: refused)
    bench.put(1, .completed)
    bench.put(3, .completed)
    #expect(
      bench.next()?.alert
        == Alert(
          kind: .finished, summary: "2 downloads finished, 1 failed", body: "Failed: file 2"))
    #expect(bench.board.dueAt == nil)
  }

  @Test func `a failure is reported with its sentence while the rest continues`() {
    var bench = Bench()
    bench.put(1...2, .running)
    bench.put(1, .failed, error: refused)
    #expect(
      bench.next()?.alert
        == Alert(kind: .trouble, summary: "Download failed", body: refused.sentence))
    bench.pass(seconds: 60)
    bench.put(2, .completed)
    #expect(bench.next()?.alert?.summary == "1 download finished, 1 failed")
  }

  @Test func `ten thousand failures are one alert with a count`() {
    var bench = Bench()
    bench.put(1...10_001, .queued)
    bench.put(1...10_000, .failed, error: refused)
    let next = bench.next()
    #expect(next?.alert?.summary == "10,000 downloads failed")
    #expect(next?.alert?.body == "file 1, file 2, file 3 and 9,997 more")
    #expect(bench.board.dueAt == nil)
  }

  @Test func `failures beyond the named ones are counted`() {
    var bench = Bench()
    bench.put(1...12_000, .running)
    bench.put(1...12_000, .failed, error: refused)
    #expect(bench.next()?.alert?.summary == "12,000 downloads failed")
  }

  @Test func `consecutive failures are reported with growing pauses`() {
    var bench = Bench()
    bench.put(1...1000, .running)
    var waits: [Int64] = []
    for id in 1...999 as ClosedRange<Int64> {
      bench.put(id, .failed, error: refused)
      bench.pass(seconds: 1)
      if let dueAt = bench.board.dueAt, dueAt <= bench.now, let next = bench.next() {
        #expect(next.alert?.kind == .trouble)
        waits.append(id)
      }
    }
    // 3 s, then 30 s, 60 s, 120 s, … later.
    #expect(waits == [3, 33, 93, 213, 453, 933])
  }

  @Test func `a transfer that needs the user is reported with what to do`() {
    var bench = Bench()
    let login = TransferFailure(.loginNeeded, on: "http://host/1")
    bench.put(1...3, .running)
    bench.put(1...1, .waiting, reason: .needsLogin, error: login)
    #expect(
      bench.next()?.alert
        == Alert(kind: .trouble, summary: "A download needs you", body: login.sentence))
    bench.put(2...3, .waiting, reason: .needsLink)
    let next = bench.next()
    #expect(next?.alert?.summary == "2 downloads need you")
    #expect(next?.alert?.body == "Waiting for a login or a new link: file 2, file 3")
  }

  @Test func `a transfer that retries has not failed`() {
    var bench = Bench()
    bench.put(1, .running)
    bench.put(1...1, .waiting, reason: .retry, error: refused)
    bench.put(1...1, .waiting, reason: .network)
    #expect(bench.board.dueAt == nil)
    bench.put(1, .running)
    bench.put(1, .completed)
    #expect(bench.next()?.alert?.summary == "Download finished")
  }

  @Test func `a failure that is restarted before the alert is not reported`() {
    var bench = Bench()
    bench.put(1...2, .running)
    bench.put(1, .failed, error: refused)
    bench.put(1, .queued)
    #expect(bench.board.dueAt == nil)
    bench.put(1...2, .completed)
    #expect(bench.next()?.alert?.summary == "2 downloads finished")
  }

  @Test func `nothing is reported while a person watches`() {
    var bench = Bench()
    bench.isWatched = true
    bench.put(1...3, .running)
    bench.put(1, .failed, error: refused)
    bench.put(2...3, .completed)
    #expect(bench.board.dueAt == nil)
    // Changes that were seen are not reported later either.
    bench.isWatched = false
    bench.put(4, .running)
    bench.put(4, .completed)
    #expect(bench.next()?.alert?.body == "file 4")
  }

  @Test func `a person who arrives before the alert is due prevents it`() {
    var bench = Bench()
    bench.put(1, .running)
    bench.put(1, .completed)
    bench.isWatched = true
    let next = bench.next()
    #expect(next != nil)
    #expect(next?.alert == nil)
    #expect(bench.board.dueAt == nil)
  }

  @Test func `a person who leaves midway is notified of the total count`() {
    var bench = Bench()
    bench.isWatched = true
    bench.put(1...3, .running)
    bench.put(1, .completed)
    bench.isWatched = false
    bench.put(2...3, .completed)
    #expect(bench.next()?.alert?.summary == "3 downloads finished")
  }

  @Test func `pausing or removing the last transfer is not reported`() {
    var bench = Bench()
    bench.put(1...3, .running)
    bench.put(1, .completed)
    bench.put(2, .paused)
    bench.remove(3)
    #expect(bench.board.dueAt == nil)
    bench.put(2, .queued)
    bench.put(2, .completed)
    #expect(bench.next()?.alert?.summary == "2 downloads finished")
  }

  @Test func `starting another transfer cancels the alert`() {
    var bench = Bench()
    bench.put(1, .running)
    bench.put(1, .completed)
    bench.pass(seconds: 2)
    bench.put(2, .queued)
    #expect(bench.board.dueAt == nil)
    bench.put(2, .completed)
    #expect(bench.next()?.alert?.summary == "2 downloads finished")
  }

  @Test func `tasks of programs are not reported`() {
    var bench = Bench()
    bench.put(1...2, .running, task: TaskStatus())
    bench.put(1...1, .failed, error: refused, task: TaskStatus())
    bench.put(2...2, .completed, task: TaskStatus())
    #expect(bench.board.dueAt == nil)
  }

  @Test func `a task with a title is reported with its subtitle`() {
    var bench = Bench()
    bench.put(1...1, .running, task: TaskStatus(), subtitle: "Chapter 3 of 12")
    bench.put(1...1, .completed, task: TaskStatus(), subtitle: "Chapter 3 of 12")
    let alert = bench.next()?.alert
    #expect(alert?.summary == "Download finished")
    #expect(alert?.body == "file 1\nChapter 3 of 12")
    bench.pass(seconds: 3600)
    bench.put(2...2, .running, task: TaskStatus(), subtitle: "")
    bench.put(2...2, .failed, error: refused, task: TaskStatus(), subtitle: "")
    #expect(bench.next()?.alert?.summary == "Download failed")
  }

  @Test func `each kind of alert can be turned off`() {
    var onlyFailures = Bench { $0.reportsFinished = false }
    var onlyEnds = Bench { $0.reportsFailures = false }
    for step in 1...2 {
      onlyFailures.put(1...3, step == 1 ? .running : .completed)
      onlyEnds.put(1...3, step == 1 ? .running : .completed)
    }
    #expect(onlyFailures.board.dueAt == nil)
    #expect(onlyEnds.next()?.alert?.summary == "3 downloads finished")
    onlyFailures.put(4...5, .running)
    onlyEnds.put(4...5, .running)
    onlyFailures.put(4, .failed, error: refused)
    onlyEnds.put(4, .failed, error: refused)
    #expect(onlyFailures.next()?.alert?.summary == "Download failed")
    #expect(onlyEnds.board.dueAt == nil)
    onlyEnds.put(5, .completed)
    #expect(onlyEnds.next()?.alert?.summary == "Download finished")
  }

  @Test func `a file name cannot control the display`() {
    var bench = Bench()
    var row = TransferSnapshot(
      id: TransferID(rawValue: 1), session: SessionID(rawValue: "kettle"), taskIdentifier: 1,
      title: "\u{1B}[31m\n\u{202E}" + String(repeating: "x", count: 10_000), url: "http://host/1",
      state: .running, createdAt: WallTime(millisecondsSince1970: 0))
    bench.board.record(from: nil, to: row, isWatched: false, at: bench.now)
    let before = row
    row.state = .completed
    bench.board.record(from: before, to: row, isWatched: false, at: bench.now)
    let body = bench.next()?.alert?.body ?? ""
    #expect(body.hasPrefix("\u{FFFD}[31m\u{FFFD}\u{FFFD}xxx"))
    #expect(body.count == 81)
  }
}
