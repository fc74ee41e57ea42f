/// A summary of all transfers, for the dashboard's title bar.
public struct Totals: Hashable, Sendable, Codable {
  public var bytesPerSecond: Int64 = 0
  /// The number of transfers in each state. States without transfers are absent.
  public var counts: [TransferState: Int] = [:]
  /// Free bytes on the disk of the documents directory; nil if unknown.
  public var freeBytes: Int64?
  /// The speed limit for all transfers together; nil if there is none.
  public var limitBytesPerSecond: Int64?
  /// When the limit changes by the user's schedule; nil if it stays.
  public var limitUntil: WallTime?
  /// The transfers that wait for the user, which `counts` has among the waiting ones; nil if the
  /// service is too old to report it.
  public var needsUserCount: Int?
  /// The listed transfers whose latest hook failed; nil for none.
  public var failedHookCount: Int?
  /// The progress of all unfinished transfers; nil if there are none.
  public var batch: BatchProgress?
  /// The fleet whose queue is listed; nil for the list of one machine.
  package var fleet: FleetGlance?
  /// The machines whose lists are shown as one; nil for another list. A client knows them, and no
  /// service sends them.
  package var machines: MachinesGlance?

  public init() {}

  public func count(_ state: TransferState) -> Int { counts[state] ?? 0 }

  /// The sum of `counts`. Saturates, because counts from a socket can be any numbers.
  public var transferCount: Int {
    counts.values.reduce(0) { sum, count in
      let (next, overflow) = sum.addingReportingOverflow(count)
      return overflow ? (count < 0 ? .min : .max) : next
    }
  }
}

extension Totals {
  private enum CodingKeys: String, CodingKey {
    case bytesPerSecond, counts, freeBytes, limitBytesPerSecond, limitUntil, batch
    case needsUserCount, failedHookCount, fleet
  }

  /// Decodes `counts` as an object: the synthesized coding of a dictionary with enum keys is an
  /// array of pairs.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    bytesPerSecond = try container.decode(Int64.self, forKey: .bytesPerSecond)
    freeBytes = try container.decodeIfPresent(Int64.self, forKey: .freeBytes)
    limitBytesPerSecond = try container.decodeIfPresent(Int64.self, forKey: .limitBytesPerSecond)
    limitUntil = try container.decodeIfPresent(WallTime.self, forKey: .limitUntil)
    batch = try container.decodeIfPresent(BatchProgress.self, forKey: .batch)
    needsUserCount = try container.decodeIfPresent(Int.self, forKey: .needsUserCount)
    failedHookCount = try container.decodeIfPresent(Int.self, forKey: .failedHookCount)
    fleet = try container.decodeIfPresent(FleetGlance.self, forKey: .fleet)
    for (name, count) in try container.decode([String: Int].self, forKey: .counts) {
      if let state = TransferState(rawValue: name) { counts[state] = count }
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(bytesPerSecond, forKey: .bytesPerSecond)
    try container.encodeIfPresent(freeBytes, forKey: .freeBytes)
    try container.encodeIfPresent(limitBytesPerSecond, forKey: .limitBytesPerSecond)
    try container.encodeIfPresent(limitUntil, forKey: .limitUntil)
    try container.encodeIfPresent(batch, forKey: .batch)
    try container.encodeIfPresent(needsUserCount, forKey: .needsUserCount)
    try container.encodeIfPresent(failedHookCount, forKey: .failedHookCount)
    try container.encodeIfPresent(fleet, forKey: .fleet)
    let named = Dictionary(uniqueKeysWithValues: counts.map { ($0.key.rawValue, $0.value) })
    try container.encode(named, forKey: .counts)
  }
}

/// The fleet whose queue a list shows.
package struct FleetGlance: Hashable, Sendable, Codable {
  package var name: String
  /// Why its database does not answer, and since when it has not; the list is as old as that. nil
  /// while it answers.
  package var problem: String?
  package var silentSince: WallTime?

  package init(name: String, problem: String? = nil, silentSince: WallTime? = nil) {
    self.name = name
    self.problem = problem
    self.silentSince = silentSince
  }
}

