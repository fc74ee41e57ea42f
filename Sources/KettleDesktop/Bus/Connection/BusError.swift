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
