/// The indices of a frozen order that are still valid: one bit each, with sums that find the n-th
/// of them without a full scan.
struct RankBitmap: Sendable {
  private static let wordsPerBlock = 64
  private static let placesPerBlock = wordsPerBlock * UInt64.bitWidth

  private let placeCount: Int
  private var words: [UInt64]
  /// The number of valid indices in each block.
  private var blockCounts: [Int]
  private(set) var count: Int

  /// All indices are valid.
  init(count: Int) {
    placeCount = count
    self.count = count
    words = Array(repeating: .max, count: (count + UInt64.bitWidth - 1) / UInt64.bitWidth)
    let surplus = words.count * UInt64.bitWidth - count
    if surplus > 0 { words[words.count - 1] >>= UInt64(surplus) }
    blockCounts = stride(from: 0, to: count, by: Self.placesPerBlock).map {
      min(Self.placesPerBlock, count - $0)
    }
  }

  var removedCount: Int { placeCount - count }

  func contains(_ place: Int) -> Bool {
    guard place >= 0, place < placeCount else { return false }
    return words[place >> 6] & Self.bit(place) != 0
  }

  mutating func remove(_ place: Int) {
    guard contains(place) else { return }
    words[place >> 6] &= ~Self.bit(place)
    blockCounts[place / Self.placesPerBlock] -= 1
    count -= 1
  }

  /// Returns the number of valid indices before a place, which may be one past the last.
  func count(before place: Int) -> Int {
    guard place < placeCount else { return count }
    guard place > 0 else { return 0 }
    let block = place / Self.placesPerBlock
    var sum = blockCounts[..<block].reduce(0, +)
    for word in (block * Self.wordsPerBlock)..<(place >> 6) { sum += words[word].nonzeroBitCount }
    return sum + (words[place >> 6] & (Self.bit(place) - 1)).nonzeroBitCount
  }

  /// Returns the valid index at a rank; nil if there are not that many.
  func place(at index: Int) -> Int? {
    guard index >= 0, index < count else { return nil }
    var rest = index
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

  /// Returns the first valid index at or after a place.
  func place(from place: Int) -> Int? {
    guard place < placeCount else { return nil }
    var word = place >> 6
    var bits = words[word] & ~(Self.bit(place) - 1)
    while bits == 0 {
      word += 1
      guard word < words.count else { return nil }
      bits = words[word]
    }
    return word << 6 + bits.trailingZeroBitCount
  }

  private static func bit(_ place: Int) -> UInt64 { 1 << UInt64(place & 63) }
}
