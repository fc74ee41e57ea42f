/// The bytes from `lower` up to but not including `upper`.
///
/// HTTP includes the last byte (RFC 9110, section 14.1.2), which is `lastByte`.
public struct ByteRange: Hashable, Sendable {
  public let lower: Int64
  public let upper: Int64

  /// Returns nil unless `0 <= lower <= upper`.
  public init?(lower: Int64, upper: Int64) {
    guard lower >= 0, lower <= upper else { return nil }
    self.lower = lower
    self.upper = upper
  }

  /// The empty range at offset 0.
  public static let nothing = ByteRange(knownLower: 0, knownUpper: 0)

  private init(knownLower: Int64, knownUpper: Int64) {
    lower = knownLower
    upper = knownUpper
  }

  public var byteCount: Int64 { upper - lower }
  public var isEmpty: Bool { lower == upper }
  public var lastByte: Int64 { upper - 1 }
}

/// A set of byte offsets, stored as ranges that are sorted, disjoint and not adjacent.
public struct ByteRangeSet: Hashable, Sendable {
  public private(set) var ranges: [ByteRange] = []

  public init() {}

  /// Contains the first `byteCount` bytes; empty if the count is not positive.
  public init(prefix byteCount: Int64) {
    if let range = ByteRange(lower: 0, upper: byteCount), !range.isEmpty { ranges = [range] }
  }

  public var isEmpty: Bool { ranges.isEmpty }

  /// The number of bytes in the set.
  public var byteCount: Int64 { ranges.reduce(0) { $0 + $1.byteCount } }

  /// The number of bytes from offset 0 to the first gap.
  public var prefixByteCount: Int64 {
    guard let first = ranges.first, first.lower == 0 else { return 0 }
    return first.upper
  }

  /// Inserts a range and merges it with those that it overlaps or touches.
  public mutating func insert(_ range: ByteRange) {
    guard !range.isEmpty else { return }
    var lower = range.lower
    var upper = range.upper
    var kept: [ByteRange] = []
    kept.reserveCapacity(ranges.count + 1)
    var after: [ByteRange] = []
    for present in ranges {
      if present.upper < range.lower {
        kept.append(present)
      } else if present.lower > range.upper {
        after.append(present)
      } else {
        lower = min(lower, present.lower)
        upper = max(upper, present.upper)
      }
    }
    if let joined = ByteRange(lower: lower, upper: upper) { kept.append(joined) }
    ranges = kept + after
  }

  /// Removes the bytes of a range.
  public mutating func remove(_ range: ByteRange) {
    guard !range.isEmpty else { return }
    ranges = ranges.flatMap { present -> [ByteRange] in
      guard present.lower < range.upper, range.lower < present.upper else { return [present] }
      return [
        ByteRange(lower: present.lower, upper: range.lower),
        ByteRange(lower: range.upper, upper: present.upper),
      ].compactMap { $0 }.filter { !$0.isEmpty }
    }
  }

  /// Inserts a range in constant time if it is behind all others.
  package mutating func append(_ range: ByteRange) {
    guard let last = ranges.last, last.upper <= range.lower, !range.isEmpty else {
      return insert(range)
    }
    guard last.upper == range.lower, let joined = ByteRange(lower: last.lower, upper: range.upper)
    else { return ranges.append(range) }
    ranges[ranges.count - 1] = joined
  }

  public func contains(_ range: ByteRange) -> Bool {
    range.isEmpty || ranges.contains { $0.lower <= range.lower && range.upper <= $0.upper }
  }

  /// The parts of a range that are missing, in order.
  public func gaps(in range: ByteRange) -> [ByteRange] {
    var gaps: [ByteRange] = []
    var next = range.lower
    for present in ranges where present.upper > next && next < range.upper {
      let end = min(present.lower, range.upper)
      if end > next, let gap = ByteRange(lower: next, upper: end) { gaps.append(gap) }
      next = present.upper
    }
    if next < range.upper, let gap = ByteRange(lower: next, upper: range.upper) {
      gaps.append(gap)
    }
    return gaps
  }

  /// The first gap in a file of `total` bytes; nil if nothing is missing.
  public func firstGap(total: Int64) -> ByteRange? {
    ByteRange(lower: 0, upper: total).flatMap { gaps(in: $0).first }
  }

  /// The parts of a range that are present, in order.
  public func parts(in range: ByteRange) -> [ByteRange] {
    ranges.compactMap { present in
      let lower = max(present.lower, range.lower)
      let upper = min(present.upper, range.upper)
      return lower < upper ? ByteRange(lower: lower, upper: upper) : nil
    }
  }

  /// The end of the last range; 0 if the set is empty.
  public var upperBound: Int64 { ranges.last?.upper ?? 0 }

  /// Fills the smallest gaps until there are at most `countMax` ranges.
  package func joined(toAtMost countMax: Int) -> ByteRangeSet {
    let excess = ranges.count - max(1, countMax)
    guard excess > 0 else { return self }
    let gaps = zip(ranges, ranges.dropFirst()).compactMap {
      ByteRange(lower: $0.upper, upper: $1.lower)
    }
    let filled = gaps.sorted { $0.byteCount < $1.byteCount }.prefix(excess)
    var joined = ByteRangeSet()
    for range in (ranges + filled).sorted(by: { $0.lower < $1.lower }) { joined.append(range) }
    return joined
  }

  public mutating func formUnion(_ other: ByteRangeSet) {
    for range in other.ranges { insert(range) }
  }
}

extension ByteRangeSet: Codable {
  /// Decodes `[lower, upper, lower, upper, …]` and throws for anything else: a set that claims
  /// missing bytes would produce a wrong file.
  public init(from decoder: any Decoder) throws {
    let numbers = try [Int64](from: decoder)
    guard numbers.count.isMultiple(of: 2) else { throw Self.damaged(decoder) }
    var previousUpper: Int64 = -1
    for start in stride(from: 0, to: numbers.count, by: 2) {
      let (lower, upper) = (numbers[start], numbers[start + 1])
      guard lower > previousUpper, lower < upper, let range = ByteRange(lower: lower, upper: upper)
      else { throw Self.damaged(decoder) }
      ranges.append(range)
      previousUpper = upper
    }
  }

  public func encode(to encoder: any Encoder) throws {
    try ranges.flatMap { [$0.lower, $0.upper] }.encode(to: encoder)
  }

  private static func damaged(_ decoder: any Decoder) -> DecodingError {
    .dataCorrupted(
      .init(codingPath: decoder.codingPath, debugDescription: "the byte ranges are out of order"))
  }
}
