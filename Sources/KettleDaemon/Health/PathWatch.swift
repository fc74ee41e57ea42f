import Dispatch
import Glibc
import KettleSystem

/// Notifies when something happens to watched files and directories (inotify(7)).
final class PathWatch: Sendable {
  private let inotify: SharedDescriptor
  // A dispatch source may be used from any thread (dispatch_source_create(3)).
  private nonisolated(unsafe) let source: any DispatchSourceRead

  /// Returns nil when the user has no inotify instance left.
  init?(queue: DispatchQueue) {
    guard let owner = OwnedDescriptor(opened: inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK)))
    else { return nil }
    inotify = SharedDescriptor(owner)
    source = DispatchSource.makeReadSource(fileDescriptor: inotify.number, queue: queue)
  }

  /// Starts the watch. Called once. Simultaneous events cause one notification.
  func start(_ observer: @escaping @Sendable () -> Void) {
    source.setEventHandler { [inotify] in
      var buffer = [UInt8](repeating: 0, count: 4096)
      var count = 0
      // Which one it was does not matter; the event only triggers a check.
      repeat { count = read(inotify.number, &buffer, buffer.count) } while count > 0
      observer()
    }
    // The descriptor must stay open until the source has finished with it.
    source.setCancelHandler { [inotify] in withExtendedLifetime(inotify) {} }
    source.activate()
  }

  /// Watches for the removal of entries and of the directory itself. A previously watched directory
  /// stays watched while it exists.
  func watchRemovals(from path: String) {
    let events = IN_DELETE | IN_MOVED_FROM | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR
    inotify_add_watch(inotify.number, path, UInt32(events))
  }

  /// Watches for changes of which entries the directory has.
  func watchEntries(of path: String) {
    let events = IN_CREATE | IN_MOVED_TO | IN_DELETE | IN_MOVED_FROM | IN_CLOSE_WRITE | IN_ONLYDIR
    inotify_add_watch(inotify.number, path, UInt32(events))
  }

  /// Watches for programs that open the file at the path.
  func watchOpening(of path: String) { inotify_add_watch(inotify.number, path, UInt32(IN_OPEN)) }

  func end() { source.cancel() }
}

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
