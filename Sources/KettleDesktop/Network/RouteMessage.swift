/// A message from the kernel about interfaces and routes (rtnetlink(7)), reduced to what is needed.
enum RouteMessage: Hashable, Sendable {
  case link(NetworkLink)
  case route(NetworkRoute)
  case address(NetworkAddress)
  /// An address of this machine was removed.
  case addressRemoved(NetworkAddress)
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

/// An address of this machine.
struct NetworkAddress: Hashable, Sendable {
  var link: Int32
  /// rtnetlink(7), `ifa_scope`.
  var scope: UInt8
  var bytes: [UInt8]

  /// Whether it may be the address of a connection to another network. Excludes addresses that are
  /// valid on one link or on this machine only.
  var leadsToOthers: Bool {
    let link: UInt8 = 253
    return scope < link && !bytes.isEmpty
  }
}

extension RouteMessage {
  static let linkHeaderByteCount = 16
  static let routeHeaderByteCount = 12
  static let addressHeaderByteCount = 8
  private static let headerByteCount = 16

  /// Splits the bytes of one read into messages. Stops at an invalid length, after which no message
  /// can be found.
  ///
  /// - Parameter sequence: Only replies to the request with this number; nil accepts all.
  static func parse(_ bytes: [UInt8], answering sequence: UInt32? = nil) -> [RouteMessage] {
    var messages: [RouteMessage] = []
    var rest = bytes[...]
    while let length = rest.number(at: 0, UInt32.self) {
      guard length >= headerByteCount, length <= rest.count,
        let type = rest.number(at: 4, UInt16.self), let number = rest.number(at: 8, UInt32.self)
      else { return messages + [.other] }
      if sequence == nil || sequence == number {
        messages.append(message(type, rest.part(headerByteCount, Int(length))))
      }
      rest = rest.dropFirst(netlinkAligned(Int(length)))
    }
    return messages
  }

  private static func message(_ type: UInt16, _ body: ArraySlice<UInt8>) -> RouteMessage {
    switch type {
    // NLMSG_ERROR; 0 is an acknowledgement.
    case 2:
      let code = body.number(at: 0, Int32.self) ?? 0
      return code == 0 ? .other : .failed(code == .min ? .max : abs(code))
    // NLMSG_DONE
    case 3: return .done
    // RTM_NEWLINK
    case 16: return link(body).map { .link($0) } ?? .other
    // RTM_NEWADDR
    case 20: return address(body).map { .address($0) } ?? .other
    // RTM_DELADDR
    case 21: return address(body).map { .addressRemoved($0) } ?? .other
    // RTM_NEWROUTE
    case 24: return route(body).map { .route($0) } ?? .other
    default: return .other
    }
  }

  /// struct ifinfomsg
  private static func link(_ body: ArraySlice<UInt8>) -> NetworkLink? {
    guard body.count >= linkHeaderByteCount, let index = body.number(at: 4, Int32.self),
      let flags = body.number(at: 8, UInt32.self)
    else { return nil }
    return NetworkLink(index: index, flags: flags)
  }

  /// struct rtmsg
  private static func route(_ body: ArraySlice<UInt8>) -> NetworkRoute? {
    guard body.count >= routeHeaderByteCount, let family = body.number(at: 0, UInt8.self),
      let prefixLength = body.number(at: 1, UInt8.self),
      let table = body.number(at: 4, UInt8.self), let type = body.number(at: 7, UInt8.self),
      let flags = body.number(at: 8, UInt32.self)
    else { return nil }
    var route = NetworkRoute(
      family: family, prefixLength: prefixLength, table: UInt32(table), type: type, flags: flags,
      destination: [], links: [])
    for attribute in attributes(body.dropFirst(routeHeaderByteCount)) {
      switch attribute.type {
      // RTA_DST
      case 1: route.destination = Array(attribute.content)
      // RTA_OIF
      case 4: route.links += [attribute.content.number(at: 0, Int32.self)].compactMap { $0 }
      // RTA_MULTIPATH
      case 9: route.links += hops(attribute.content)
      // RTA_TABLE, for numbers that do not fit into the header.
      case 15: route.table = attribute.content.number(at: 0, UInt32.self) ?? route.table
      default: break
      }
    }
    return route
  }

  /// struct ifaddrmsg
  private static func address(_ body: ArraySlice<UInt8>) -> NetworkAddress? {
    guard body.count >= addressHeaderByteCount, let scope = body.number(at: 3, UInt8.self),
      let link = body.number(at: 4, Int32.self)
    else { return nil }
    var address = NetworkAddress(link: link, scope: scope, bytes: [])
    for attribute in attributes(body.dropFirst(addressHeaderByteCount)) {
      switch attribute.type {
      // IFA_ADDRESS, which is the other end's on a point-to-point link.
      case 1: if address.bytes.isEmpty { address.bytes = Array(attribute.content) }
      // IFA_LOCAL
      case 2: address.bytes = Array(attribute.content)
      default: break
      }
    }
    return address
  }

  private struct Attribute {
    var type: UInt16
    var content: ArraySlice<UInt8>
  }

  /// Consecutive struct rtattr.
  private static func attributes(_ bytes: ArraySlice<UInt8>) -> [Attribute] {
    var attributes: [Attribute] = []
    var rest = bytes
    while let length = rest.number(at: 0, UInt16.self), let type = rest.number(at: 2, UInt16.self),
      length >= 4, length <= rest.count
    {
      // The two upper bits encode the form of the content and are not part of the type.
      attributes.append(Attribute(type: type & 0x3FFF, content: rest.part(4, Int(length))))
      rest = rest.dropFirst(netlinkAligned(Int(length)))
    }
    return attributes
  }

  /// Consecutive struct rtnexthop, each with its own attributes.
  private static func hops(_ bytes: ArraySlice<UInt8>) -> [Int32] {
    var links: [Int32] = []
    var rest = bytes
    while let length = rest.number(at: 0, UInt16.self), let link = rest.number(at: 4, Int32.self),
      length >= 8, length <= rest.count
    {
      links.append(link)
      rest = rest.dropFirst(netlinkAligned(Int(length)))
    }
    return links
  }
}
