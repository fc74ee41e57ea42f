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
  /// The progress of all unfinished transfers; nil if there are none.
  public var batch: BatchProgress?

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
    let named = Dictionary(uniqueKeysWithValues: counts.map { ($0.key.rawValue, $0.value) })
    try container.encode(named, forKey: .counts)
  }
}
