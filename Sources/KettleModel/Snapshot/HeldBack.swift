/// Why a transfer is not moving, or not as fast as it could, and until when.
///
///     if let heldBack = snapshot.heldBack, heldBack.cause == .hostLimit {
///       print("\(heldBack.used ?? 0) of \(heldBack.allowed ?? 0) connections are in use")
///     }
public struct HeldBack: Hashable, Sendable, Codable {
  public var cause: Cause
  /// The place among the queued transfers; the next one to start has rank 1. nil for transfers that
  /// are not queued, and where the place is not known.
  public var rank: Int?
  /// The host, the condition, the proxy, the queue or the file that `cause` concerns.
  public var subject: String?
  /// How much of the limit is in use: transfers for `slot` and `queueLimit`, otherwise connections.
  public var used: Int?
  public var allowed: Int?
  /// The status of the response that lowered the host's limit.
  public var status: Int?
  /// When the host lowered its limit.
  public var limitedSince: WallTime?
  /// The speed limit that applies.
  public var bytesPerSecond: Int64?
  /// Since when, as far as this run of the service has observed it.
  public var since: WallTime?
  /// When it continues. For a transfer that waits for a limit or its turn this is an estimate.
  public var until: WallTime?

  public init(
    _ cause: Cause, subject: String? = nil, since: WallTime? = nil, until: WallTime? = nil
  ) {
    self.cause = cause
    self.subject = subject
    self.since = since
    self.until = until
  }
}

extension HeldBack {
  /// A stable word for programs, the value of `heldBackBy` in JSON.
  public enum Cause: String, Sendable, Codable, CaseIterable {
    // Queued
    /// The configuration file, whose path is the subject, cannot be read.
    case configuration
    /// As many transfers run as the service permits.
    case slot
    /// Its host has as many connections as it may have.
    case hostLimit
    /// Its session has as many connections to the host as it may have.
    case sessionLimit
    /// There are as many connections to all hosts as the service permits.
    case connectionLimit
    /// As many transfers of its queue run as that permits.
    case queueLimit
    /// Its queue is outside its hours.
    case queueHours
    /// The user's transfers wait for mains power.
    case battery
    /// The user's transfers wait for a network without costs.
    case metered
    /// Transfers of higher priority wait for the same limit.
    case priority
    /// Nothing else: it is about to start, or transfers before it are.
    case turn
    // Waiting, with the names of the reasons. A queued transfer whose host must not be contacted
    // has one of these as well.
    case retry, retryAfter, network, hostUnreachable, proxy, diskSpace, discretionary
    case needsLink, needsLogin, needsDecision, members
    // At rest
    case scheduled, paused, idle
    // Running
    /// The transfer's own speed limit.
    case ownLimit
    /// The speed limit for all transfers together.
    case totalLimit
    /// The disk takes the bytes more slowly than they arrive.
    case disk
    /// The transfers share a line that is full.
    case line
    /// Its server sends far less than other servers do.
    case server
    /// Nothing arrives, and the measurements do not show why.
    case unknown

    public init(_ reason: WaitingReason) {
      switch reason {
      case .retry: self = .retry
      case .retryAfter: self = .retryAfter
      case .network: self = .network
      case .hostUnreachable: self = .hostUnreachable
      case .proxy: self = .proxy
      case .diskSpace: self = .diskSpace
      case .discretionary: self = .discretionary
      case .needsLink: self = .needsLink
      case .needsLogin: self = .needsLogin
      case .needsDecision: self = .needsDecision
      case .members: self = .members
      }
    }

    /// The reason to wait that this is; nil for the other causes.
    package var reason: WaitingReason? { WaitingReason(rawValue: rawValue) }
  }
}

extension HeldBack {
  /// What the record alone shows; nil for a transfer that is queued, runs or has finished.
  package init?(_ record: TransferRecord) {
    switch record.state {
    case .idle: self.init(.idle)
    case .paused: self.init(.paused)
    case .scheduled: self.init(.scheduled, until: record.goesOnAt)
    case .waiting:
      guard let reason = record.reason else { return nil }
      self.init(Cause(reason), subject: record.failure?.subject, until: record.goesOnAt)
    case .queued, .running, .verifying, .completed, .failed: return nil
    }
  }
}
