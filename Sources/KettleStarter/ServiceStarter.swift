import CKettleLinux
import Glibc
import KettleControl
import KettleModel
import KettleSystem

/// Connects to the service and starts it when none is running.
///
/// The functions here work on the calling thread: a program may occupy all threads of the task pool
/// while it waits for the service. `KettleSocket` adds those that suspend.
package struct ServiceStarter: Sendable {
  package var paths: ServicePaths
  package var clientName: String
  /// Whether this client notifies the person, so that the service does not have to.
  package var isWatchedByPerson = false
  /// Absolute path of the program that becomes the service when run with `arguments`.
  package var executablePath: String
  /// The arguments that make the program the service; `--ready-fd` and its number follow.
  package var arguments = ["daemon", "run"]
  /// The environment of the service; nil is that of this process.
  package var environment: [String: String]?
  /// The time limit for everything together.
  package var budget: Duration = .seconds(30)
  /// How long the service may take to answer the first message. Connecting to a stopped or hanging
  /// service still succeeds, because the kernel accepts the connection.
  package var helloBudget = Self.helloBudget
  package static let helloBudget = Duration.seconds(4)
  /// How long to retry while the service has too many connections. Most of them belong to commands,
  /// which end within moments.
  package var crowdBudget: Duration = .seconds(3)

  package init(
    paths: ServicePaths, clientName: String,
    executablePath: String = ServiceProcess.ownExecutablePath()
  ) {
    self.paths = paths
    self.clientName = clientName
    self.executablePath = executablePath
  }

  /// Returns nil while another program starts the service. Creates no directory if the service's
  /// program is missing.
  package func acquireStartLock() throws(ClientError) -> ServiceLock? {
    try paths.checkOwner()
    guard access(executablePath, X_OK) == 0 else {
      throw ServiceProcess.cannotRun(self, code: errno)
    }
    do throws(ControlSocketError) {
      return try ServiceLock.acquire(at: paths.startLockPath)
    } catch {
      throw ClientError(error)
    }
  }

  /// Opens a socket to the service on the calling thread, and starts the service first when nothing
  /// answers. The socket is non-blocking, and nothing has been sent on it.
  package func openSocket() throws(ClientError) -> OwnedDescriptor {
    let deadline = ContinuousClock.now + budget
    var detail = ServiceProcess.Readiness.timedOut.detail(budget: budget)
    var pauseMilliseconds: Int32 = 5
    while true {
      if let socket = try openSocketIfRunning() { return socket }
      guard ContinuousClock.now < deadline else { break }
      if let turn = try acquireStartLock() {
        defer { withExtendedLifetime(turn) {} }
        if let socket = try openSocketIfRunning() { return socket }
        let process = try ServiceProcess.start(self)
        let readiness = process.readinessBlocking(within: deadline - .now)
        detail = process.detail(readiness, budget: budget)
        if let socket = try openSocket(until: min(deadline, .now + readiness.patience)) {
          return socket
        }
        if case .ended(let status) = readiness, !ServiceProcess.isLostRace(status) { break }
      } else {
        // No event reports that another program's service now listens, so poll.
        poll(nil, 0, pauseMilliseconds)
        pauseMilliseconds = min(pauseMilliseconds * 2, 200)
      }
    }
    throw .didNotStart(detail: detail, logPath: paths.logPath)
  }

  /// Tries to open a socket at least once. Returns nil when the time is over.
  private func openSocket(
    until deadline: ContinuousClock.Instant
  ) throws(ClientError) -> OwnedDescriptor? {
    while true {
      if let socket = try openSocketIfRunning() { return socket }
      guard ContinuousClock.now < deadline else { return nil }
      poll(nil, 0, 20)
    }
  }

  /// Returns nil when the service of this home answers neither at the usual path nor at the one
  /// that it recorded.
  package func openSocketIfRunning() throws(ClientError) -> OwnedDescriptor? {
    let greeting = ServiceGreeting(clientName: clientName, budget: helloBudget)
    for path in ServiceRecord.socketPaths(of: paths) {
      guard try greeting.isAnswered(at: path, byServiceOf: paths.lockPath) else { continue }
      if let socket = try openSocket(at: path) { return socket }
    }
    return nil
  }

  private func openSocket(at path: String) throws(ClientError) -> OwnedDescriptor? {
    do throws(ControlSocketError) {
      return try SocketAddressUnix.connectedSocket(path)
    } catch {
      if case .notListening = error { return nil }
      // What is wrong with a recorded path says nothing about this service.
      guard path == paths.socketPath else { return nil }
      throw ClientError(error)
    }
  }
}

extension ServiceProcess.Readiness {
  /// How long to keep trying to connect after this result.
  package var patience: Duration {
    switch self {
    // The socket was listening before the service reported that it was ready.
    case .ready: .seconds(5)
    // The winner, started by other means, may not be listening yet. More often it is a service that
    // is just ending, and the next round starts another.
    case .ended(let status): ServiceProcess.isLostRace(status) ? .milliseconds(250) : .zero
    case .timedOut: .zero
    }
  }

  package func detail(budget: Duration) -> String {
    switch self {
    case .ready: "it was ready but does not respond"
    case .ended(let status?) where status & 0x7F != 0: "it was killed by signal \(status & 0x7F)"
    case .ended(let status?): "it exited with status \(status >> 8 & 0xFF)"
    case .ended(nil): "it exited before it was ready"
    case .timedOut: "it was not ready within \(budget.components.seconds) s"
    }
  }
}

