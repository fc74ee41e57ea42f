import KettleModel

/// The interfaces, addresses and routes of the machine at one moment.
struct NetworkSnapshot: Hashable, Sendable {
  private(set) var linksLeadingOut: Set<Int32> = []
  private(set) var routes: Set<NetworkRoute> = []
  private(set) var addresses: Set<NetworkAddress> = []

  mutating func apply(_ message: RouteMessage) {
    switch message {
    case .link(let link):
      if link.leadsOut { linksLeadingOut.insert(link.index) }
    case .route(let route):
      // Of a router's many routes, one that leads out is enough.
      if route.leadsToOthers, routes.count < 1000 { routes.insert(route) }
    case .address(let address):
      if address.leadsToOthers, addresses.count < 1000 { addresses.insert(address) }
    case .addressRemoved, .done, .failed, .other: break
    }
  }

  /// A route that names no interface (its hops are separate objects, ip-nexthop(8)) may lead out of
  /// any.
  ///
  /// A network without a gateway counts, because the server may be on the same network. Mistaking a
  /// dead end for a route costs a failed attempt; the opposite would delay transfers.
  var state: NetworkState {
    guard !linksLeadingOut.isEmpty else { return .absent }
    let leadsOut = routes.contains { route in
      route.links.isEmpty || route.links.contains { linksLeadingOut.contains($0) }
    }
    return leadsOut ? .present : .absent
  }
}
