import Glibc

extension SeededBody {
  /// How a file on disk differs from the body.
  package enum FileDifference: Hashable, Sendable {
    case unreadable(errno: Int32)
    case byteCount(Int64)
    case byte(at: Int64)
  }

  /// Reads the file in pieces of 1 MiB; nil if it is identical to the body.
  package func difference(fromFileAt path: String) -> FileDifference? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return .unreadable(errno: errno) }
    defer { close(file) }
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
    defer { piece.deallocate() }
    var offset: Int64 = 0
    while true {
      let count = read(file, piece.baseAddress, piece.count)
      if count < 0 { return .unreadable(errno: errno) }
      if count == 0 { return offset == byteCount ? nil : .byteCount(offset) }
      let bytes = UnsafeRawBufferPointer(rebasing: piece[..<count])
      if let wrong = firstDifference(in: bytes, at: offset) { return .byte(at: wrong) }
      offset += Int64(count)
    }
  }

  /// Whether the bytes in `range` of a file, complete or partial, match the body.
  package func matches(fileAt path: String, in range: Range<Int64>) -> Bool {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return false }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: range.count)
    var position = 0
    while position < bytes.count {
      let count = bytes.withUnsafeMutableBytes {
        pread(
          file, $0.baseAddress?.advanced(by: position), $0.count - position,
          off_t(range.lowerBound) + position)
      }
      if count <= 0 { return false }
      position += count
    }
    return bytes.withUnsafeBytes { firstDifference(in: $0, at: range.lowerBound) } == nil
  }
}