/// The progress of all unfinished transfers taken together, plus those that finished since the
/// service was last idle. A stop or a pause of all that is undone does not count as idle.
public struct BatchProgress: Hashable, Sendable, Codable {
  public var transferCount: Int
  public var finishedCount: Int
  /// Counts only transfers of known size, like `bytesExpected`.
  public var bytesReceived: Int64
  public var bytesExpected: Int64
  /// Transfers of unknown size, which the byte counts omit.
  public var unknownSizeCount: Int
  /// nil if unknown.
  public var secondsLeft: Int64?
  /// When all transfers that continue by themselves are expected to be complete, except those
  /// counted in `unpredictableCount`; nil if unknown.
  public var readyAt: WallTime?
  /// Whether `readyAt` is a guess; nil for no.
  public var readyAtIsGuess: Bool?
  /// The transfers that are to continue at a time that cannot be predicted: their size is unknown,
  /// or they wait for a host, the network or the user. nil if no estimate was made.
  public var unpredictableCount: Int?

  public init(
    transferCount: Int, finishedCount: Int, bytesReceived: Int64, bytesExpected: Int64,
    unknownSizeCount: Int, secondsLeft: Int64?
  ) {
    self.transferCount = transferCount
    self.finishedCount = finishedCount
    self.bytesReceived = bytesReceived
    self.bytesExpected = bytesExpected
    self.unknownSizeCount = unknownSizeCount
    self.secondsLeft = secondsLeft
  }
}

/// The overall progress of the transfers under way, shown in the terminal's tab or in the desktop's
/// taskbar.
package enum BatchGauge: Hashable, Sendable {
  /// 0 to 99: a complete transfer is no longer under way.
  case percent(Int)
  /// Transfers are under way, but their total size is unknown and none has finished.
  case unknown

  /// Returns nil when no transfer is under way.
  package init?(_ batch: BatchProgress?) {
    guard let batch else { return nil }
    let summary = BatchSummary(batch)
    let isKnown =
      switch summary.measure {
      case .bytes: batch.bytesReceived >= 0
      case .files(let done, _): done > 0
      }
    self = isKnown ? .percent(Int(min(99, summary.fraction * 100))) : .unknown
  }

  /// Returns the control sequence that shows a gauge, or removes it for nil: OSC 9;4 of ConEmu.
  package static func sequence(_ gauge: BatchGauge?) -> String {
    let words =
      switch gauge {
      case nil: "0"
      case .percent(let percent): "1;\(percent)"
      case .unknown: "3"
      }
    return "\u{1B}]9;4;" + words + "\u{1B}\\"
  }
}

/// What happened to the transfers since a time, for a user who did not watch.
package struct TransferNews: Codable, Hashable, Sendable {
  package var since: WallTime
  package var completedCount = 0
  /// The size of the completed ones together.
  package var completedByteCount: Int64 = 0
  package var failedCount = 0
  /// The transfers that began to wait for the user and still do, by what they need.
  package var needsLinkCount = 0
  package var needsLoginCount = 0
  package var needsDecisionCount = 0

  package init(since: WallTime) { self.since = since }

  package var isEmpty: Bool {
    let counts = [
      completedCount, failedCount, needsLinkCount, needsLoginCount, needsDecisionCount,
    ]
    return counts.allSatisfy { $0 <= 0 }
  }

  /// Saturates, because the store may contain any size.
  package mutating func addCompleted(byteCount: Int64) {
    completedCount += 1
    let (sum, overflow) = completedByteCount.addingReportingOverflow(max(0, byteCount))
    completedByteCount = overflow ? .max : sum
  }

  /// Ignores reasons that do not need the user.
  package mutating func addWaiting(for reason: WaitingReason) {
    if reason == .needsLink { needsLinkCount += 1 }
    if reason == .needsLogin { needsLoginCount += 1 }
    if reason == .needsDecision { needsDecisionCount += 1 }
  }
}
