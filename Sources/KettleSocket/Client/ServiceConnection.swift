import KettleControl
import KettleStarter
import KettleSystem

/// A connection to the service over its socket.
///
/// Calls may overlap: each has a number, and its reply carries the same number.
package final class ServiceConnection: ServiceCalling {
  package let notifications: AsyncStream<ControlNotification>

  package var instance: String? { greeting.withLock { $0?.instance } }
  package var serviceVersion: String? { greeting.withLock { $0?.serviceVersion } }

  private let connection: ControlConnection
  private let greeting = Mutex<Hello.Result?>(nil)
  private let calls = PendingCalls()
  private let inbox = NotificationInbox()
  private let reader: Task<Void, Never>
  private let pulse = Mutex<Task<Void, Never>?>(nil)
  private let coder = RequestCoder()

  /// - Parameter reasonOfEnd: Finds out why the other side ended the connection; nil if that is not
  ///   known.
  private init(
    connection: ControlConnection,
    reasonOfEnd: @escaping @Sendable () async -> (any Error)? = { nil }
  ) {
    self.connection = connection
    let (calls, inbox) = (calls, inbox)
    notifications = AsyncStream {
      await inbox.next()
    } onCancel: {
      inbox.end()
    }
    reader = Task {
      await Self.read(connection, into: calls, and: inbox)
      if calls.endError == nil { calls.end(await reasonOfEnd() ?? ClientError.connectionLost) }
      inbox.end()
    }
  }

  deinit {
    reader.cancel()
    endPulse()
  }

  package func call<Method: ControlMethod>(
    _ method: Method.Type, _ params: Method.Params
  ) async throws -> Method.Result {
    try await send(method, params).answer()
  }

  package func send<Method: ControlMethod>(
    _ method: Method.Type, _ params: Method.Params
  ) async throws -> PendingReply<Method.Result> {
    let id = try calls.makeID()
    do {
      let line = try coder.encode(method, params, id: id)
      guard line.count <= LineDecoder.byteCountMaxFromClient else {
        throw ControlError(.invalidRequest, "line")
      }
      try await connection.send(line)
    } catch {
      calls.forget(id)
      guard error is ControlSocketError else { throw error }
      // The service's last message tells why it closed the connection.
      await reader.value
      throw calls.endError ?? ClientError.connectionLost
    }
    return PendingReply { [calls] in
      try await calls.answer(to: id).decode(Method.Result.self)
    }
  }

  package func close() async {
    endPulse()
    calls.end(ClientError.connectionLost)
    await connection.close()
    await reader.value
  }

  /// Reads what the service sends until either side closes the connection.
  private static func read(
    _ connection: ControlConnection, into calls: PendingCalls, and inbox: NotificationInbox
  ) async {
    let coder = ReplyCoder()
    do {
      reading: for try await line in connection.lines {
        calls.noteLine()
        switch coder.decode(line) {
        case .result(.number(let id), let result): calls.finish(id, .success(result))
        case .error(.number(let id)?, let error): calls.finish(id, .failure(error))
        case .error(nil, let error):
          // The service could not read one of the requests and cannot tell which.
          calls.end(error)
          break reading
        case .notification(let notification):
          inbox.enqueue(notification)
        case .unknownNotification: continue
        case .result, .error, .unreadable: break reading
        }
      }
    } catch {
      // A line exceeds the maximum, so the rest cannot be read either.
    }
    await connection.close()
  }
}

// MARK: - Connecting

extension ServiceConnection {
  /// Connects to the running service of this home and sends `hello`.
  package static func connect(
    paths: ServicePaths, clientName: String, isWatchedByPerson: Bool = false,
    helloBudget: Duration = ServiceStarter.helloBudget
  ) async throws(ClientError) -> ServiceConnection {
    for path in ServiceRecord.socketPaths(of: paths) {
      guard let connection = try await connection(at: path, of: paths) else { continue }
      let service = ServiceConnection(connection: connection)
      do {
        try await service.greet(
          as: clientName, isWatchedByPerson: isWatchedByPerson, within: helloBudget,
          isStarting: { ServiceRecord.read(at: paths.lockPath) == nil })
      } catch {
        throw clientError(error, address: paths.socketPath)
      }
      // Several homes may have one runtime directory.
      guard ServiceRecord.read(at: paths.lockPath)?.isOf(instance: service.instance) == true else {
        await service.close()
        continue
      }
      service.beginPulse(paths, clientName: clientName, helloBudget: helloBudget)
      return service
    }
    throw .notRunning(socketPath: paths.socketPath)
  }

