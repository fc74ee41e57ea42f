import Glibc
import KettleModel
import KettleSystem

/// Reads the progress file of store version 6.
///
/// That version wrote the progress of fast transfers into pages of a file beside the store. A page
/// counts only for the row of the table `progress` that has its stamp. A transfer has two pages,
/// each with a sequence number and a checksum; the newer valid one counts.
enum ProgressPages {
  /// Returns the durable ranges by stamp. A missing or unreadable file yields nothing: the rows
  /// then contain less, but nothing wrong.
  static func read(_ paths: StorePaths) -> [Int64: ByteRangeSet] {
    let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
    guard let file = OwnedDescriptor(opened: Glibc.open(paths.progressPath, flags)) else {
      return [:]
    }
    var newest: [Int64: ProgressPage] = [:]
    var index: Int64 = 0
    while let words = ProgressPage.words(of: file.number, at: index) {
      index += 1
      guard let page = ProgressPage(words) else { continue }
      if let known = newest[page.stamp], known.sequence > page.sequence { continue }
      newest[page.stamp] = page
    }
    return newest.mapValues(\.durable)
  }
}

/// One page: a mark, the stamp, an increasing number, the count of the ranges, their bounds, and in
/// the last word a checksum of all others. 64-bit words, little-endian.
struct ProgressPage {
  let stamp: Int64
  let sequence: Int64
  let durable: ByteRangeSet

  static let byteCount = 4096
  static let rangeCountMax = (wordCount - headCount - 1) / 2
  private static let wordCount = byteCount / 8
  private static let headCount = 4
  /// "KttlHeld".
  private static let mark: Int64 = 0x4B74_746C_4865_6C64

  /// Returns nil if the words are not a page, or one that was not completely written.
  init?(_ words: [Int64]) {
    guard words.count == Self.wordCount, words[0] == Self.mark, words.last == Self.sum(words),
      (0...Int64(Self.rangeCountMax)).contains(words[3])
    else { return nil }
    var durable = ByteRangeSet()
    for index in 0..<Int(words[3]) {
      let lower = words[Self.headCount + 2 * index]
      guard let range = ByteRange(lower: lower, upper: words[Self.headCount + 2 * index + 1])
      else { return nil }
      durable.insert(range)
    }
    stamp = words[1]
    sequence = words[2]
    self.durable = durable
  }

  /// Each word affects all later bits of the checksum.
  private static func sum(_ words: [Int64]) -> Int64 {
    var sum: UInt64 = 0
    for word in words.dropLast() {
      sum = (sum ^ UInt64(bitPattern: word)) &* 0x9E37_79B9_7F4A_7C15
      sum ^= sum >> 32
    }
    return Int64(bitPattern: sum)
  }

  /// Returns nil past the last page.
  fileprivate static func words(of descriptor: Int32, at index: Int64) -> [Int64]? {
    var words = [Int64](repeating: 0, count: wordCount)
    let offset = off_t(index) * off_t(byteCount)
    let count = words.withUnsafeMutableBytes { bytes in
      pread(descriptor, bytes.baseAddress, bytes.count, offset)
    }
    return count == byteCount ? words.map { Int64(littleEndian: $0) } : nil
  }
}
