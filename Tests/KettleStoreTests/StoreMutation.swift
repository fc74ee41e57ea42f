import SeededNumbers

/// A random edit of the bytes of a store, like that of a failing disk, a power cut or a curious
/// user.
enum StoreMutation: CaseIterable {
  case flippedBits, cutOff, randomFill, zeroFill, swappedPages, copiedPage, headerByte

  static let pageByteCount = 4096

  func applied(to bytes: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
    var bytes = bytes
    switch self {
    case .flippedBits:
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        let index = Int.random(in: bytes.indices, using: &random)
        bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      }
    case .cutOff: bytes.removeLast(Int.random(in: 1..<bytes.count, using: &random))
    case .randomFill:
      for index in Self.range(in: bytes, &random) {
        bytes[index] = UInt8.random(in: 0...255, using: &random)
      }
    case .zeroFill:
      for index in Self.range(in: bytes, &random) { bytes[index] = 0 }
    case .swappedPages:
      let (one, other) = (Self.page(in: bytes, &random), Self.page(in: bytes, &random))
      let (oneBytes, otherBytes) = (Array(bytes[one]), Array(bytes[other]))
      bytes.replaceSubrange(one, with: otherBytes)
      bytes.replaceSubrange(other, with: oneBytes)
    case .copiedPage:
      let (one, other) = (Self.page(in: bytes, &random), Self.page(in: bytes, &random))
      bytes.replaceSubrange(other, with: Array(bytes[one]))
    case .headerByte:
      bytes[Int.random(in: 0..<100, using: &random)] = UInt8.random(in: 0...255, using: &random)
    }
    return bytes
  }

  private static func range(in bytes: [UInt8], _ random: inout SeededGenerator) -> Range<Int> {
    let start = Int.random(in: bytes.indices, using: &random)
    return start..<min(bytes.count, start + Int.random(in: 1...2 * pageByteCount, using: &random))
  }

  private static func page(in bytes: [UInt8], _ random: inout SeededGenerator) -> Range<Int> {
    let number = Int.random(in: 0..<bytes.count / pageByteCount, using: &random)
    return number * pageByteCount..<(number + 1) * pageByteCount
  }
}

/// The pages of an intact store, and the transfers on them.
struct StorePages {
  private let bytes: [UInt8]
  /// The transfers by page, for pages that contain only rows of transfers.
  private(set) var transfers: [Int: [Int64]] = [:]

  /// - Parameter ids: the ids of `Sample.plain` transfers.
  init(_ bytes: [UInt8], ids: ClosedRange<Int64>) {
    self.bytes = bytes
    let mark = Array("https://example.org/files/".utf8)
    for page in 0..<bytes.count / StoreMutation.pageByteCount {
      let content = bytes[
        page * StoreMutation.pageByteCount..<(page + 1) * StoreMutation.pageByteCount]
      // A table leaf page (sqlite.org/fileformat2.html, "B-tree Pages").
      guard content.first == 0x0D else { continue }
      var found: [Int64] = []
      for start in content.indices where content[start...].starts(with: mark) {
        let digits = content[(start + mark.count)...].prefix { (48...57).contains($0) }
        if let id = Int64(String(decoding: digits, as: UTF8.self)) { found.append(id) }
      }
      if !found.isEmpty { transfers[page] = found }
    }
  }

  /// The transfers that an edit may have destroyed; nil if it may be any of them.
  func touched(by edited: [UInt8]) -> Set<Int64>? {
    guard edited.count == bytes.count else { return nil }
    var ids: Set<Int64> = []
    for page in 0..<bytes.count / StoreMutation.pageByteCount {
      let range = page * StoreMutation.pageByteCount..<(page + 1) * StoreMutation.pageByteCount
      if bytes[range] == edited[range] { continue }
      guard let there = transfers[page] else { return nil }
      ids.formUnion(there)
    }
    return ids
  }
}
