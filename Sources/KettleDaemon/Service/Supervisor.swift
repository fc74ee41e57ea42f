import Dispatch
import Glibc
import KettleControl
import KettleEngine
import KettleModel
import KettleSystem
import Logging

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

  /// Returns nil if no supervisor started the service.
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

/// Reports the state of the service to its supervisor (sd_notify(3)). Without one nothing happens.
struct SupervisorChannel: Sendable {
  enum State: String, Sendable {
    case ready = "READY=1"
    case reloading = "RELOADING=1"
    case stopping = "STOPPING=1"
    case alive = "WATCHDOG=1"
  }

  private let address: String?

  init(_ supervisor: Supervisor?) { address = supervisor?.notifyAddress }

  /// Sends one message; a supervisor that is gone is ignored.
  func report(_ state: State) {
    guard let address else { return }
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    var bytes = Array(address.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: name.sun_path) else { return }
    // An at sign stands for the NUL of the abstract namespace.
    if bytes.first == UInt8(ascii: "@") { bytes[0] = 0 }
    withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: bytes) }
    let flags = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard let socket = OwnedDescriptor(opened: socket(AF_UNIX, flags, 0)) else { return }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
    let message = Array(state.rawValue.utf8)
    withUnsafePointer(to: &name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = sendto(
          socket.number, message, message.count, Int32(MSG_NOSIGNAL), $0, length)
      }
    }
  }
}

/// Tells the supervisor that the service is alive, as often as it asks for. A service whose engine
/// no longer answers falls silent, and is started again.
final class Watchdog: Sendable {
  // A dispatch source may be used from any thread (dispatch_source_create(3)).
  private nonisolated(unsafe) let timer: any DispatchSourceTimer

  /// Returns nil if no client watches.
  ///
  /// - Parameter check: returns when the engine has answered.
  init?(
    _ supervisor: Supervisor?, _ channel: SupervisorChannel,
    check: @escaping @Sendable () async -> Void
  ) {
    guard let microseconds = supervisor?.watchdogMicroseconds else { return nil }
    timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "kettle.watchdog"))
    let interval = DispatchTimeInterval.microseconds(Int(clamping: microseconds / 2))
    timer.schedule(deadline: .now(), repeating: interval, leeway: .seconds(1))
    timer.setEventHandler {
      Task(executorPreference: WorkerPool.tasks) {
        await check()
        channel.report(.alive)
      }
    }
    timer.activate()
  }

  func end() { timer.cancel() }
}

/// Writes log records to standard error as the journal expects them: a priority, and no time, which
/// the journal has itself (sd-daemon(3)).
struct JournalLogHandler: LogHandler {
  var metadata = Logger.Metadata()
  var logLevel = Logger.Level.info

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let all = metadata.merging(event.metadata ?? [:]) { _, new in new }
    let values = all.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
    let text = "\(event.message)\(values)".sanitizedForDisplay(limit: 4096)
    let line = Array("<\(Self.priority(of: event.level))>\(text)\n".utf8)
    write(STDERR_FILENO, line, line.count)
  }

  /// syslog(3)
  private static func priority(of level: Logger.Level) -> Int {
    switch level {
    case .critical: 2
    case .error: 3
    case .warning: 4
    case .notice: 5
    case .info: 6
    case .trace, .debug: 7
    }
  }
}
