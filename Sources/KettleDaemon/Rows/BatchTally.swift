import KettleModel

/// Adds up what is under way, and what was finished since nothing was: a sum that follows each
/// change, because to count a million rows ten times a second is too much.
struct BatchTally: Sendable {
  /// Sizes that servers made up can be any, so the sums are wider than what is added.
  private struct Sum: Sendable {
    var count = 0
    var unknownSizeCount = 0
    var bytesReceived: Int128 = 0
    var bytesExpected: Int128 = 0

    mutating func add(_ tally: StateTally) {
      count += tally.count
      unknownSizeCount += tally.unknownSizeCount
      bytesReceived += Int128(tally.bytesReceived)
      bytesExpected += Int128(tally.bytesExpected)
    }

    mutating func add(_ row: TransferSnapshot, times factor: Int) {
      count += factor
      guard let expected = row.bytesExpected, expected >= 0 else {
        unknownSizeCount += factor
        return
      }
      bytesExpected += Int128(expected) * Int128(factor)
      bytesReceived += Int128(min(max(0, row.bytesReceived), expected)) * Int128(factor)
    }
  }

  private var underWay = Sum()
  private var finished = Sum()
  private var finishedIDs = TransferIDSet()

  /// More than thirty years are as good as not known.
  private static let secondsMax: Int128 = 1_000_000_000

  init() {}

  /// What is under way of those that only the store has.
  init(_ dormant: DormantTally) {
    for (state, tally) in dormant.states where state.isUnderWay { underWay.add(tally) }
  }

  /// New ones in these states, of which nothing was received and no size is known.
  mutating func add(_ counts: [TransferState: Int]) {
    for (state, count) in counts where state.isUnderWay {
      underWay.add(StateTally(count: count, unknownSizeCount: count))
    }
  }

  mutating func change(from old: TransferSnapshot?, to new: TransferSnapshot?) {
    let wasUnderWay = old?.state.isUnderWay == true
    if let old {
      if wasUnderWay {
        underWay.add(old, times: -1)
      } else if finishedIDs.remove(old.id) {
        finished.add(old, times: -1)
        if new?.state == .completed, let new { finish(new) }
      }
    }
    if let new {
      if new.state.isUnderWay {
        underWay.add(new, times: 1)
      } else if new.state == .completed, wasUnderWay {
        finish(new)
      }
    }
    if underWay.count == 0 { self = BatchTally() }
  }

  private mutating func finish(_ row: TransferSnapshot) {
    finishedIDs.insert(row.id)
    finished.add(row, times: 1)
  }

  /// nil when nothing is under way.
  func progress(bytesPerSecond: Int64) -> BatchProgress? {
    guard underWay.count > 0 else { return nil }
    return BatchProgress(
      transferCount: underWay.count + finished.count, finishedCount: finished.count,
      bytesReceived: Int64(clamping: underWay.bytesReceived + finished.bytesReceived),
      bytesExpected: Int64(clamping: underWay.bytesExpected + finished.bytesExpected),
      unknownSizeCount: underWay.unknownSizeCount + finished.unknownSizeCount,
      secondsLeft: secondsLeft(bytesPerSecond: bytesPerSecond))
  }

  /// Whole seconds at the speed of all together; nil while the size of one that is under way is not
  /// known.
  private func secondsLeft(bytesPerSecond: Int64) -> Int64? {
    guard bytesPerSecond > 0, underWay.unknownSizeCount == 0 else { return nil }
    let missing = underWay.bytesExpected - underWay.bytesReceived
    let (whole, rest) = missing.quotientAndRemainder(dividingBy: Int128(bytesPerSecond))
    let seconds = whole + (rest > 0 ? 1 : 0)
    return seconds < Self.secondsMax ? Int64(clamping: seconds) : nil
  }
}

extension TransferState {
  fileprivate var isUnderWay: Bool {
    switch self {
    case .queued, .running, .waiting, .verifying: true
    case .idle, .scheduled, .paused, .completed, .failed: false
    }
  }
}
