import KettleModel

/// The total speed of the last minutes, in a box with its numbers in the border.
struct SpeedBox {
  let box: TitledBox
  let service: ServiceView
  /// The size of the files that were completed today; nil if unknown.
  let today: Int64?
  /// The key that hides it.
  let key: Key?

  func draw(on canvas: inout Canvas) {
    let (rows, columns) = box.inside
    let width = columns.count - 2
    let seconds = SpeedGraph.seconds(width: width, canvas.look)
    let shown = service.speeds.samples.suffix(seconds)
    box.draw(
      title: Strings.speedTitle, key: key, right: DurationText.clock(Int64(seconds)),
      below: (numbers(of: shown, width: width - 4, canvas.look), ""), on: &canvas)
    let limit = service.totals.limitBytesPerSecond
    let top = max(service.speeds.top, SpeedGraph.ceiling(of: [limit ?? 0]))
    let graph = SpeedGraph(
      samples: service.speeds.paired, height: rows.count, limit: limit, top: top)
    graph.drawCurve(
      on: &canvas, row: rows.lowerBound, column: columns.lowerBound + 1, width: width)
  }

  /// Returns as many numbers as fit.
  private func numbers(of samples: ArraySlice<Int64>, width: Int, _ look: Look) -> String {
    let moving = samples.filter { $0 > 0 }
    let mean = moving.reduce(0) { $0 + Double($1) } / Double(max(1, moving.count))
    let now = moving.isEmpty ? nil : "now " + ByteText.speed(service.totals.bytesPerSecond)
    let average =
      moving.isEmpty ? nil : Strings.averageSpeed + " " + ByteText.speed(Int64(min(mean, 1e18)))
    let peak = moving.max().map { "peak " + ByteText.speed($0) }
    let limit = service.totals.limitBytesPerSecond.map { "limit " + ByteText.limit($0) }
    let sum = today.flatMap { $0 > 0 ? Strings.today + " " + ByteText.size($0) : nil }
    let forms = [
      [now, average, peak, limit, sum], [now, average, peak, sum], [now, average, sum], [now, sum],
    ].map { $0.compactMap(\.self).joined(separator: " " + look.glyphs.separator + " ") }
    return forms.first { $0.count <= width } ?? ""
  }
}

/// The size of the files that were completed today.
struct TodaySum: Hashable, Sendable {
  /// The last midnight, which the sum begins at.
  private var midnight: WallTime?
  /// nil while unknown.
  private(set) var byteCount: Int64?
  private var requestedAt: MonotonicTime?
  /// The completed transfers of the list at the last request.
  private var completedCount = 0

  /// The shortest time between two requests. The service reads each transfer of the day, so the
  /// time grows by a millisecond with each completed one.
  private static func intervalMilliseconds(completedCount: Int) -> Int64 {
    max(10_000, Int64(completedCount))
  }

  /// Returns a request for the sum when it may have changed and enough time has passed.
  mutating func refresh(_ context: ScreenContext) -> [ScreenRequest] {
    guard context.isConnected, context.service.hasTotals else { return [] }
    let now = context.now.monotonic
    let today = context.clock.midnight(before: context.now.wall)
    let count = context.totals.count(.completed)
    let interval = Self.intervalMilliseconds(completedCount: count)
    let isDue = requestedAt.map { now.milliseconds(since: $0) >= interval } ?? true
    guard isDue, today != midnight || count != completedCount else { return [] }
    if today != midnight { byteCount = nil }
    (midnight, completedCount, requestedAt) = (today, count, now)
    return [.service(.sumFinished(since: today))]
  }

  mutating func receive(_ sum: Int64, since time: WallTime) {
    if time == midnight { byteCount = max(0, sum) }
  }
}
