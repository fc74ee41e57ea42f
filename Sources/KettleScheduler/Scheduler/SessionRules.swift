import KettleModel

/// What the sessions and this computer demand of tasks.
struct SessionRules: Sendable {
  private var policies: [SessionID: SessionPolicy] = [:]
  /// The conditions that this computer meets.
  private(set) var metConditions: Set<TransferCondition>

  init(metConditions: Set<TransferCondition>) { self.metConditions = metConditions }

  mutating func setPolicy(of session: SessionID, _ policy: SessionPolicy) {
    policies[session] = policy
  }

  /// Returns whether anything changed.
  mutating func setConditions(_ met: Set<TransferCondition>) -> Bool {
    guard met != metConditions else { return false }
    metConditions = met
    return true
  }

  /// The limit of a session's connections to a host; nil means the common limit, and 0 that it must
  /// make no new request there.
  func connectionLimit(of place: TransferQueue.OriginSession, at now: MonotonicTime) -> Int? {
    guard let policy = policies[place.session] else { return nil }
    return policy.isClosed(place.origin, at: now) ? 0 : policy.connectionLimit(at: place.origin)
  }

  /// Whether a session must make no new request to a host.
  func isClosed(_ place: TransferQueue.OriginSession, at now: MonotonicTime) -> Bool {
    policies[place.session]?.isClosed(place.origin, at: now) == true
  }

  /// No session has a limit of its own.
  var hasNoConnectionLimit: Bool { policies.values.allSatisfy(\.hasNoConnectionLimit) }

  /// Whether the program of a session decides on trust; nil for a session without a policy.
  func asksServerTrust(in session: SessionID) -> Bool? { policies[session]?.asksServerTrust }

  /// Whether the program of a session can be asked whether a task may begin; nil for a session
  /// without a policy.
  func asksBeforeBeginning(in session: SessionID) -> Bool? {
    policies[session]?.asksBeforeBeginning
  }

  /// Applies the rules that hold after every input. The system decides on trust if the program
  /// does not. A task begins at its date if its program cannot be asked. Every path into the queue
  /// checks the conditions.
  func enforce(on machine: inout TransferMachine) {
    if asksServerTrust(in: machine.spec.session) == false { machine.trustSystem() }
    if asksBeforeBeginning(in: machine.spec.session) == false { machine.beginUnasked() }
    holdBack(&machine)
  }

  /// Makes a queued transfer wait for its first unmet condition.
  func holdBack(_ machine: inout TransferMachine) {
    guard case .queued = machine.state, let unmet = machine.unmetCondition(metConditions) else {
      return
    }
    machine.holdBack(for: unmet)
  }
}

/// How the transfers of one session are treated.
package struct SessionPolicy: Sendable, Hashable {
  /// Connections to one host for all transfers of the session together; nil means the common limit.
  package var connectionsPerHostMax: Int?
  /// The same for single hosts, in place of the common limit.
  package var connectionsMaxOfOrigin: [Origin: Int] = [:]
  /// Until when new requests may be made, for single hosts; none to any other. What runs is
  /// finished. nil means that all hosts are open.
  package var openUntil: [Origin: MonotonicTime]?
  /// Whether the program also judges certificates that the system trusts.
  package var asksServerTrust: Bool
  /// Whether the program decides if a task may begin at its date.
  package var asksBeforeBeginning: Bool

  package init(
    connectionsPerHostMax: Int? = nil, asksServerTrust: Bool = false,
    asksBeforeBeginning: Bool = false
  ) {
    self.connectionsPerHostMax = connectionsPerHostMax
    self.asksServerTrust = asksServerTrust
    self.asksBeforeBeginning = asksBeforeBeginning
  }
}

extension SessionPolicy {
  /// The effective policy of a session's options.
  ///
  /// - Parameters:
  ///   - isConnected: whether its program is connected.
  ///   - isExpected: whether the program connects or is launched when there is a question.
  package init(_ options: SessionOptions, isConnected: Bool, isExpected: Bool = false) {
    self.init(
      connectionsPerHostMax: options.connectionsPerHostMax,
      asksServerTrust: isConnected ? options.asksServerTrust : options.asksServerTrustAlways,
      asksBeforeBeginning: isConnected
        || isExpected && options.asksBeforeBeginningWhenAway != false)
  }
}

extension SessionOptions {
  /// Whether the program is consulted even while it is not connected.
  var asksServerTrustAlways: Bool { asksServerTrust && asksServerTrustWhenAway != false }
}
