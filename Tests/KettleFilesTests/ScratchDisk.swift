import Glibc
import Testing

/// A small disk in memory, mounted for one test; this requires root.
final class ScratchDisk: Sendable {
  /// Whether this process may mount at all; root in a container often may not.
  static let isPossible: Bool = (try? ScratchDisk("size=64k")) != nil

  let path: String
  private let scratch: ScratchDirectory

  /// - Parameter options: of tmpfs(5), for example `size=1m`.
  init(_ options: String) throws {
    scratch = try ScratchDirectory()
    path = scratch.path + "/disk"
    try #require(mkdir(path, 0o755) == 0)
    guard mount("kettle-test", path, "tmpfs", 0, options) == 0 else { throw NoDisk() }
  }

  deinit { unmount() }

  /// Removes the disk, as if it were unplugged while files are open.
  func unmount() { umount2(path, Int32(MNT_DETACH)) }

  func makeReadOnly() -> Bool {
    mount("kettle-test", path, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), nil) == 0
  }

  /// Mounts another, empty disk over this one.
  func cover() -> Bool { mount("kettle-test", path, "tmpfs", 0, "size=64k") == 0 }

  private struct NoDisk: Error {}
}