  /// Sends `hello` over a connection made in another way. `address` names the service in errors;
  /// `reasonOfEnd` tells why the other side ended the connection, if that is known.
  package static func connect(
    over connection: ControlConnection, address: String, clientName: String,
    isWatchedByPerson: Bool, helloBudget: Duration,
    reasonOfEnd: @escaping @Sendable () async -> (any Error)?
  ) async throws(ClientError) -> ServiceConnection {
    let service = ServiceConnection(connection: connection, reasonOfEnd: reasonOfEnd)
    do {
      try await service.greet(
        as: clientName, isWatchedByPerson: isWatchedByPerson, within: helloBudget)
      return service
    } catch {
      throw clientError(error, address: address)
    }
  }

  /// Closes the connection unless the reply is the expected one.
  private func greet(
    as clientName: String, isWatchedByPerson: Bool, within budget: Duration,
    isStarting: @escaping @Sendable () -> Bool = { false }
  ) async throws {
    let limit = GreetingLimit(
      processID: connection.peerProcessID, budget: budget, isStarting: isStarting)
    let deadline = Task { [calls, connection] in
      await limit.wait()
      guard !Task.isCancelled else { return }
      calls.end(ClientError.notAnswering(processID: limit.processID))
      await connection.close()
    }
    defer { deadline.cancel() }
    do {
      let theirs = try await call(
        Hello.self,
        Hello.Params(client: clientName, isWatchedByPerson: isWatchedByPerson ? true : nil))
      guard theirs.protocolVersion == ProtocolVersion.current else {
        throw ControlError(.versionMismatch, String(theirs.protocolVersion))
      }
      greeting.withLock { $0 = theirs }
    } catch {
      await close()
      throw error
    }
  }

  /// Returns nil when nothing listens at the path.
  private static func connection(
    at path: String, of paths: ServicePaths
  ) async throws(ClientError) -> ControlConnection? {
    do throws(ControlSocketError) {
      return try await ControlConnection.connect(to: path)
    } catch {
      if case .notListening = error { return nil }
      // What is wrong with a recorded path says nothing about this service.
      guard path == paths.socketPath else { return nil }
      throw ClientError(error)
    }
  }

  private static func clientError(_ error: any Error, address: String) -> ClientError {
    switch error {
    case let error as ClientError: error
    case let error as ControlError where error.code == .versionMismatch:
      .versionMismatch(ours: ProtocolVersion.current, theirs: error.message)
    case let error as ControlError where error.code == .tooManyConnections:
      .tooManyConnections(count: error.message)
    case let error as ControlError where error.code == .stopping:
      // Treat it as not running.
      .notRunning(socketPath: address)
    default: .connectionLost
    }
  }
}

// MARK: - Silence

extension ServiceConnection {
  /// From now on the connection ends with `ClientError.notAnswering` when the service falls silent.
  private func beginPulse(_ paths: ServicePaths, clientName: String, helloBudget: Duration) {
    let pulse = ServicePulse(
      processID: connection.peerProcessID,
      progress: { [calls] in calls.progress },
      greets: { await Self.greets(paths, clientName: clientName, helloBudget: helloBudget) })
    let task = Task { [calls, connection] in
      guard await pulse.waitForSilence() else { return }
      calls.end(ClientError.notAnswering(processID: pulse.processID))
      await connection.close()
    }
    self.pulse.withLock { $0 = task }
  }

  /// Returns whether the service of this home answers on a new connection. One that refuses it, or
  /// has ended, is not silent.
  static func greets(
    _ paths: ServicePaths, clientName: String, helloBudget: Duration
  ) async -> Bool {
    do throws(ClientError) {
      let other = try await connect(
        paths: paths, clientName: clientName, helloBudget: helloBudget)
      await other.close()
      return true
    } catch {
      if case .notAnswering = error { return false }
      return true
    }
  }

  private func endPulse() { pulse.withLock { $0.take() }?.cancel() }
}
