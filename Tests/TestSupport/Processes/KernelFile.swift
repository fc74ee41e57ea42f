import Glibc

/// A file that the kernel generates while it is read, like those of proc(5).
///
/// The kernel returns it in pieces of a page or less, and only a read(2) of zero bytes is its end.
/// Foundation treats a short read as the end, so it reads only the beginning of a long table.
package enum KernelFile {
  /// Empty if it cannot be opened.
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

  /// Empty if it cannot be opened.
  package static func text(_ path: String) -> String {
    String(decoding: bytes(path), as: UTF8.self)
  }
}
