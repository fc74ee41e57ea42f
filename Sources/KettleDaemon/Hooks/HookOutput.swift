import Glibc
import KettleModel
import KettleSystem

/// The file for what the program of a hook prints. It has no name, so it disappears with the last
/// process that has it open.
final class HookOutput: Sendable {
  private let file: OwnedDescriptor

  private static let tailByteCountMax = 4096
  private static let lineCountMax = 20

  /// Returns nil if the file cannot be created; `errno` has the reason.
  ///
  /// - Parameter path: a name that no other program uses.
  init?(path: String) {
    // A service that ended between the two calls left it.
    unlink(path)
    let flags = O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW
    guard let opened = OwnedDescriptor(opened: open(path, flags, 0o600)) else { return nil }
    unlink(path)
    guard let file = ProcessSpawn.highDescriptor(opened) else { return nil }
    self.file = file
  }

  var number: Int32 { file.number }

  /// Returns the last lines, for display; none if the program printed nothing.
  func lastLines() -> [String] {
    var status = stat()
    guard fstat(file.number, &status) == 0, status.st_size > 0 else { return [] }
    let start = max(0, status.st_size - off_t(Self.tailByteCountMax))
    var bytes = [UInt8](repeating: 0, count: Self.tailByteCountMax)
    let count = pread(file.number, &bytes, bytes.count, start)
    guard count > 0 else { return [] }
    return bytes.prefix(count).split { $0 == 10 || $0 == 13 }.suffix(Self.lineCountMax)
      .map { line in
        String(decoding: line, as: UTF8.self).trimmingBlanks()
          .sanitizedForDisplay(limit: HookEnd.lineLengthMax)
      }
      .filter { !$0.isEmpty }
  }
}
