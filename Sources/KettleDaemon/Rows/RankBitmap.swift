/// A set of indices below a fixed bound: one bit each, with sums that find the n-th member without
/// a full scan. Members can only be removed.
struct RankBitmap: Sendable {
  private static let wordsPerBlock = 64
  private static let bitsPerBlock = wordsPerBlock * UInt64.bitWidth

  private let bound: Int
  private var words: [UInt64]
  /// The number of members in each block.
  private var blockCounts: [Int]
  private(set) var count: Int

  /// All indices below `count` are members.
  init(count: Int) {
    bound = count
    self.count = count
    words = Array(repeating: .max, count: (count + UInt64.bitWidth - 1) / UInt64.bitWidth)
    let surplus = words.count * UInt64.bitWidth - count
    if surplus > 0 { words[words.count - 1] >>= UInt64(surplus) }
    blockCounts = stride(from: 0, to: count, by: Self.bitsPerBlock).map {
      min(Self.bitsPerBlock, count - $0)
    }
  }

  var removedCount: Int { bound - count }

  func contains(_ index: Int) -> Bool {
    guard index >= 0, index < bound else { return false }
    return words[index >> 6] & Self.bit(index) != 0
  }

  mutating func remove(_ index: Int) {
    guard contains(index) else { return }
    words[index >> 6] &= ~Self.bit(index)
    blockCounts[index / Self.bitsPerBlock] -= 1
    count -= 1
  }

  /// Returns the number of members below an index, which may be one past the last.
  func rank(of index: Int) -> Int {
    guard index < bound else { return count }
    guard index > 0 else { return 0 }
    let block = index / Self.bitsPerBlock
    var sum = blockCounts[..<block].reduce(0, +)
    for word in (block * Self.wordsPerBlock)..<(index >> 6) { sum += words[word].nonzeroBitCount }
    return sum + (words[index >> 6] & (Self.bit(index) - 1)).nonzeroBitCount
  }

  /// Returns the member with `rank` members below it; nil if there are not that many.
  func index(atRank rank: Int) -> Int? {
    guard rank >= 0, rank < count else { return nil }
    var rest = rank
    var block = 0
    while rest >= blockCounts[block] {
      rest -= blockCounts[block]
      block += 1
    }
    var word = block * Self.wordsPerBlock
    while rest >= words[word].nonzeroBitCount {
      rest -= words[word].nonzeroBitCount
      word += 1
    }
    var bits = words[word]
    for _ in 0..<rest { bits &= bits - 1 }
    return word << 6 + bits.trailingZeroBitCount
  }

  /// Returns the first member at or after an index.
  func first(from index: Int) -> Int? {
    guard index < bound else { return nil }
    var word = index >> 6
    var bits = words[word] & ~(Self.bit(index) - 1)
    while bits == 0 {
      word += 1
      guard word < words.count else { return nil }
      bits = words[word]
    }
    return word << 6 + bits.trailingZeroBitCount
  }

  private static func bit(_ index: Int) -> UInt64 { 1 << UInt64(index & 63) }
}
