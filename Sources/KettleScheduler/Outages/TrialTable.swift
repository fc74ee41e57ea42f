import KettleModel

/// What one transfer tries before others follow: a proxy, and a login for a host. So a wrong
/// password is sent once and not by every transfer.
package struct TrialTable: Sendable {
  package enum Subject: Sendable, Hashable {
    case proxy(String)
    case login(Origin, Login)

    /// nil for a proxy.
    var origin: Origin? {
      switch self {
      case .login(let origin, _): origin
      case .proxy: nil
      }
    }
  }

  private var accepted: Set<Subject> = []
  private var rejected: Set<Subject> = []
  private var underWay: [Subject: TransferID] = [:]

  package init() {}

  /// Whether a transfer may start that needs the subject.
  func permitsStart(_ subject: Subject) -> Bool {
    accepted.contains(subject) || underWay[subject] == nil
  }

  /// Whether a login for an origin is being tried.
  func isTryingLogin(at origin: Origin) -> Bool {
    underWay.keys.contains { $0.origin == origin }
  }

  func isRejected(_ subject: Subject) -> Bool { rejected.contains(subject) }

  /// Records that a transfer starts; its result decides for the others.
  mutating func begin(_ subject: Subject, by id: TransferID) {
    if !accepted.contains(subject), underWay[subject] == nil { underWay[subject] = id }
  }

  mutating func accept(_ subject: Subject) {
    underWay[subject] = nil
    rejected.remove(subject)
    accepted.insert(subject)
  }

  /// Transfers that need the subject are not started until `forget`. What was accepted before
  /// stays so: a login can be right for one path and wrong for another.
  mutating func reject(_ subject: Subject) {
    underWay[subject] = nil
    if !accepted.contains(subject) { rejected.insert(subject) }
  }

  var rejectedOrigins: Set<Origin> { Set(rejected.compactMap(\.origin)) }

  /// Returns whether a login for the origin had been rejected.
  mutating func forgetRejections(at origin: Origin) -> Bool {
    let subjects = rejected.filter { $0.origin == origin }
    for subject in subjects { forget(subject) }
    return !subjects.isEmpty
  }

  /// The next transfer tries the subject again.
  mutating func forget(_ subject: Subject) {
    underWay[subject] = nil
    accepted.remove(subject)
    rejected.remove(subject)
  }

  /// Ends the trials of transfers that have left without a result.
  mutating func endTrials(where hasLeft: (TransferID) -> Bool) {
    underWay = underWay.filter { !hasLeft($0.value) }
  }
}

/// Which origins may be contacted by transfers that have no connection yet.
struct StartGate: Sendable {
  let outages: OutageTable
  let trials: TrialTable
  /// The proxy on the way to an origin; nil without proxies.
  let proxy: (@Sendable (Origin) -> String?)?

  /// What must be reachable for a request to an origin.
  func peers(of origin: Origin) -> [Peer] {
    [.host(origin)] + (proxy?(origin).map { [.proxy($0)] } ?? [])
  }

  /// - Parameter probed: a peer that does not count, because the transfer probes it.
  func permitsStart(at origin: Origin, probing probed: Peer? = nil) -> Bool {
    guard peers(of: origin).allSatisfy({ $0 == probed || outages.permitsStart(at: $0) }),
      !trials.isTryingLogin(at: origin)
    else { return false }
    return proxy?(origin).map { trials.permitsStart(.proxy($0)) } ?? true
  }
}
