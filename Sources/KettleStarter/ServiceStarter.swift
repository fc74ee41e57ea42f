import Glibc
import KettleControl
import KettleSystem

/// Connects to the service and starts it when none is running.
///
/// The functions here work on the calling thread: a program may occupy all threads of the task pool
/// while it waits for the service. `KettleClient` adds those that suspend.
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

  /// Returns nil while another program starts the service.
  package func acquireStartLock() throws(ClientError) -> ServiceLock? {
    try paths.checkOwner()
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
        let readiness = try ServiceProcess.start(self).readinessBlocking(within: deadline - .now)
        detail = readiness.detail(budget: budget)
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
