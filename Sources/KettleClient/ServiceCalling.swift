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

  func close() async
}

extension ServiceCalling {
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
