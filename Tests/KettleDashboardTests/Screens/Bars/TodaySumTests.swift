import KettleModel
import Testing

@testable import KettleDashboard

/// What was downloaded today, in the border of the graph.
struct TodaySumTests {
  /// The service's midnight is the user's: 12:00 in UTC is 13:30 there.
  private static let offset = 5400
  private static let midnight = Sample.time(seconds: -13 * 3600 - 1800)

  private func model(columns: Int = 120, rows: Int = 35) -> Dashboard {
    var model = Dashboard(
      size: ScreenSize(columns: columns, rows: rows), utcOffsetSeconds: Self.offset)
    _ = model.update(.linkChanged(.connected), at: Sample.now)
    return model
  }

  private func arrive(
    _ model: inout Dashboard, done: Int, at seconds: Int64
  ) -> [DashboardEffect] {
    var totals = Sample.totals
    totals.counts[.completed] = done
    let window = ListWindow(first: 0, matchingCount: 1, rows: [Sample.rows[0]])
    let effects = model.update(.rowsArrived(window, totals), at: Sample.moment(seconds: seconds))
    return effects.filter {
      if case .service(.sumFinished) = $0 { true } else { false }
    }
  }

  @Test func `the sum is asked for when it may have changed`() {
    var model = model()
    let request = [DashboardEffect.service(.sumFinished(since: Self.midnight))]
    #expect(arrive(&model, done: 1, at: 0) == request)
    #expect(arrive(&model, done: 1, at: 60) == [])
    #expect(arrive(&model, done: 2, at: 61) == request)
    #expect(arrive(&model, done: 3, at: 62) == [])
    #expect(arrive(&model, done: 3, at: 71) == request)
    let next = Self.midnight.advanced(byMilliseconds: 86_400_000)
    #expect(arrive(&model, done: 3, at: 86_000) == [.service(.sumFinished(since: next))])
    var small = self.model(columns: 80, rows: 24)
    #expect(arrive(&small, done: 1, at: 0) == [])
  }

  @Test func `the sum of many is asked for more rarely`() {
    var model = model()
    #expect(arrive(&model, done: 60_000, at: 0).count == 1)
    #expect(arrive(&model, done: 60_001, at: 59) == [])
    #expect(arrive(&model, done: 60_001, at: 61).count == 1)
  }

  @Test func `the border has the sum of this day, and drops what does not fit`() {
    var model = model()
    _ = arrive(&model, done: 1, at: 0)
    func border(_ model: Dashboard) -> String { model.screen().lines[8] }
    #expect(!border(model).contains("today"))
    _ = model.update(
      .finishedSummed(since: Sample.time(seconds: 0), byteCount: 5), at: Sample.now)
    #expect(!border(model).contains("today"))
    _ = model.update(
      .finishedSummed(since: Self.midnight, byteCount: 4_700_000_000), at: Sample.now)
    #expect(border(model).contains(" · today 4.4 GiB├"))
    _ = model.update(.resized(ScreenSize(columns: 100, rows: 35)), at: Sample.now)
    #expect(border(model).contains("peak 12.6 MiB/s · today 4.4 GiB├"))
  }
}
