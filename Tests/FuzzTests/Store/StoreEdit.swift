import SeededNumbers

/// One change to a file of the store, as a failing disk, a power cut or a curious user may make.
///
/// Offsets wrap around at the end of the file, so that every edit applies to every file.
struct StoreEdit: Hashable, Sendable, Codable {
  enum File: String, Hashable, Sendable, Codable, CaseIterable {
    case store = ""
    case log = "-wal"
    case commits = "-commits"
  }

  enum Change: Hashable, Sendable, Codable {
    case flip(bit: Int)
    case set(to: UInt8)
    case add(Int)
    case fill(byteCount: Int, with: UInt8)
    case cut
    case copyPage(from: Int)
    case delete
  }

  static let pageByteCount = 4096
  /// A frame of the log is a page after a header (sqlite.org/fileformat2.html, "The Write-Ahead
  /// Log").
  private static let (logHeadByteCount, frameHeadByteCount) = (32, 24)

  var file: File
  var offset: Int
  var change: Change

  init(random: inout SeededGenerator) {
    file = File.allCases.randomElement(using: &random) ?? .store
    let page = Int.random(in: 0..<40, using: &random)
    offset =
      switch (Int.random(in: 0..<3, using: &random), file) {
      case (0, .store), (0, .commits):
        page * Self.pageByteCount + Int.random(in: 0..<110, using: &random)
      case (0, .log):
        Self.logHeadByteCount + page * (Self.frameHeadByteCount + Self.pageByteCount)
          + Int.random(in: -32..<40, using: &random)
      default: Int.random(in: 0..<200_000, using: &random)
      }
    offset = max(0, offset)
    change =
      switch Int.random(in: 0..<12, using: &random) {
      case 0...3: .flip(bit: Int.random(in: 0..<8, using: &random))
      case 4, 5: .set(to: [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &random) ?? 0)
      case 6: .add(Int.random(in: -3...3, using: &random))
      case 7, 8:
        .fill(
          byteCount: 1 << Int.random(in: 0..<14, using: &random),
          with: UInt8.random(in: 0...255, using: &random))
      case 9: .cut
      case 10: .copyPage(from: Int.random(in: 0..<40, using: &random))
      default: .delete
      }
  }

  /// Returns nil if the file is deleted.
  func applied(to bytes: [UInt8]) -> [UInt8]? {
    guard !bytes.isEmpty else { return bytes }
    var bytes = bytes
    let index = offset % bytes.count
    switch change {
    case .flip(let bit): bytes[index] ^= 1 << UInt8(truncatingIfNeeded: bit & 7)
    case .set(let byte): bytes[index] = byte
    case .add(let count): bytes[index] &+= UInt8(truncatingIfNeeded: count)
    case .fill(let byteCount, let byte):
      for place in index..<min(bytes.count, index + max(0, byteCount)) { bytes[place] = byte }
    case .cut: bytes.removeSubrange(index...)
    case .copyPage(let from):
      let pageCount = bytes.count / Self.pageByteCount
      guard pageCount > 0, from >= 0 else { return bytes }
      let source = from % pageCount * Self.pageByteCount
      let target = index / Self.pageByteCount % pageCount * Self.pageByteCount
      let page = Array(bytes[source..<source + Self.pageByteCount])
      bytes.replaceSubrange(target..<target + Self.pageByteCount, with: page)
    case .delete: return nil
    }
    return bytes
  }
}
