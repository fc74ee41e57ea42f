/// An event that a connection reports on its own.
package enum BusEvent: Hashable, Sendable {
  /// Anyone on the bus can send a signal, so it only prompts a check and is not a fact.
  case signal(BusMessage.Member, [BusValue])
  /// No more events follow; calls fail from now on.
  case ended(BusError)
}

/// A connection to a message bus (D-Bus Specification, version 0.38): calls with their replies, and
/// subscribed signals. Nothing wakes up while the bus is silent.
package final class BusConnection: Sendable {
  private let link: BusLink

  private init(_ link: BusLink) { self.link = link }

  deinit { link.end() }

  /// Connects to the first bus that accepts us.
  ///
  /// - Parameters:
  ///   - timeout: For each step of connecting.
  ///   - observer: Called on its own queue, in the order of the bus.
  package static func open(
    _ addresses: [BusAddress], timeout: Duration = .seconds(5),
    observer: @escaping @Sendable (BusEvent) -> Void
  ) async throws(BusError) -> BusConnection {
    var reason = BusError.unreachable(0)
    for address in addresses {
      do throws(BusError) {
        let link = BusLink(try BusSocket(address), observer: observer)
        let connection = BusConnection(link)
        try await link.connect(timeout: timeout)
        _ = try await connection.call(.bus("Hello"), timeout: timeout)
        try await link.startReportingEnd()
        return connection
      } catch {
        reason = error
      }
    }
    throw reason
  }

  /// Sends a call and waits for the reply.
  package func call(
    _ call: BusCall, timeout: Duration = .seconds(5)
  ) async throws(BusError) -> [BusValue] {
    try await link.call(call, timeout: timeout)
  }

  /// Subscribes to the signals that match the rule (D-Bus Specification, "Match Rules").
  package func addMatch(
    _ rule: String, timeout: Duration = .seconds(5)
  ) async throws(BusError) {
    _ = try await link.call(.bus("AddMatch", [.string(rule)]), timeout: timeout)
  }

  /// Closes the connection without notifying the observer.
  package func close() { link.end() }
}

/// Why a call has no reply.
package enum BusError: Error, Hashable, Sendable {
  /// No address has a bus that accepts us; an errno value, 0 where there was no address.
  case unreachable(Int32)
  /// The bus rejects our credentials.
  case refused
  case timedOut
  /// The connection was lost or closed.
  case ended
  /// The message to send breaks the rules, or a received one does, which ends the connection.
  case fault(BusFault)
  /// The service, or the bus in its place, returned an error: its name and its text.
  case failed(name: String, text: String)
}
