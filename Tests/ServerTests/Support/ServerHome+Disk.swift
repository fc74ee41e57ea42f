import Foundation
import Testing

/// A small disk in memory, which only root can mount.
extension ServerHome {
  /// Returns its directory.
  func smallDisk(megabytes: Int) async throws -> String {
    let path = try directory("disk")
    let outcome = try await run(
      ["mount", "-t", "tmpfs", "-o", "size=\(megabytes)m", "tmpfs", path])
    try #require(outcome.code == 0, "\(outcome.text)")
    keep(MountedDisk(path: path))
    return path
  }

  func growDisk(_ path: String, megabytes: Int) async throws {
    let outcome = try await run(["mount", "-o", "remount,size=\(megabytes)m", path])
    try #require(outcome.code == 0, "\(outcome.text)")
  }

  /// Unmounts a disk with its owner. The service may still have a file open there.
  private final class MountedDisk: Sendable {
    private let path: String

    init(path: String) { self.path = path }

    deinit { umount2(path, Int32(MNT_DETACH)) }
  }
}
