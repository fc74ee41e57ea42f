import Dispatch
import Glibc
import KettleSystem

/// Tells when an entry leaves a directory, and when the directory itself does (inotify(7)).
final class DirectoryDepartures: Sendable {
  private let inotify: SharedDescriptor
  // A dispatch source may be used from any thread (dispatch_source_create(3)).
  private nonisolated(unsafe) let source: any DispatchSourceRead

  /// nil when the user has no instance left.
  init?(queue: DispatchQueue) {
    guard let owner = OwnedDescriptor(opened: inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK)))
    else { return nil }
    inotify = SharedDescriptor(owner)
    source = DispatchSource.makeReadSource(fileDescriptor: inotify.number, queue: queue)
  }

  /// Called once. What leaves at one time is told once.
  func begin(_ observer: @escaping @Sendable () -> Void) {
    source.setEventHandler { [inotify] in
      var buffer = [UInt8](repeating: 0, count: 4096)
      var count = 0
      // Which entry it was does not matter, because it only says when to look.
      repeat { count = read(inotify.number, &buffer, buffer.count) } while count > 0
      observer()
    }
    // The descriptor must stay open until the source is done with it.
    source.setCancelHandler { [inotify] in withExtendedLifetime(inotify) {} }
    source.activate()
  }

  /// Watches the directory that is at the path; the one that was watched before as well, as long as
  /// it is there.
  func watch(_ path: String) {
    let events = IN_DELETE | IN_MOVED_FROM | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR
    inotify_add_watch(inotify.number, path, UInt32(events))
  }

  func end() { source.cancel() }
}
