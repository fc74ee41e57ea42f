/// A host as clients see it: its connections, and what keeps transfers from it.
package struct HostSnapshot: Hashable, Sendable, Codable {
  /// Scheme, host and port, as in a URL.
  package var origin: String
  /// The number of open connections.
  package var connections: Int
  /// How many it may have; nil if the service is too old to report it.
  package var connectionsMax: Int?
  /// The speed of its running transfers together; nil if none runs.
  package var bytesPerSecond: Int64?
  /// The number of queued transfers.
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

extension HostSnapshot {
  /// Whether something keeps transfers from it, or limits them.
  package var hasProblem: Bool { limit != nil || outage != nil || closedUntil != nil }

  /// The hosts that matter now: those that work, the fastest first, then those with a problem, then
  /// those with queued transfers only. A host may be listed only because something is remembered
  /// for it.
  package static func inOrder(_ hosts: [HostSnapshot]) -> [HostSnapshot] {
    hosts.filter { $0.hasProblem || $0.connections > 0 || $0.queuedCount > 0 }.sorted {
      ($0.rank, -max(0, $0.bytesPerSecond ?? 0), -max(0, $0.connections), $0.origin)
        < ($1.rank, -max(0, $1.bytesPerSecond ?? 0), -max(0, $1.connections), $1.origin)
    }
  }

  private var rank: Int {
    if connections > 0, bytesPerSecond ?? 0 > 0, outage == nil { return 0 }
    return hasProblem ? 1 : connections > 0 ? 0 : 2
  }
}

/// One of the user's queues as clients see it.
public struct QueueSnapshot: Hashable, Sendable, Codable {
  public var name: QueueName
  /// How many of its transfers may run at once; nil means no limit of its own.
  public var transfersMax: Int?
  /// When its transfers may run, such as `01:00-06:00 mon tue`; nil means at any time.
  public var hours: String?
  /// Whether it is within its hours.
  public var isOpen: Bool
  /// When `isOpen` changes; nil if it does not.
  public var until: WallTime?
  /// The condition that the user's transfers wait for; nil for none.
  public var waitsFor: TransferCondition?
  public var runningCount: Int
  /// The transfers that wait for their turn; nil if they were not counted.
  public var queuedCount: Int?

  public init(
    name: QueueName, transfersMax: Int? = nil, hours: String? = nil, isOpen: Bool = true,
    until: WallTime? = nil, waitsFor: TransferCondition? = nil, runningCount: Int = 0,
    queuedCount: Int? = nil
  ) {
    self.name = name
    self.transfersMax = transfersMax
    self.hours = hours
    self.isOpen = isOpen
    self.until = until
    self.waitsFor = waitsFor
    self.runningCount = runningCount
    self.queuedCount = queuedCount
  }
}

/// An action that can be undone, as clients see it.
public struct BinSnapshot: Hashable, Sendable, Codable, Identifiable {
  public var number: Int64
  public var kind: BinAction.Kind
  public var at: WallTime
  /// When the bytes are deleted.
  public var expiresAt: WallTime
  public var transferCount: Int
  /// How many bytes undo brings back.
  public var byteCount: Int64
  /// The title of the first transfer; nil when the action only cleared the view.
  public var title: String?

  public init(
    _ action: BinAction, transferCount: Int = 0, byteCount: Int64 = 0, title: String? = nil
  ) {
    number = action.number
    kind = action.kind
    at = action.at
    expiresAt = action.expiresAt
    self.transferCount = transferCount
    self.byteCount = byteCount
    self.title = title
  }

  public var id: Int64 { number }
}
