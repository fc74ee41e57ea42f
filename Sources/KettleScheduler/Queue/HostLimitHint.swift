import KettleModel

/// What a refusal shows about a host.
package struct HostLimitHint: Sendable, Hashable {
  package var origin: Origin
  /// How many connections the host accepts; nil when the refusal does not show that.
  package var connectionsMax: Int?
  /// How long the host must not be contacted (Retry-After).
  package var closedMilliseconds: Int64?

  package init(origin: Origin, connectionsMax: Int? = nil, closedMilliseconds: Int64? = nil) {
    self.origin = origin
    self.connectionsMax = connectionsMax
    self.closedMilliseconds = closedMilliseconds
  }
}
