import KettleModel

/// Which parts of an upload are sent next, how many at a time, and when a part is sent again.
///
/// A part that fails is sent again after a pause that doubles. A store that asks for fewer requests
/// gets half as many at a time, and one more after each `recoveryCount` parts that it takes.
struct PartSending: Sendable {
  /// The parts of a file. All but the last have the same size.
  struct Layout: Hashable, Sendable {
    let byteCount: Int64
    let partByteCount: Int64

    init(byteCount: Int64, partByteCount: Int64) {
      self.byteCount = byteCount
      self.partByteCount = max(partByteCount, 1)
    }

    /// The size of the parts of a file: the smallest one that gives no more parts than a store
    /// permits, in whole mebibytes.
    static func partByteCount(ofFile byteCount: Int64) -> Int64 {
      let least = (byteCount + ObjectUpload.partCountMax - 1) / ObjectUpload.partCountMax
      let mebibyte: Int64 = 1 << 20
      return max(
        ObjectUpload.wholeByteCountMax, (least + mebibyte - 1) / mebibyte * mebibyte)
    }

    var count: Int { Int((byteCount + partByteCount - 1) / partByteCount) }

    /// - Parameter number: from 1; nil is returned for a part that the file does not have.
    func range(_ number: Int) -> ByteRange? {
      guard (1...count).contains(number) else { return nil }
      let lower = Int64(number - 1) * partByteCount
      return ByteRange(lower: lower, upper: min(lower + partByteCount, byteCount))
    }
  }

  enum Outcome: Hashable, Sendable {
    case sent
    case failed(TransferFailure)
  }

  static let attemptCountMax = 6
  static let recoveryCount = 8

  let layout: Layout
  private var waiting: [Int]
  private var underWay: Set<Int> = []
  private(set) var sent: Set<Int>
  private var failureCounts: [Int: Int] = [:]
  private(set) var concurrencyMax: Int
  private let concurrencyLimit: Int
  private var takenCount = 0
  private let pauseMilliseconds: Int64
  /// Before this time nothing is sent.
  private var pausedUntil: MonotonicTime?
  private(set) var outcome: Outcome?

  /// - Parameters:
  ///   - sent: the parts that the store has.
  ///   - pauseMilliseconds: the first pause after a failure.
  init(
    _ layout: Layout, sent: Set<Int>, concurrencyLimit: Int = 4, pauseMilliseconds: Int64 = 1000
  ) {
    self.layout = layout
    self.sent = sent
    self.concurrencyLimit = concurrencyLimit
    self.pauseMilliseconds = pauseMilliseconds
    concurrencyMax = concurrencyLimit
    // The next one is at the end.
    waiting = (layout.count > 0 ? Array(1...layout.count) : []).filter { !sent.contains($0) }
      .reversed()
    if waiting.isEmpty { outcome = .sent }
  }

  var sentByteCount: Int64 {
    let last = layout.range(layout.count)?.byteCount ?? 0
    let missingOfLast = sent.contains(layout.count) ? layout.partByteCount - last : 0
    return Int64(sent.count) * layout.partByteCount - missingOfLast
  }

  /// Returns the parts to send now.
  mutating func begin(at now: MonotonicTime) -> [Int] {
    guard outcome == nil, pausedUntil.map({ $0 <= now }) ?? true else { return [] }
    pausedUntil = nil
    var begun: [Int] = []
    while underWay.count < concurrencyMax, let number = waiting.popLast() {
      underWay.insert(number)
      begun.append(number)
    }
    return begun
  }

  /// How long nothing is sent although something waits; nil without a pause.
  func pauseMilliseconds(at now: MonotonicTime) -> Int64? {
    pausedUntil.map { max(0, $0.milliseconds(since: now)) }
  }

  mutating func taken(_ number: Int) {
    guard underWay.remove(number) != nil else { return }
    sent.insert(number)
    takenCount += 1
    if takenCount.isMultiple(of: Self.recoveryCount) {
      concurrencyMax = min(concurrencyMax + 1, concurrencyLimit)
    }
    if waiting.isEmpty, underWay.isEmpty { outcome = outcome ?? .sent }
  }

  /// A part was not taken, for a reason that may pass.
  mutating func failed(
    _ number: Int, because failure: TransferFailure, _ strain: StoreStrain, at now: MonotonicTime
  ) {
    guard underWay.remove(number) != nil else { return }
    let count = (failureCounts[number] ?? 0) + 1
    failureCounts[number] = count
    waiting.append(number)
    if strain == .overloaded { concurrencyMax = max(1, concurrencyMax / 2) }
    guard count < Self.attemptCountMax else { return give(up: failure) }
    let end = now.advanced(byMilliseconds: pauseMilliseconds << Int64(min(count - 1, 5)))
    pausedUntil = max(pausedUntil ?? end, end)
  }

  /// Ends the upload with a failure. No further part is sent.
  mutating func give(up failure: TransferFailure) { outcome = outcome ?? .failed(failure) }
}
