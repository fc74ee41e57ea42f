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
