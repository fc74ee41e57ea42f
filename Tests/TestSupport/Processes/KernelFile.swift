import Glibc

/// A file that the kernel makes while it is read, as those of proc(5).
///
/// The kernel gives it in pieces, of a page or less, and only a read(2) of nothing is its end.
/// Foundation takes a short piece for the end, so of a long table it sees the beginning alone.
package enum KernelFile {
  /// Empty when it cannot be opened.
  package static func bytes(_ path: String) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    var all: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let byteCount = read(descriptor, &piece, piece.count)
      if byteCount < 0, errno == EINTR { continue }
      guard byteCount > 0 else { return all }
      all += piece.prefix(byteCount)
    }
  }

  /// Empty when it cannot be opened.
  package static func text(_ path: String) -> String {
    String(decoding: bytes(path), as: UTF8.self)
  }
}
