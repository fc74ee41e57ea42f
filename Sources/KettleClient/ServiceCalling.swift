import KettleControl

/// A conversation with the service: what commands and dashboard are written against, so that a
/// test can answer in memory.
package protocol ServiceCalling: Sendable {
  /// Asks and waits for the answer. Throws `ControlError` when the service says no, `ClientError`
  /// when it cannot be asked.
  func call<Method: ControlMethod>(
    _ method: Method.Type, _ params: Method.Params
  ) async throws -> Method.Result

  /// Asks without waiting for the answer: what is asked next may be on its way while this is
  /// answered. Requests are answered in the order in which they were asked.
  func ask<Method: ControlMethod>(
    _ method: Method.Type, _ params: Method.Params
  ) async throws -> AskedRequest<Method.Result>

  /// What the service says by itself on this connection, in order; ends when the connection ends.
  /// There is one reader.
  var notifications: AsyncStream<ControlNotification> { get }

  /// Which start of the service this is; nil when it is too old to say.
  var instance: String? { get }

  func close() async
}

extension ServiceCalling {
  /// Has the answer before it returns: for those who have no requests under way.
  package func ask<Method: ControlMethod>(
    _ method: Method.Type, _ params: Method.Params
  ) async throws -> AskedRequest<Method.Result> {
    do {
      let result = try await call(method, params)
      return AskedRequest { result }
    } catch {
      return AskedRequest { throw error }
    }
  }
}

/// A request that is on its way.
package struct AskedRequest<Answer: Sendable>: Sendable {
  private let wait: @Sendable () async throws -> Answer

  package init(_ wait: @escaping @Sendable () async throws -> Answer) { self.wait = wait }

  /// Waits for the answer; to be called once. Throws what `ServiceCalling.call` throws.
  package func answer() async throws -> Answer { try await wait() }

  package func map<Other: Sendable>(
    _ change: @escaping @Sendable (Answer) throws -> Other
  ) -> AskedRequest<Other> {
    AskedRequest<Other> { [wait] in try change(try await wait()) }
  }
}

/// Why the service cannot be talked to.
package enum ClientError: Error, Hashable, Sendable {
  /// Nothing answers at the socket, and starting the service was not asked for.
  case notRunning(socketPath: String)
  /// The service was started but did not come up; `logPath` has what it said.
  case didNotStart(detail: String, logPath: String)
  /// The other end is not ours.
  case foreignSocket(path: String, ownerID: Int64)
  /// The directory of the socket is open to others, or cannot be made.
  case unsafeDirectory(path: String, detail: String)
  /// Two programs of different age.
  case versionMismatch(ours: Int, theirs: String)
  case connectionLost
  /// The service takes no more connections; so many are open.
  case tooManyConnections(count: String)
  case socketPathTooLong(path: String)
}
