import Glibc
import KettleControl
import KettleSystem

/// What a supervisor such as systemd passes to a service that it starts.
package struct Supervisor: Sendable, Hashable {
  /// The number of the listening socket (sd_listen_fds(3)); nil if the service makes its own.
  package let socketDescriptor: Int32?
  /// Where changes of the service's state are reported (sd_notify(3)).
  package let notifyAddress: String?
  /// The supervisor ends a service that is silent for longer (sd_watchdog_enabled(3)).
  package let watchdogMicroseconds: Int64?
  /// Whether standard error leads to the journal (systemd.exec(5), `JOURNAL_STREAM`).
  package let hasJournal: Bool

  /// The first descriptor that is passed (SD_LISTEN_FDS_START).
  private static let firstDescriptor: Int32 = 3

  /// Returns nil for a service that was started in another way.
  package init?(environment: [String: String], processID: Int32 = getpid()) {
    func number(_ name: String) -> Int64? { environment[name].flatMap { Int64($0) } }
    let isForUs = number("LISTEN_PID") == Int64(processID)
    socketDescriptor =
      isForUs && number("LISTEN_FDS") == 1 ? Self.firstDescriptor : nil
    notifyAddress = environment["NOTIFY_SOCKET"].flatMap { $0.isEmpty ? nil : $0 }
    let watched = number("WATCHDOG_PID") ?? Int64(processID)
    let microseconds = number("WATCHDOG_USEC") ?? 0
    watchdogMicroseconds =
      watched == Int64(processID) && microseconds > 0 ? microseconds : nil
    hasJournal = Self.isStandardError(environment["JOURNAL_STREAM"])
    if socketDescriptor == nil, notifyAddress == nil, !hasJournal { return nil }
  }

  /// Whether standard error is the stream with this device and inode.
  private static func isStandardError(_ stream: String?) -> Bool {
    let parts = stream?.split(separator: ":").compactMap { UInt64($0) } ?? []
    var status = stat()
    guard parts.count == 2, fstat(STDERR_FILENO, &status) == 0 else { return false }
    return UInt64(status.st_dev) == parts[0] && UInt64(status.st_ino) == parts[1]
  }

  /// The variables that are meant for the service alone, and not for programs that it starts.
  static let variables: Set<String> = [
    "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "NOTIFY_SOCKET", "WATCHDOG_PID",
    "WATCHDOG_USEC", "JOURNAL_STREAM", "INVOCATION_ID", "MAINPID", "MANAGERPID",
  ]
}

extension ServiceStart {
  /// - Parameter supervisor: nil for a service that a command started.
  init(_ supervisor: Supervisor?) {
    self = supervisor == nil ? .byCommand : .bySystemd(lingers: Self.userLingers)
  }

  /// Whether the manager of this user, and its services with it, goes on after the last logout
  /// (loginctl(1), `enable-linger`).
  private static var userLingers: Bool {
    guard let name = getpwuid(geteuid())?.pointee.pw_name else { return false }
    return access("/var/lib/systemd/linger/" + String(cString: name), F_OK) == 0
  }
}
