import KettleModel

/// The size of the files that were completed today.
struct TodaySum: Hashable, Sendable {
  /// The last midnight, which the sum begins at.
  private var midnight: WallTime?
  /// nil while unknown.
  private(set) var byteCount: Int64?
  private var requestedAt: MonotonicTime?
  /// The completed transfers of the list at the last request.
  private var completedCount = 0

  private static let intervalMilliseconds: Int64 = 10_000

  /// Returns a request for the sum when it may have changed, at most every ten seconds.
  mutating func refresh(_ context: ScreenContext) -> [ScreenRequest] {
    guard context.isConnected, context.service.hasTotals else { return [] }
    let now = context.now.monotonic
    let today = context.clock.midnight(before: context.now.wall)
    let count = context.totals.count(.completed)
    let isDue = requestedAt.map { now.milliseconds(since: $0) >= Self.intervalMilliseconds } ?? true
    guard isDue, today != midnight || count != completedCount else { return [] }
    if today != midnight { byteCount = nil }
    (midnight, completedCount, requestedAt) = (today, count, now)
    return [.service(.sumFinished(since: today))]
  }

  mutating func receive(_ sum: Int64, since time: WallTime) {
    if time == midnight { byteCount = max(0, sum) }
  }
}
