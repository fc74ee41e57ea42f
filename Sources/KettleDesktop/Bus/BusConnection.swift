import Glibc
import KettleModel
import KettleSystem

/// An event that a connection reports on its own.
package enum BusEvent: Hashable, Sendable {
  /// Anyone on the bus can send a signal, so it only prompts a check and is not a fact.
  case signal(BusMessage.Member, [BusValue])
  /// No more events follow; calls fail from now on.
  case ended(BusError)
}

/// A connection to a message bus (D-Bus Specification, version 0.38): calls with their replies, and
/// subscribed signals. Nothing wakes up while the bus is silent.
package final class BusConnection: Sendable {
  private let link: BusLink

  private init(_ link: BusLink) { self.link = link }

  deinit { link.end() }

  /// Connects to the first bus that accepts us.
  ///
  /// - Parameters:
  ///   - timeout: For each step of connecting.
  ///   - observer: Called on its own queue, in the order of the bus.
  package static func open(
    _ addresses: [BusAddress], timeout: Duration = .seconds(5),
    observer: @escaping @Sendable (BusEvent) -> Void
  ) async throws(BusError) -> BusConnection {
    var reason = BusError.unreachable(0)
    for address in addresses {
      do throws(BusError) {
        let link = BusLink(try BusSocket(address), observer: observer)
        let connection = BusConnection(link)
        try await link.connect(timeout: timeout)
        _ = try await connection.call(.bus("Hello"), timeout: timeout)
        try await link.startReportingEnd()
        return connection
      } catch {
        reason = error
      }
    }
    throw reason
  }

  /// Sends a call and waits for the reply.
  package func call(
    _ call: BusCall, timeout: Duration = .seconds(5)
  ) async throws(BusError) -> [BusValue] {
    try await link.call(call, timeout: timeout)
  }

  /// Subscribes to the signals that match the rule (D-Bus Specification, "Match Rules").
  package func addMatch(
    _ rule: String, timeout: Duration = .seconds(5)
  ) async throws(BusError) {
    _ = try await link.call(.bus("AddMatch", [.string(rule)]), timeout: timeout)
  }

  /// Closes the connection without notifying the observer.
  package func close() { link.end() }
}

/// Why a call has no reply.
package enum BusError: Error, Hashable, Sendable {
  /// No address has a bus that accepts us; an errno value, 0 where there was no address.
  case unreachable(Int32)
  /// The bus rejects our credentials.
  case refused
  case timedOut
  /// The connection was lost or closed.
  case ended
  /// The message to send breaks the rules, or a received one does, which ends the connection.
  case fault(BusFault)
  /// The service, or the bus in its place, returned an error: its name and its text.
  case failed(name: String, text: String)
}

