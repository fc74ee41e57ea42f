import KettleModel

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
