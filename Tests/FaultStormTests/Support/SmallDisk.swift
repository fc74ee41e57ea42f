import Foundation

/// A small disk in memory.
final class SmallDisk: Sendable {
  let path: String
  private let isOwn: Bool
  private var filler: String { path + "/filler" }

  /// nil, with a message, if it cannot be created.
  init?(at place: String? = nil, megabytes: Int, _ findings: Findings) {
    guard getuid() == 0 else {
      findings.say("skipped: only root can mount")
      return nil
    }
    guard let path = place ?? (try? StormHome.makeDirectory()) else { return nil }
    self.path = path
    isOwn = place == nil
    let isMounted = LoopImage.run("mount", "-t", "tmpfs", "-o", "size=\(megabytes)m", "tmpfs", path)
    guard isMounted else {
      findings.say("skipped: no tmpfs can be mounted here")
      return nil
    }
  }

  func grow(megabytes: Int) {
    LoopImage.run("mount", "-o", "remount,size=\(megabytes)m", path)
  }

  /// Writes until the disk is full.
  func fill() {
    LoopImage.run("sh", "-c", "cat /dev/zero > '\(filler)'")
  }

  func empty() { unlink(filler) }

  func close(endingServicesOf home: StormHome? = nil) {
    for id in home?.servicePIDs ?? [] { kill(id, SIGKILL) }
    _ = eventually(milliseconds: 10_000) { LoopImage.run("umount", path) }
    if isOwn { rmdir(path) }
  }
}