/// Where a bus listens (D-Bus Specification, "Server Addresses").
package enum BusAddress: Hashable, Sendable {
  case path([UInt8])
  /// A name outside the file system (unix(7)).
  case abstract([UInt8])

  /// Returns the addresses in the order to try, without other kinds and unreadable ones.
  package static func parse(_ text: String) -> [BusAddress] {
    text.utf8.split(separator: UInt8(ascii: ";")).compactMap { address($0) }
  }

  /// The system bus.
  package static func system(environment: [String: String]) -> [BusAddress] {
    parse(environment["DBUS_SYSTEM_BUS_ADDRESS"] ?? "unix:path=/run/dbus/system_bus_socket")
  }

  /// The session bus of the user's desktop.
  package static func session(environment: [String: String]) -> [BusAddress] {
    if let text = environment["DBUS_SESSION_BUS_ADDRESS"] { return parse(text) }
    guard let directory = environment["XDG_RUNTIME_DIR"], directory.hasPrefix("/") else {
      return []
    }
    return [.path(Array((directory + "/bus").utf8))]
  }

  private static func address(_ text: Substring.UTF8View) -> BusAddress? {
    let prefix = "unix:".utf8
    guard text.starts(with: prefix) else { return nil }
    for pair in text.dropFirst(prefix.count).split(separator: UInt8(ascii: ",")) {
      let parts = pair.split(
        separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard let key = parts.first, let value = parts.last.flatMap(PercentEncoding.decoded),
        parts.count == 2,
        !value.isEmpty
      else { return nil }
      if key.elementsEqual("path".utf8) { return value.contains(0) ? nil : .path(value) }
      if key.elementsEqual("abstract".utf8) { return .abstract(value) }
    }
    return nil
  }
}

/// A stream to a bus, closed when its last reference is released.
final class BusSocket: Sendable {
  private let socket: OwnedDescriptor
  var descriptor: Int32 { socket.number }

  init(_ address: BusAddress) throws(BusError) {
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    guard let socket = OwnedDescriptor(opened: Glibc.socket(AF_UNIX, type, 0)) else {
      throw .unreachable(errno)
    }
    try Self.connect(socket.number, to: address)
    self.socket = socket
  }

  private static func connect(_ descriptor: Int32, to address: BusAddress) throws(BusError) {
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    let path: [UInt8] =
      switch address {
      case .path(let text): text + [0]
      case .abstract(let text): [0] + text
      }
    guard path.count <= MemoryLayout.size(ofValue: name.sun_path) else {
      throw .unreachable(ENAMETOOLONG)
    }
    withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path) }
    // The length is part of an abstract name (unix(7)).
    let byteCount = MemoryLayout<sa_family_t>.size + path.count
    let result = withUnsafePointer(to: &name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(byteCount))
      }
    }
    // A bus with a full backlog returns EAGAIN; do not wait for it.
    guard result == 0 else { throw .unreachable(errno) }
  }

  /// Disconnects from the bus, even while others hold the socket.
  func disconnect() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

  enum Received {
    case bytes(ArraySlice<UInt8>)
    case nothing
    case ended
  }

  func receive() -> Received {
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count > 0 { return .bytes(buffer.prefix(count)) }
      if count == 0 { return .ended }
      if errno == EINTR { continue }
      return errno == EAGAIN ? .nothing : .ended
    }
  }

  /// Returns how many bytes were accepted, or nil when the other end has closed.
  func send(_ bytes: ArraySlice<UInt8>) -> Int? {
    while true {
      let count = bytes.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count >= 0 { return count }
      if errno == EINTR { continue }
      return errno == EAGAIN ? 0 : nil
    }
  }
}

/// A method call to a service on the bus.
package struct BusCall: Hashable, Sendable {
  package var service: String
  package var path: String
  package var interface: String
  package var method: String
  package var arguments: [BusValue]
  /// Whether the bus may start the service for the call.
  package var mayStartService: Bool

  package init(
    _ method: String, of interface: String, on service: String, at path: String,
    _ arguments: [BusValue] = [], mayStartService: Bool = true
  ) {
    self.service = service
    self.path = path
    self.interface = interface
    self.method = method
    self.arguments = arguments
    self.mayStartService = mayStartService
  }

  /// Reads a property (D-Bus Specification, "Standard Interfaces").
  package static func property(
    _ name: String, of interface: String, on service: String, at path: String,
    mayStartService: Bool
  ) -> BusCall {
    BusCall(
      "Get", of: "org.freedesktop.DBus.Properties", on: service, at: path,
      [.string(interface), .string(name)], mayStartService: mayStartService)
  }

  /// A call to the bus itself.
  static func bus(_ method: String, _ arguments: [BusValue] = []) -> BusCall {
    let name = "org.freedesktop.DBus"
    return BusCall(method, of: name, on: name, at: "/org/freedesktop/DBus", arguments)
  }

  func message(serial: UInt32) -> BusMessage {
    var message = BusMessage(
      .call(BusMessage.Member(path: path, interface: interface, name: method)), serial: serial)
    message.destination = service
    message.body = arguments
    if !mayStartService { message.flags = .noAutoStart }
    return message
  }
}
