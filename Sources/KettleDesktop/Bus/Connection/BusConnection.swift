/// What a connection tells by itself.
package enum BusEvent: Hashable, Sendable {
  /// Anybody on the bus can send one, so it says when to look and not what is.
  case signal(BusMessage.Member, [BusValue])
  /// Nothing more comes; calls fail from now on.
  case ended(BusError)
}

/// A conversation with a message bus (D-Bus Specification, version 0.38): calls with their answers,
/// and signals that were asked for. Nothing wakes up as long as the bus says nothing.
package final class BusConnection: Sendable {
  private let link: BusLink

  private init(_ link: BusLink) { self.link = link }

  deinit { link.end() }

  /// Joins the first bus that takes us.
  ///
  /// - Parameters:
  ///   - timeout: For each step of the joining.
  ///   - observer: Called on a queue of its own, in the order of the bus.
  package static func open(
    _ addresses: [BusAddress], timeout: Duration = .seconds(5),
    observer: @escaping @Sendable (BusEvent) -> Void
  ) async throws(BusError) -> BusConnection {
    var reason = BusError.unreachable(0)
    for address in addresses {
      do throws(BusError) {
        let link = BusLink(try BusSocket(address), observer: observer)
        let connection = BusConnection(link)
        try await link.begin(timeout: timeout)
        _ = try await connection.call(.bus("Hello"), timeout: timeout)
        try await link.announce()
        return connection
      } catch {
        reason = error
      }
    }
    throw reason
  }

  /// Asks and waits for the answer.
  package func call(
    _ call: BusCall, timeout: Duration = .seconds(5)
  ) async throws(BusError) -> [BusValue] {
    try await link.call(call, timeout: timeout)
  }

  /// From now on the bus hands on the signals that the rule names (D-Bus Specification, "Match
  /// Rules").
  package func addMatch(
    _ rule: String, timeout: Duration = .seconds(5)
  ) async throws(BusError) {
    _ = try await link.call(.bus("AddMatch", [.string(rule)]), timeout: timeout)
  }

  /// Ends it without a word to the observer.
  package func close() { link.end() }
}
