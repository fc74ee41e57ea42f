import KettleControl
import KettleStarter

/// A connection to the service. Commands and the dashboard use this protocol, so that a test can
/// answer in memory.
package protocol ServiceCalling: Sendable {
  /// Sends a request and waits for the answer. Throws `ControlError` when the service refuses it,
  /// `ClientError` when the service cannot be reached.
  func call<Method: ControlMethod>(
    _ method: Method.Type, _ params: Method.Params
  ) async throws -> Method.Result

  /// Sends a request without waiting for the answer, so that requests can be pipelined. Answers
  /// arrive in request order.
  func send<Method: ControlMethod>(
    _ method: Method.Type, _ params: Method.Params
  ) async throws -> PendingReply<Method.Result>

  /// The notifications of this connection, in order; ends with the connection. There is one reader.
  var notifications: AsyncStream<ControlNotification> { get }

  /// Identifies one run of the service; nil when the service is too old to send it.
  var instance: String? { get }

  /// The version of the service's program; nil if it is not known.
  var serviceVersion: String? { get }

  func close() async
}

extension ServiceCalling {
  package var serviceVersion: String? { nil }

  /// Waits for the answer before it returns; for implementations that do not pipeline.
  package func send<Method: ControlMethod>(
    _ method: Method.Type, _ params: Method.Params
  ) async throws -> PendingReply<Method.Result> {
    do {
      let result = try await call(method, params)
      return PendingReply { result }
    } catch {
      return PendingReply { throw error }
    }
  }
}

/// A request in flight.
package struct PendingReply<Answer: Sendable>: Sendable {
  private let wait: @Sendable () async throws -> Answer

  package init(_ wait: @escaping @Sendable () async throws -> Answer) { self.wait = wait }

  /// Waits for the answer; call it once. Throws what `ServiceCalling.call` throws.
  package func answer() async throws -> Answer { try await wait() }

  package func map<Other: Sendable>(
    _ change: @escaping @Sendable (Answer) throws -> Other
  ) -> PendingReply<Other> {
    PendingReply<Other> { [wait] in try change(try await wait()) }
  }
}

/// Connects without blocking a thread.
extension ServiceStarter {
  /// Connects; starts the service first when nothing answers and `startingIfNeeded` is set.
  ///
  /// Many programs may do this at once: the start lock lets one of them start the service, and all
  /// connect to that one.
  package func connect(startingIfNeeded: Bool) async throws(ClientError) -> ServiceConnection {
    guard startingIfNeeded else {
      return try await connectWhenNotCrowded()
    }
    let deadline = ContinuousClock.now + budget
    var detail = ServiceProcess.Readiness.timedOut.detail(budget: budget)
    var pause = Duration.milliseconds(5)
    while true {
      if let service = try await connectIfRunning() { return service }
      let next = ContinuousClock.now + pause
      guard next < deadline else { break }
      if let turn = try acquireStartLock() {
        defer { withExtendedLifetime(turn) {} }
        // Another program may have started it since.
        if let service = try await connectIfRunning() { return service }
        let process = try ServiceProcess.start(self)
        let readiness = await process.readiness(within: deadline - .now)
        detail = process.detail(readiness, budget: budget)
        let patience = min(deadline, .now + readiness.patience)
        if let service = try await connect(until: patience) { return service }
        if case .ended(let status) = readiness, !ServiceProcess.isLostRace(status) { break }
      } else {
        // No event reports that another program's service now listens, so poll.
        do { try await Task.sleep(until: next, clock: .continuous) } catch { break }
        pause = min(pause * 2, .milliseconds(200))
      }
    }
    throw .didNotStart(detail: detail, logPath: paths.logPath)
  }

  /// Tries to connect at least once, with growing pauses. Returns nil when the time is over.
  private func connect(
    until deadline: ContinuousClock.Instant
  ) async throws(ClientError) -> ServiceConnection? {
    var pause = Duration.milliseconds(5)
    while true {
      if let service = try await connectIfRunning() { return service }
      let next = ContinuousClock.now + pause
      guard next < deadline else { return nil }
      // No event reports that another process now listens, so poll.
      do { try await Task.sleep(until: next, clock: .continuous) } catch { return nil }
      pause = min(pause * 2, .milliseconds(200))
    }
  }

  /// Connects to a running service, and retries within `crowdBudget` while it has too many
  /// connections.
  private func connectWhenNotCrowded() async throws(ClientError) -> ServiceConnection {
    let deadline = ContinuousClock.now + crowdBudget
    var pause = Duration.milliseconds(20)
    while true {
      do throws(ClientError) {
        return try await ServiceConnection.connect(
          paths: paths, clientName: clientName, isWatchedByPerson: isWatchedByPerson,
          helloBudget: helloBudget)
      } catch let failure {
        guard case .tooManyConnections = failure else { throw failure }
        let next = ContinuousClock.now + pause
        guard next < deadline else { throw failure }
        do { try await Task.sleep(until: next, clock: .continuous) } catch { throw failure }
        pause = min(pause * 2, .milliseconds(200))
      }
    }
  }

  /// A service that ends or is killed between accepting the connection and answering `hello` counts
  /// as not running.
  private func connectIfRunning() async throws(ClientError) -> ServiceConnection? {
    do throws(ClientError) {
      return try await connectWhenNotCrowded()
    } catch {
      switch error {
      case .notRunning, .connectionLost: return nil
      case .didNotStart, .notAnswering, .foreignHome, .cannotCreateDirectory, .foreignSocket,
        .unsafeDirectory, .versionMismatch, .tooManyConnections,
        .socketPathTooLong:
        throw error
      }
    }
  }
}