/// Asks the service at a path which one it is, on a connection of its own and on the calling
/// thread.
struct ServiceGreeting {
  let clientName: String
  let budget: Duration
  private static let startBudget = Duration.seconds(30)

  /// Returns whether the service is the one that the record at `lockPath` names. A reply that does
  /// not tell, such as a refusal, counts as yes: the caller's own greeting gets the same.
  ///
  /// Throws `ClientError.notAnswering` when no reply arrives in time.
  func isAnswered(at path: String, byServiceOf lockPath: String) throws(ClientError) -> Bool {
    let socket: OwnedDescriptor
    do throws(ControlSocketError) {
      socket = try SocketAddressUnix.connectedSocket(path)
    } catch {
      // None listens, it is just ending, or has a full backlog; the caller notices too.
      return true
    }
    let coder = RequestCoder()
    guard let request = try? coder.encode(Hello.self, Hello.Params(client: clientName), id: 1),
      let line = try line(after: request + [UInt8(ascii: "\n")], over: socket, lockPath),
      case .result(_, let result) = ReplyCoder().decode(line),
      let reply = try? result.decode(Hello.Result.self),
      reply.protocolVersion == ProtocolVersion.current
    else { return true }
    return ServiceRecord.read(at: lockPath)?.isOf(instance: reply.instance) ?? false
  }

  /// Sends the request and returns the first line of the reply; nil when the connection ends.
  private func line(
    after request: [UInt8], over socket: borrowing OwnedDescriptor, _ lockPath: String
  ) throws(ClientError) -> [UInt8]? {
    guard send(socket.number, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
      return nil
    }
    // A socket of systemd accepts clients while the service is started, which may take long.
    let isStarting = ServiceRecord.read(at: lockPath) == nil
    let deadline = ContinuousClock.now + (isStarting ? Self.startBudget : budget)
    var lines: [[UInt8]] = []
    var decoder = LineDecoder(byteCountMax: 64 * 1024)
    var piece = [UInt8](repeating: 0, count: 4096)
    while lines.isEmpty {
      var entry = pollfd(fd: socket.number, events: Int16(POLLIN), revents: 0)
      let left = max(.zero, deadline - .now)
      let ready = poll(&entry, 1, left.pollMilliseconds)
      if ready == -1, errno == EINTR { continue }
      guard ready > 0 else {
        throw .notAnswering(processID: SocketAddressUnix.peerProcessID(of: socket.number))
      }
      let count = recv(socket.number, &piece, piece.count, 0)
      if count == -1, errno == EINTR || errno == EAGAIN { continue }
      guard count > 0,
        (try? decoder.decode(piece.span.extracting(first: count), into: &lines)) != nil
      else { return nil }
    }
    return lines.first
  }
}

/// The process that has the lock of a service, and is therefore the service, whatever it speaks and
/// however it was started.
package final class ServiceHolder: Sendable {
  package let processID: Int64
  private let process: OwnedDescriptor

  /// Finds the process that has the lock at this path. Returns nil if none has it, or the kernel
  /// does not say which.
  package init?(ofLock path: String) {
    guard let number = Self.holder(of: path),
      let process = OwnedDescriptor(opened: kettle_pidfd_open(number)),
      // Until the descriptor was open, the number may have become another process's.
      Self.holder(of: path) == number
    else { return nil }
    processID = Int64(number)
    self.process = process
  }

  /// Whether the process has ended: its descriptor is readable then (pidfd_open(2)).
  package var hasEnded: Bool {
    var waited = pollfd(fd: process.number, events: Int16(POLLIN), revents: 0)
    return SystemCall.retrying { poll(&waited, 1, 0) } == 1
  }

  /// Asks the process to end, as a service manager would. Returns whether it could be asked.
  package func terminate() -> Bool { kettle_pidfd_send_signal(process.number, SIGTERM) == 0 }

  /// Returns the number of the process that has locked a file (flock(2)), by the list of the kernel
  /// (proc_locks(5)). The list names an inode; that the process has this file open shows that it is
  /// not one of another disk.
  private static func holder(of path: String) -> pid_t? {
    guard let file = SystemCall.status(ofName: path),
      case .bytes(let bytes) = FileContents.read(path: "/proc/locks", byteCountMax: 4 << 20)
    else { return nil }
    let inode = ":\(file.st_ino)"
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
      // 1: FLOCK ADVISORY WRITE 4711 08:01:131 0 EOF
      let words = line.split(separator: " ")
      guard words.count >= 6, words[1] == "FLOCK", words[5].hasSuffix(inode),
        let number = pid_t(words[4]), number > 0, number != getpid(), has(file, open: number)
      else { continue }
      return number
    }
    return nil
  }

  private static func has(_ file: stat, open number: pid_t) -> Bool {
    let directory = "/proc/\(number)/fd"
    guard let listing = opendir(directory) else { return false }
    defer { closedir(listing) }
    while let entry = readdir(listing) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      var status = stat()
      if stat(directory + "/" + name, &status) == 0, status.st_dev == file.st_dev,
        status.st_ino == file.st_ino
      {
        return true
      }
    }
    return false
  }
}
