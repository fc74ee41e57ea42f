import KettleAria2

/// Whoever performs the methods.
package protocol RPCPerforming: Sendable {
  func perform(_ method: RPCMethod) async throws(RPCError) -> RPCValue

  /// Adds downloads that follow each other in a batch, and returns their GIDs. One that is refused
  /// does not stop the others.
  func addAll(_ requests: [RPCAddition]) async -> [Result<RPCValue, RPCError>]
}

/// A download in a batch: the parameters of `aria2.addUri` without a position.
package struct RPCAddition: Hashable, Sendable {
  package var uris: [String]
  package var options: [String: RPCValue]
}
