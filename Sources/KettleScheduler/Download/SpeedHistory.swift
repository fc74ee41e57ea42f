import KettleModel

/// How many bytes arrived in each of the last seconds in which a transfer ran.
///
/// It has no clock of its own: each sample brings its time.
package struct SpeedHistory: Sendable, Hashable {
  private struct Second: Sendable, Hashable {
    var number: Int64
    var byteCount: Int64
    /// The count of all bytes so far, for the next sample.
    var total: Int64
  }

  /// Without the current second.
  package private(set) var seconds: [Int64] = []
  private var open: Second?

  package static let secondCountMax = 300

  package init() {}

  /// Adds a sample: the count of all bytes so far. Bytes since the previous sample count for the
  /// second of this one.
  package mutating func sample(byteCount: Int64, at now: MonotonicTime) {
    let number = now.milliseconds / 1000
    guard var second = open else {
      open = Second(number: number, byteCount: 0, total: byteCount)
      return
    }
    let (more, overflow) = byteCount.subtractingReportingOverflow(second.total)
    second.total = byteCount
    if number > second.number {
      close(second, followedBy: number - second.number - 1)
      second.number = number
      second.byteCount = 0
    }
    // A lower count than before belongs to another start.
    if more > 0, !overflow { second.byteCount += min(more, .max - second.byteCount) }
    open = second
  }

  /// Nothing arrives for a while: the time until the next sample does not count.
  package mutating func rest() {
    if let open { close(open, followedBy: 0) }
    open = nil
  }

  private mutating func close(_ second: Second, followedBy emptyCount: Int64) {
    seconds.append(second.byteCount)
    let empty = Int(min(max(emptyCount, 0), Int64(Self.secondCountMax)))
    seconds += Array(repeating: 0, count: empty)
    let tooMany = seconds.count - Self.secondCountMax
    if tooMany > 0 { seconds.removeFirst(tooMany) }
  }
}
