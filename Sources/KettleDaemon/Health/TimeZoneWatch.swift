import Dispatch
import Glibc
import KettleSystem

/// Notifies when the machine gets another time zone: `/etc/localtime` is replaced (localtime(5)).
final class TimeZoneWatch: Sendable {
  /// The file that the zone is in, as far as a change of the zone changes it.
  private struct Zone: Hashable, Sendable {
    var device: UInt64 = 0
    var inode: UInt64 = 0
    var modifiedSeconds: Int = 0

    init(path: String) {
      var status = stat()
      guard stat(path, &status) == 0 else { return }
      device = UInt64(status.st_dev)
      inode = UInt64(status.st_ino)
      modifiedSeconds = status.st_mtim.tv_sec
    }
  }

  private let watch: PathWatch

  /// Returns nil when the zone cannot change, because the variable TZ names it, and when changes
  /// cannot be watched.
  init?(
    environment: [String: String], path: String = "/etc/localtime",
    changed: @escaping @Sendable () -> Void
  ) {
    guard environment["TZ"] == nil,
      let watch = PathWatch(queue: DispatchQueue(label: "kettle.zone"))
    else { return nil }
    self.watch = watch
    let last = Mutex(Zone(path: path))
    watch.start {
      let zone = Zone(path: path)
      let isNew = last.withLock { last in
        defer { last = zone }
        return last != zone
      }
      if isNew { changed() }
    }
    watch.watchEntries(of: String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]))
  }

  func end() { watch.end() }
}
