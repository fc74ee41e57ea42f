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
