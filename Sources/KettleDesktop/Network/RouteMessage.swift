/// What the kernel says about interfaces and routes (rtnetlink(7)), as far as it matters here.
enum RouteMessage: Hashable, Sendable {
  case link(NetworkLink)
  case route(NetworkRoute)
  /// Everything that was asked for has been sent.
  case done
  /// The kernel refuses the question, with the number of errno.
  case failed(Int32)
  /// Something else, or something that cannot be read.
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
  /// How many bits of the destination count; 0 is the default route.
  var prefixLength: UInt8
  var table: UInt32
  var type: UInt8
  var flags: UInt32
  /// Empty for a default route.
  var destination: [UInt8]
  /// The interfaces that it goes out of; more than one for a route with several hops.
  var links: [Int32]

  /// Leads to other machines, when its interface does: not the machine's own addresses, no
  /// multicast, nothing that is thrown away, and no addresses that hold on one cable only.
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
