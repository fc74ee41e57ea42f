import KettleModel

/// How many bytes of a download were present at which time, for rates over any recent span.
struct ArrivalHistory: Sendable, Hashable {
  private struct Mark: Sendable, Hashable {
    var at: MonotonicTime
    var byteCount: Int64
  }

  private var marks: [Mark] = []

  /// Older marks are dropped.
  static let keptMilliseconds: Int64 = 5000
  /// Marks closer together than this add nothing.
  static let stepMilliseconds: Int64 = 5

  mutating func record(_ byteCount: Int64, at now: MonotonicTime) {
    if let last = marks.last {
      guard now.milliseconds(since: last.at) >= Self.stepMilliseconds else { return }
    }
    // Bytes that two connections deliver count once, so the number may seem to shrink.
    marks.append(Mark(at: now, byteCount: max(byteCount, marks.last?.byteCount ?? byteCount)))
    let oldest = now.advanced(byMilliseconds: -Self.keptMilliseconds)
    let outdatedCount = marks.prefix { $0.at < oldest }.count
    // One mark before the span stays, so that a rate over the whole span is known.
    if outdatedCount > 16 { marks.removeFirst(outdatedCount - 1) }
  }

  /// Bytes per second in the span that ended `agoMilliseconds` before the last mark. Before the
  /// first mark nothing arrived.
  func rate(over spanMilliseconds: Int64, endedAgo agoMilliseconds: Int64 = 0) -> Int64 {
    guard let last = marks.last, spanMilliseconds > 0 else { return 0 }
    let end = last.at.advanced(byMilliseconds: -agoMilliseconds)
    let count = byteCount(at: end) - byteCount(at: end.advanced(byMilliseconds: -spanMilliseconds))
    return max(0, count) * 1000 / spanMilliseconds
  }

  /// Bytes per second in the span up to the last mark, or since the first one if that is shorter.
  func rate(overAtMost spanMilliseconds: Int64) -> Int64 {
    guard let first = marks.first, let last = marks.last else { return 0 }
    return rate(over: min(spanMilliseconds, last.at.milliseconds(since: first.at)))
  }

  /// The number of bytes at a time, interpolated between two marks.
  private func byteCount(at time: MonotonicTime) -> Int64 {
    guard let next = marks.firstIndex(where: { $0.at >= time }) else {
      return marks.last?.byteCount ?? 0
    }
    guard next > 0 else { return marks[next].byteCount }
    let (before, after) = (marks[next - 1], marks[next])
    let span = after.at.milliseconds(since: before.at)
    guard span > 0 else { return after.byteCount }
    let part = Double(time.milliseconds(since: before.at)) / Double(span)
    return before.byteCount + Int64(Double(after.byteCount - before.byteCount) * part)
  }
}
