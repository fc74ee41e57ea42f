/// A message from the kernel about interfaces and routes (rtnetlink(7)), reduced to what is needed.
enum RouteMessage: Hashable, Sendable {
  case link(NetworkLink)
  case route(NetworkRoute)
  /// The end of a dump.
  case done
  /// The kernel rejects the request, with an errno value.
  case failed(Int32)
  /// Any other or unreadable message.
  case other
}

struct NetworkLink: Hashable, Sendable {
  var index: Int32
  /// netdevice(7).
  var flags: UInt32

  /// Up, with a carrier, and not the loopback interface.
  var leadsOut: Bool {
    let up: UInt32 = 0x1
    let loopback: UInt32 = 0x8
    let running: UInt32 = 0x40
    return flags & up != 0 && flags & running != 0 && flags & loopback == 0
  }
}

struct NetworkRoute: Hashable, Sendable {
  /// AF_INET or AF_INET6.
  var family: UInt8
  /// The length of the destination prefix in bits; 0 is the default route.
  var prefixLength: UInt8
  var table: UInt32
  var type: UInt8
  var flags: UInt32
  /// Empty for a default route.
  var destination: [UInt8]
  /// The outgoing interfaces; several for a route with several hops.
  var links: [Int32]

  /// Whether the route leads to other machines if its interface does. Excludes the machine's own
  /// addresses, multicast, discarded traffic and link-local addresses.
  var leadsToOthers: Bool {
    let unicast: UInt8 = 1
    let localTable: UInt32 = 255
    let cloned: UInt32 = 0x200
    guard type == unicast, table != localTable, flags & cloned == 0 else { return false }
    guard prefixLength > 0 else { return true }
    guard let first = destination.first, let second = destination.dropFirst().first else {
      return true
    }
    return switch (family, first, second) {
    // 169.254/16 (RFC 3927), 224/4.
    case (2, 169, 254), (2, 224...239, _): false
    // fe80::/10 (RFC 4291, section 2.4), ff00::/8.
    case (10, 0xFE, 0x80...0xBF), (10, 0xFF, _): false
    default: true
    }
  }
}
