import KettleModel

/// Unused identifiers for what the next step begins.
package struct FreshIDs: Sendable, Hashable {
  package var attempt: AttemptID
  package var operation: OperationID

  package init(attempt: AttemptID, operation: OperationID) {
    self.attempt = attempt
    self.operation = operation
  }
}

/// What is outside of one transfer and affects its decisions.
package struct DecisionContext: Sendable {
  package var retryPolicy: RetryPolicy
  /// 0…1, drawn by the caller.
  package var jitter: Double
  /// Connections of all transfers to the same host, without the one being judged.
  package var otherConnectionCount: Int
  /// Those of them whose responses are being received.
  package var servedConnectionCount = 0
  /// Whether the host has served a file lately.
  package var hostServesFiles = false
  /// What the failure being judged means for the host, if it got no response.
  package var outage = OutageVerdict.notOfPeer
  package var network: NetworkState
  /// What the user's configuration decides for transfers.
  package var rules = TransferRules()
  package var now: Moment

  package init(
    retryPolicy: RetryPolicy, jitter: Double, otherConnectionCount: Int, network: NetworkState,
    now: Moment
  ) {
    self.retryPolicy = retryPolicy
    self.jitter = jitter
    self.otherConnectionCount = otherConnectionCount
    self.network = network
    self.now = now
  }
}
