import Glibc
import KettleSystem

/// Why the network cannot be watched, with an errno value.
package struct NetworkWatchError: Error, Hashable, Sendable {
  package var call: String
  package var code: Int32
}

/// A socket to the kernel's interface and route subsystem (rtnetlink(7)).
final class NetlinkSocket: Sendable {
  private let socket: OwnedDescriptor
  var descriptor: Int32 { socket.number }

  /// The socket belongs to the network namespace of the calling thread, whichever thread uses it
  /// later.
  ///
  /// - Parameter protocol: NETLINK_ROUTE.
  init(protocol number: Int32 = 0) throws(NetworkWatchError) {
    let type = Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    guard let socket = OwnedDescriptor(opened: Glibc.socket(AF_NETLINK, type, number)) else {
      throw NetworkWatchError(call: "socket", code: errno)
    }
    self.socket = socket
  }

  /// Subscribes to all changes of interfaces, addresses and routes.
  func subscribe() throws(NetworkWatchError) {
    // A socket without a port receives no multicast messages.
    var address: [UInt8] = []
    address.append(number: UInt16(AF_NETLINK))
    address += [UInt8](repeating: 0, count: 10)
    let result = address.withUnsafeBytes { bytes in
      bytes.withMemoryRebound(to: sockaddr.self) {
        bind(descriptor, $0.baseAddress, socklen_t(bytes.count))
      }
    }
    guard result == 0 else { throw NetworkWatchError(call: "bind", code: errno) }
    // RTNLGRP_LINK, and the groups of IPv4 and IPv6 addresses and routes.
    for group: Int32 in [1, 5, 7, 9, 11] {
      var group = group
      let size = socklen_t(MemoryLayout<Int32>.size)
      // SOL_NETLINK, NETLINK_ADD_MEMBERSHIP
      guard setsockopt(descriptor, 270, 1, &group, size) == 0 else {
        throw NetworkWatchError(call: "setsockopt", code: errno)
      }
    }
  }

  /// Requests a dump: RTM_GETLINK, or RTM_GETADDR or RTM_GETROUTE with a family.
  func requestDump(_ type: UInt16, family: UInt8, sequence: UInt32) throws(NetworkWatchError) {
    let bodyByteCount =
      switch type {
      case Self.linkDump: RouteMessage.linkHeaderByteCount
      case Self.addressDump: RouteMessage.addressHeaderByteCount
      default: RouteMessage.routeHeaderByteCount
      }
    var bytes: [UInt8] = []
    bytes.append(number: UInt32(16 + bodyByteCount))
    bytes.append(number: type)
    // NLM_F_REQUEST and NLM_F_DUMP
    bytes.append(number: UInt16(0x301))
    bytes.append(number: sequence)
    bytes.append(number: UInt32(0))
    bytes.append(family)
    bytes += [UInt8](repeating: 0, count: bodyByteCount - 1)
    guard send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
      throw NetworkWatchError(call: "send", code: errno)
    }
  }

  static let linkDump: UInt16 = 18
  static let addressDump: UInt16 = 22
  static let routeDump: UInt16 = 26

  enum Received {
    case message([UInt8])
    /// The socket's buffer overflowed: something changed.
    case overflow
    case nothing
  }

  /// Receives one message; accepts only the kernel's (netlink(7): its port is 0).
  func receive() -> Received {
    while true {
      // The kernel sends at most 32 KiB at once.
      var buffer = [UInt8](repeating: 0, count: 65_536)
      var sender = [UInt8](repeating: 0, count: 12)
      var senderByteCount = socklen_t(sender.count)
      let count = sender.withUnsafeMutableBytes { bytes in
        recvfrom(
          descriptor, &buffer, buffer.count, 0,
          bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), &senderByteCount)
      }
      if count < 0 {
        if errno == EINTR { continue }
        return errno == ENOBUFS ? .overflow : .nothing
      }
      guard sender[...].number(at: 4, UInt32.self) == 0 else { continue }
      return .message(Array(buffer.prefix(count)))
    }
  }

  /// Waits until there is something to receive. Returns false on timeout.
  func wait(milliseconds: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while true {
      let count = poll(&entry, 1, milliseconds)
      if count == -1, errno == EINTR { continue }
      return count == 1
    }
  }
}

/// Numbers in this machine's byte order, as the kernel writes them (netlink(7)), each read only
/// when all its bytes are present.
extension ArraySlice<UInt8> {
  /// Returns the number at `offset` bytes from the start, or nil when it is cut off.
  func number<Number: FixedWidthInteger>(at offset: Int, _ type: Number.Type = Number.self)
    -> Number?
  {
    let size = MemoryLayout<Number>.size
    guard offset >= 0, count >= size, offset <= count - size else { return nil }
    var number = Number.zero
    let bytes = part(offset, offset + size)
    Swift.withUnsafeMutableBytes(of: &number) { $0.copyBytes(from: bytes) }
    return number
  }

  /// Returns the part from `lower` up to but not including `upper`, both from the start; empty
  /// where there is nothing.
  func part(_ lower: Int, _ upper: Int) -> ArraySlice<UInt8> {
    dropFirst(Swift.max(0, lower)).prefix(Swift.max(0, upper - Swift.max(0, lower)))
  }
}

extension Array<UInt8> {
  mutating func append<Number: FixedWidthInteger>(number: Number) {
    Swift.withUnsafeBytes(of: number) { append(contentsOf: $0) }
  }
}

/// Netlink aligns each header and attribute to four bytes.
func netlinkAligned(_ length: Int) -> Int { (length + 3) & ~3 }
