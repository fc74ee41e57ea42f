import Dispatch
import Glibc

/// Tells when an entry leaves a directory, and when the directory itself does (inotify(7)).
final class DirectoryDepartures: Sendable {
  private let descriptor: Int32
  // A dispatch source may be used from any thread (dispatch_source_create(3)).
  private nonisolated(unsafe) let source: any DispatchSourceRead

  /// nil when the user has no instance left.
  init?(queue: DispatchQueue) {
    descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
    guard descriptor >= 0 else { return nil }
    source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
  }

  /// Called once. What leaves at one time is told once.
  func begin(_ observer: @escaping @Sendable () -> Void) {
    source.setEventHandler { [descriptor] in
      var buffer = [UInt8](repeating: 0, count: 4096)
      var count = 0
      // Which entry it was does not matter, because it only says when to look.
      repeat { count = read(descriptor, &buffer, buffer.count) } while count > 0
      observer()
    }
    source.setCancelHandler { [descriptor] in close(descriptor) }
    source.activate()
  }

  /// Watches the directory that is at the path; the one that was watched before as well, as long as
  /// it is there.
  func watch(_ path: String) {
    let events = IN_DELETE | IN_MOVED_FROM | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR
    inotify_add_watch(descriptor, path, UInt32(events))
  }

  func end() { source.cancel() }
}
