import KettleScheduler

/// The interfaces and routes of the machine at one moment.
struct NetworkPicture: Hashable, Sendable {
  private(set) var linksLeadingOut: Set<Int32> = []
  private(set) var routes: Set<NetworkRoute> = []

  mutating func take(_ message: RouteMessage) {
    switch message {
    case .link(let link):
      if link.leadsOut { linksLeadingOut.insert(link.index) }
    case .route(let route):
      // Of the many routes of a router one that leads out is enough.
      if route.leadsToOthers, routes.count < 1000 { routes.insert(route) }
    case .done, .failed, .other: break
    }
  }

  /// A route that names no interface (its hops are kept apart, ip-nexthop(8)) leads out of any.
  ///
  /// A network without a gateway counts: the server may stand beside this machine. To take a way
  /// for one that leads nowhere costs a failed attempt; the opposite would hold transfers back.
  var state: NetworkState {
    guard !linksLeadingOut.isEmpty else { return .absent }
    let leadsOut = routes.contains { route in
      route.links.isEmpty || route.links.contains { linksLeadingOut.contains($0) }
    }
    return leadsOut ? .present : .absent
  }
}
