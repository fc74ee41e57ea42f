/// The XXH3-128 digest of a block of a file, or of a part of one (xxHash, XXH3_128bits).
public struct BlockDigest: Hashable, Sendable {
  public var high: UInt64
  public var low: UInt64

  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }
}

/// Bytes of one block of a file, and their digest.
public struct DigestedBytes: Hashable, Sendable {
  public let range: ByteRange
  public let digest: BlockDigest

  /// Returns nil if the range is empty or crosses from one block into the next.
  public init?(_ range: ByteRange, _ digest: BlockDigest) {
    let first = range.lower / BlockDigests.blockByteCount
    guard !range.isEmpty, range.lastByte / BlockDigests.blockByteCount == first else { return nil }
    self.range = range
    self.digest = digest
  }
}

/// The digests of a file's bytes, block by block: what shows later that they are still the same.
///
/// A block that is still arriving may have digests of several of its parts.
public struct BlockDigests: Hashable, Sendable {
  /// The size of a block. The last block of a file may be shorter.
  public static let blockByteCount: Int64 = 1 << 20

  /// Sorted; no two overlap.
  public private(set) var entries: [DigestedBytes] = []

  public init() {}

  public init(_ entries: some Sequence<DigestedBytes>) { for entry in entries { insert(entry) } }

  public var isEmpty: Bool { entries.isEmpty }

  /// Adds a digest and removes those of the same bytes.
  public mutating func insert(_ new: DigestedBytes) {
    guard let last = entries.last, last.range.upper > new.range.lower else {
      entries.append(new)
      return
    }
    let lower = entries.partition { $0.range.upper > new.range.lower }
    let upper = entries.partition { $0.range.lower >= new.range.upper }
    entries.replaceSubrange(lower..<max(lower, upper), with: [new])
  }

  /// Returns those of whose bytes the set has all.
  public func entries(within bytes: ByteRangeSet) -> [DigestedBytes] {
    var rest = bytes.ranges[...]
    return entries.filter { entry in
      while let range = rest.first, range.upper <= entry.range.lower { rest.removeFirst() }
      guard let range = rest.first else { return false }
      return range.lower <= entry.range.lower && entry.range.upper <= range.upper
    }
  }

  /// The bytes that have a digest.
  public var bytes: ByteRangeSet {
    var bytes = ByteRangeSet()
    for entry in entries { bytes.append(entry.range) }
    return bytes
  }

  /// Returns the whole blocks of a range; nil if there are none.
  public static func wholeBlocks(in range: ByteRange) -> ByteRange? {
    let upper = range.upper / blockByteCount * blockByteCount
    let lower = range.lower / blockByteCount * blockByteCount
    let first =
      lower == range.lower ? lower : lower.addingReportingOverflow(blockByteCount).partialValue
    guard first < upper else { return nil }
    return ByteRange(lower: first, upper: upper)
  }

  /// Returns the parts of a range that lie in one block each, in order.
  public static func parts(of range: ByteRange) -> [ByteRange] {
    var parts: [ByteRange] = []
    var lower = range.lower
    while lower < range.upper {
      let end = (lower / blockByteCount + 1).multipliedReportingOverflow(by: blockByteCount)
      let upper = end.overflow ? range.upper : min(end.partialValue, range.upper)
      if let part = ByteRange(lower: lower, upper: upper) { parts.append(part) }
      lower = upper
    }
    return parts
  }
}

extension RandomAccessCollection where Index == Int {
  /// Returns the index of the first element that fulfils a condition, which all behind it fulfil;
  /// `endIndex` if none does.
  fileprivate func partition(_ isBehind: (Element) -> Bool) -> Int {
    var (lower, upper) = (startIndex, endIndex)
    while lower < upper {
      let middle = lower + (upper - lower) / 2
      if isBehind(self[middle]) { upper = middle } else { lower = middle + 1 }
    }
    return lower
  }
}
