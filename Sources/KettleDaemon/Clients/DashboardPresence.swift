import Glibc
import KettleModel
import KettleSystem

/// Which clients are dashboards, and when the last one was open. That time is the modification time
/// of a file, so it survives the service.
final class DashboardPresence: Sendable {
  private struct State: Sendable {
    var clients: Set<ClientID> = []
    /// nil if none was ever open.
    var lastOpen: WallTime?
  }

  private let path: String
  private let now: @Sendable () -> WallTime
  private let state: Mutex<State>

  /// - Parameter path: the file; without it the time is remembered until the service ends.
  init(path: String, now: @escaping @Sendable () -> WallTime) {
    self.path = path
    self.now = now
    state = Mutex(State(lastOpen: Self.modificationTime(of: path)))
  }

  /// Counts a client as a dashboard. Returns when the last one was open; nil if none ever was, or
  /// one is open now.
  func enter(_ id: ClientID) -> WallTime? {
    state.withLock { state in
      guard state.clients.insert(id).inserted, state.clients.count == 1 else { return nil }
      let lastOpen = state.lastOpen
      record(in: &state)
      return lastOpen
    }
  }

  /// Called one or more times when a client has left, whether or not it is a dashboard.
  func leave(_ id: ClientID) {
    state.withLock { state in
      guard state.clients.remove(id) != nil, state.clients.isEmpty else { return }
      record(in: &state)
    }
  }

  private func record(in state: inout State) {
    let time = now()
    state.lastOpen = time
    let flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
    guard let file = OwnedDescriptor(opened: open(path, flags, 0o600)) else { return }
    let (seconds, rest) = time.millisecondsSince1970.quotientAndRemainder(dividingBy: 1000)
    let stamp = timespec(tv_sec: Int(seconds), tv_nsec: Int(rest) * 1_000_000)
    futimens(file.number, [stamp, stamp])
  }

  private static func modificationTime(of path: String) -> WallTime? {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    // A file system can return any time.
    let (seconds, overflow) = Int64(status.st_mtim.tv_sec).multipliedReportingOverflow(by: 1000)
    if overflow { return nil }
    return WallTime(millisecondsSince1970: seconds)
      .advanced(byMilliseconds: Int64(status.st_mtim.tv_nsec) / 1_000_000)
  }
}
