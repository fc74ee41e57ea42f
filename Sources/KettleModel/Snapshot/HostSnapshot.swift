/// A host as clients see it: its connections, and what keeps transfers from it.
package struct HostSnapshot: Hashable, Sendable, Codable {
  /// Scheme, host and port, as in a URL.
  package var origin: String
  /// The number of open connections.
  package var connections: Int
  /// How many it may have; nil if the service is too old to report it.
  package var connectionsMax: Int?
  /// The speed of all its transfers together; nil if unknown.
  package var bytesPerSecond: Int64?
  /// The number of queued transfers in memory; more may be in the store.
  package var queuedCount: Int
  /// What its refusals have shown; nil if it has not refused any connection lately.
  package var limit: Limit?
  /// Until when it asked not to be contacted; nil if it did not.
  package var closedUntil: WallTime?
  /// nil if it can be reached, as far as is known.
  package var outage: Outage?
  /// What the user has decided for all its transfers; nil for nothing.
  package var remembered: Remembered?

  /// A limit that was learned from refusals.
  package struct Limit: Hashable, Sendable, Codable {
    package var connectionsMax: Int
    /// The number of connections that were open at a refusal.
    package var triedCount: Int
    /// The time of the first refusal.
    package var since: WallTime
    /// The status of the last refusal; nil for a connection refused without a response.
    package var status: Int?

    package init(connectionsMax: Int, triedCount: Int, since: WallTime, status: Int?) {
      self.connectionsMax = connectionsMax
      self.triedCount = triedCount
      self.since = since
      self.status = status
    }
  }

  /// What the user has decided for all transfers from the host, without secrets.
  package struct Remembered: Hashable, Sendable, Codable {
    /// The user whose login is sent; nil without a login.
    package var user: String?
    /// How many certificates are trusted that the system does not trust.
    package var certificateCount: Int

    package init(user: String?, certificateCount: Int) {
      self.user = user
      self.certificateCount = certificateCount
    }
  }

  /// A time during which the host, or the proxy on the way, cannot be reached.
  package struct Outage: Hashable, Sendable, Codable {
    package var since: WallTime
    package var failedProbeCount: Int
    /// nil while a transfer tries it.
    package var nextProbeAt: WallTime?
    /// Of the latest attempt.
    package var error: TransferFailure

    package init(
      since: WallTime, failedProbeCount: Int, nextProbeAt: WallTime?, error: TransferFailure
    ) {
      self.since = since
      self.failedProbeCount = failedProbeCount
      self.nextProbeAt = nextProbeAt
      self.error = error
    }
  }

  package init(
    origin: String, connections: Int = 0, connectionsMax: Int? = nil,
    bytesPerSecond: Int64? = nil, queuedCount: Int = 0, limit: Limit? = nil,
    closedUntil: WallTime? = nil, outage: Outage? = nil
  ) {
    self.origin = origin
    self.connections = connections
    self.connectionsMax = connectionsMax
    self.bytesPerSecond = bytesPerSecond
    self.queuedCount = queuedCount
    self.limit = limit
    self.closedUntil = closedUntil
    self.outage = outage
  }
}
