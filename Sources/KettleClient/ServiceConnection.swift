import KettleControl
import KettleSocket
import KettleStarter
import KettleSystem

/// A connection to the service over its socket.
///
/// Calls may overlap: each has a number, and its reply carries the same number.
package final class ServiceConnection: ServiceCalling {
  package let notifications: AsyncStream<ControlNotification>

  package var instance: String? { greeting.withLock { $0 } }

  private let connection: ControlConnection
  private let greeting = Mutex<String?>(nil)
  private let calls = PendingCalls()
  private let inbox = NotificationInbox()
  private let reader: Task<Void, Never>
  private let coder = RequestCoder()

  private init(connection: ControlConnection) {
    self.connection = connection
    let (calls, inbox) = (calls, inbox)
    notifications = AsyncStream {
      await inbox.next()
    } onCancel: {
      inbox.end()
    }
    reader = Task { await Self.read(connection, into: calls, and: inbox) }
  }

  deinit { reader.cancel() }

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
    calls.end(ClientError.connectionLost)
    inbox.end()
  }
}

extension ServiceConnection {
  /// How long the service may take to answer the first message. Connecting to a stopped or hanging
  /// service still succeeds, because the kernel accepts the connection.
  package static let helloBudget: Duration = .seconds(10)

  /// Connects to the running service and sends `hello`.
  package static func connect(
    paths: ServicePaths, clientName: String, isWatchedByPerson: Bool = false,
    helloBudget: Duration = helloBudget
  ) async throws(ClientError) -> ServiceConnection {
    let service = ServiceConnection(connection: try await connectSocket(paths))
    do {
      try await service.greet(
        as: clientName, isWatchedByPerson: isWatchedByPerson, within: helloBudget)
      return service
    } catch {
      throw clientError(error, address: paths.socketPath)
    }
  }

  /// Sends `hello` over a connection made in another way. `address` names the service in errors.
  package static func connect(
    over connection: ControlConnection, address: String, clientName: String,
    isWatchedByPerson: Bool, helloBudget: Duration
  ) async throws(ClientError) -> ServiceConnection {
    let service = ServiceConnection(connection: connection)
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
    as clientName: String, isWatchedByPerson: Bool, within budget: Duration
  ) async throws {
    let deadline = connection.close(after: budget)
    defer { deadline.cancel() }
    do {
      let theirs = try await call(
        Hello.self,
        Hello.Params(client: clientName, isWatchedByPerson: isWatchedByPerson ? true : nil))
      guard theirs.protocolVersion == ProtocolVersion.current else {
        throw ControlError(.versionMismatch, String(theirs.protocolVersion))
      }
      greeting.withLock { $0 = theirs.instance }
    } catch {
      await close()
      throw error
    }
  }

  /// Connects at the usual path, else at the path that the service recorded.
  private static func connectSocket(
    _ paths: ServicePaths
  ) async throws(ClientError) -> ControlConnection {
    do throws(ControlSocketError) {
      return try await ControlConnection.connect(to: paths.socketPath)
    } catch ControlSocketError.notListening {
      guard let recorded = ServiceLock.recordedSocketPath(at: paths.lockPath),
        recorded != paths.socketPath,
        let connection = try? await ControlConnection.connect(to: recorded)
      else { throw .notRunning(socketPath: paths.socketPath) }
      return connection
    } catch {
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
