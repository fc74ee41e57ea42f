/// The byte ranges of a file that are present: sorted, disjoint, never touching.
///
/// This is the segment map. One connection fills it from the front; several fill it in several
/// places, in the same form.
public struct ByteRangeSet: Hashable, Sendable {
  public private(set) var ranges: [ByteRange] = []

  public init() {}

  /// Holds the first `byteCount` bytes; nothing when the count is not positive.
  public init(prefix byteCount: Int64) {
    if let range = ByteRange(lower: 0, upper: byteCount), !range.isEmpty { ranges = [range] }
  }

  public var isEmpty: Bool { ranges.isEmpty }

  /// How many bytes are held in all.
  public var byteCount: Int64 { ranges.reduce(0) { $0 + $1.byteCount } }

  /// How many bytes are held from the start without a gap.
  public var prefixByteCount: Int64 {
    guard let first = ranges.first, first.lower == 0 else { return 0 }
    return first.upper
  }

  /// Adds a range, joining it with those that it overlaps or touches.
  public mutating func insert(_ range: ByteRange) {
    guard !range.isEmpty else { return }
    var lower = range.lower
    var upper = range.upper
    var kept: [ByteRange] = []
    kept.reserveCapacity(ranges.count + 1)
    var after: [ByteRange] = []
    for held in ranges {
      if held.upper < range.lower {
        kept.append(held)
      } else if held.lower > range.upper {
        after.append(held)
      } else {
        lower = min(lower, held.lower)
        upper = max(upper, held.upper)
      }
    }
    if let joined = ByteRange(lower: lower, upper: upper) { kept.append(joined) }
    ranges = kept + after
  }

  public func contains(_ range: ByteRange) -> Bool {
    range.isEmpty || ranges.contains { $0.lower <= range.lower && range.upper <= $0.upper }
  }

  /// The holes in a range, in order.
  public func gaps(in range: ByteRange) -> [ByteRange] {
    var gaps: [ByteRange] = []
    var next = range.lower
    for held in ranges where held.upper > next && next < range.upper {
      let end = min(held.lower, range.upper)
      if end > next, let gap = ByteRange(lower: next, upper: end) { gaps.append(gap) }
      next = held.upper
    }
    if next < range.upper, let gap = ByteRange(lower: next, upper: range.upper) {
      gaps.append(gap)
    }
    return gaps
  }

  /// The first hole in a file of `total` bytes; nil when nothing is missing.
  public func firstGap(total: Int64) -> ByteRange? {
    ByteRange(lower: 0, upper: total).flatMap { gaps(in: $0).first }
  }

  /// The held parts of a range, in order.
  public func parts(in range: ByteRange) -> [ByteRange] {
    ranges.compactMap { held in
      let lower = max(held.lower, range.lower)
      let upper = min(held.upper, range.upper)
      return lower < upper ? ByteRange(lower: lower, upper: upper) : nil
    }
  }

  /// How far the last range reaches; 0 when nothing is held.
  public var upperBound: Int64 { ranges.last?.upper ?? 0 }

  public mutating func formUnion(_ other: ByteRangeSet) {
    for range in other.ranges { insert(range) }
  }
}

extension ByteRangeSet: Codable {
  /// Reads `[lower, upper, lower, upper, …]` and refuses anything else, because a map that claims
  /// missing bytes produces a wrong file.
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
      .init(codingPath: decoder.codingPath, debugDescription: "the held ranges are out of order"))
  }
}
