import KettleModel

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
