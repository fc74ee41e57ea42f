import KettleModel
import KettleSystem

/// Totals of the transfers in progress and of those finished since none was in progress. They are
/// updated with each change, because counting a million rows ten times a second is too slow.
struct BatchTally: Sendable {
  /// Servers can report any size, so the sums are wider than the values added.
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
  /// The transfers that left without finishing. While one of them may come back, as after an undo,
  /// the batch is interrupted and not over.
  private var left = TransferIDSet()

  /// More than thirty years counts as unknown.
  private static let secondsMax: Int128 = 1_000_000_000

  init() {}

  /// Counts the transfers in progress that only the store has.
  init(_ dormant: EvictedTally) {
    for (state, tally) in dormant.states where state.isUnderWay { underWay.add(tally) }
  }

  /// Adds new transfers in these states, with no bytes received and unknown sizes.
  mutating func add(_ counts: [TransferState: Int]) {
    for (state, count) in counts where state.isUnderWay && count > 0 {
      if underWay.count == 0 { self = BatchTally() }
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
        if underWay.count == 0, !wasUnderWay { begin(with: new.id) }
        _ = left.remove(new.id)
        underWay.add(new, times: 1)
      } else if new.state == .completed, wasUnderWay {
        finish(new)
      }
    }
    if wasUnderWay, let id = old?.id,
      new.map({ !$0.state.isUnderWay && $0.state != .completed }) ?? true
    {
      left.insert(id)
    }
    if underWay.count == 0, left.isEmpty { self = BatchTally() }
  }

  /// Begins another batch unless the interrupted one goes on with this transfer.
  private mutating func begin(with id: TransferID) {
    if !left.contains(id) { self = BatchTally() }
  }

  private mutating func finish(_ row: TransferSnapshot) {
    finishedIDs.insert(row.id)
    finished.add(row, times: 1)
  }

  /// Returns nil when nothing is in progress.
  func progress(bytesPerSecond: Int64) -> BatchProgress? {
    guard underWay.count > 0 else { return nil }
    return BatchProgress(
      transferCount: underWay.count + finished.count, finishedCount: finished.count,
      bytesReceived: Int64(clamping: underWay.bytesReceived + finished.bytesReceived),
      bytesExpected: Int64(clamping: underWay.bytesExpected + finished.bytesExpected),
      unknownSizeCount: underWay.unknownSizeCount + finished.unknownSizeCount,
      secondsLeft: secondsLeft(bytesPerSecond: bytesPerSecond))
  }

  /// Returns whole seconds at the combined speed; nil while a transfer in progress has an unknown
  /// size.
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

/// The collections on the list: how far their members are, updated with each change of one.
struct CollectionRows: Sendable {
  private struct Sum: Sendable {
    var tally = MemberTally()
    var bytesPerSecond: Int64 = 0
    var connections = 0
    var needsUserCount = 0
  }

  private var sums: [TransferID: Sum] = [:]
  /// The rows of the collections in memory, as the engine has reported them.
  private(set) var raw: [TransferID: TransferSnapshot] = [:]

  init() {}

  /// Starts with the tallies of the dormant members.
  init(_ members: [TransferID: MemberTally]) { sums = members.mapValues { Sum(tally: $0) } }

  /// Adds new members that only the store has.
  mutating func add(_ tally: MemberTally, to id: TransferID) {
    for (state, count) in tally.counts {
      sums[id, default: Sum()].tally.add(count, in: state, byteCount: 0)
    }
  }

  /// A member is another than before; nil for one that is not on the list.
  mutating func change(
    _ id: TransferID, from old: TransferSnapshot?, to new: TransferSnapshot?
  ) {
    var sum = sums[id, default: Sum()]
    for (row, sign) in [(old, -1), (new, 1)] {
      guard let row else { continue }
      sum.tally.add(sign, in: row.state, byteCount: Int64(sign) &* row.bytesReceived)
      sum.bytesPerSecond &+= Int64(sign) &* row.bytesPerSecond
      sum.connections += sign * row.connections
      if row.state == .waiting, row.reason?.needsUser == true { sum.needsUserCount += sign }
    }
    sums[id] = sum
  }

  var hasMembers: Bool { !sums.isEmpty }

  mutating func forget(_ id: TransferID) { raw[id] = nil }

  /// Keeps the row of a collection that is in memory, and returns it as it is shown.
  mutating func shown(_ row: TransferSnapshot) -> TransferSnapshot {
    raw[row.id] = row
    return filled(row)
  }

  /// Returns the row of a collection with how far its members are, and any other row as it is. A
  /// collection whose members run does so itself.
  func filled(_ row: TransferSnapshot) -> TransferSnapshot {
    guard let sum = sums[row.id], row.collection?.memberCount != nil else { return row }
    var row = row
    let counts = sum.tally.counts
    let runningCount = counts[.running, default: 0] + counts[.verifying, default: 0]
    row.collection?.completedCount = counts[.completed, default: 0]
    row.collection?.failedCount = counts[.failed, default: 0]
    row.collection?.runningCount = runningCount
    row.collection?.needsUserCount = max(0, sum.needsUserCount)
    row.bytesReceived = max(0, sum.tally.bytesReceived)
    if row.state == .completed { row.bytesExpected = row.bytesReceived }
    row.bytesPerSecond = max(0, sum.bytesPerSecond)
    row.connections = sum.connections
    if row.reason == .members, runningCount > 0 {
      row.state = .running
      row.reason = nil
      row.heldBack = nil
    }
    if row.state == .running, let total = row.bytesExpected, row.bytesPerSecond > 0 {
      row.secondsLeft = max(0, total - row.bytesReceived) / row.bytesPerSecond
    }
    return row
  }
}

/// The free space on the disk, queried at most once a second however many clients display it:
/// statvfs(3) can be slow on a network file system.
final class FreeSpace: Sendable {
  private struct Measurement {
    var bytes: Int64?
    var at: MonotonicTime
  }

  private let last = Mutex<Measurement?>(nil)
  private let query: @Sendable () -> Int64?
  private let now: @Sendable () -> MonotonicTime

  init(now: @escaping @Sendable () -> MonotonicTime, query: @escaping @Sendable () -> Int64?) {
    self.now = now
    self.query = query
  }

  var bytes: Int64? {
    let time = now()
    let known = last.withLock { $0 }
    if let known, time.milliseconds(since: known.at) < 1000 { return known.bytes }
    let bytes = query()
    last.withLock { $0 = Measurement(bytes: bytes, at: time) }
    return bytes
  }
}
