import KettleModel

/// What a refusal shows about a host.
package struct HostLimitHint: Sendable, Hashable {
  package var origin: Origin
  /// How many connections the host accepts; nil when the refusal does not show that.
  package var connectionsMax: Int?
  /// The status of the refusal; nil for a connection refused without a response.
  package var status: Int?
  /// How long the host must not be contacted (Retry-After).
  package var closedMilliseconds: Int64?
  /// Whether the transfer follows the verdict that the host cannot be reached.
  package var isOutage = false

  package init(
    origin: Origin, connectionsMax: Int? = nil, status: Int? = nil,
    closedMilliseconds: Int64? = nil
  ) {
    self.origin = origin
    self.connectionsMax = connectionsMax
    self.status = status
    self.closedMilliseconds = closedMilliseconds
  }
}
