/// Why something that was asked has no answer.
package enum BusError: Error, Hashable, Sendable {
  /// No bus takes us at any address; the number of errno, 0 where there was no address.
  case unreachable(Int32)
  /// The bus does not believe that we are who we are.
  case refused
  case timedOut
  /// The connection is gone, or was closed.
  case ended
  /// What was to be sent breaks the rules, or what came does, which ends the connection.
  case fault(BusFault)
  /// The service, or the bus in its place, says no: the name of the error and its words.
  case failed(name: String, text: String)
}
