import KettleModel

/// Which requests reach the methods at all.
///
/// A page of any site can make the user's browser send requests to this machine. It cannot choose
/// the headers `Host` and `Origin` (Fetch Standard, section 3.2).
package struct RequestDoor: Hashable, Sendable {
  /// Origins of pages that may use the interface, such as `http://ariang.example`; `*` allows all.
  package let allowedOrigins: Set<String>

  package init(allowedOrigins: Set<String>) { self.allowedOrigins = allowedOrigins }

  /// Whether the request was sent to this machine under a name that no foreign name server can
  /// give it (DNS rebinding).
  package func admits(host: String?) -> Bool {
    guard let host, let name = Self.name(in: host) else { return false }
    return Self.isLocalhost(name) || IPAddress(name) != nil
  }

  /// The host of `HOST[:PORT]` in lower case, without the brackets of an IPv6 address. Returns nil
  /// for another text.
  private static func name(in text: String) -> String? {
    var name = text.lowercased()[...]
    if let colon = name.lastIndex(of: ":"), !name[colon...].contains("]") {
      guard UInt16(name[name.index(after: colon)...]) != nil else { return nil }
      name = name[..<colon]
    }
    guard name.hasPrefix("[") else { return name.contains(":") ? nil : String(name) }
    guard name.hasSuffix("]") else { return nil }
    return String(name.dropFirst().dropLast())
  }

  private static func isLocalhost(_ name: String) -> Bool {
    name == "localhost" || name.hasSuffix(".localhost")
  }

  /// Whether a page with this host was sent by this machine. Any other numeric address is that of
  /// another machine, or of a network where a stranger could have it.
  private static func isThisMachine(_ host: String) -> Bool {
    guard let name = name(in: host) else { return false }
    return isLocalhost(name) || IPAddress(name).map { AddressScope(of: $0) == .loopback } ?? false
  }

  /// Whether a page of this origin may use the interface; programs send none. A page that was
  /// opened from a file has the origin `null`, and so has any site in a sandboxed frame.
  package func admits(origin: String?) -> Bool {
    guard let origin, !allowedOrigins.contains("*") else { return true }
    if allowedOrigins.contains(origin) { return true }
    let isExtension = ["moz-extension://", "chrome-extension://", "safari-web-extension://"]
      .contains { origin.hasPrefix($0) }
    if isExtension { return true }
    guard let start = origin.firstRange(of: "://") else { return false }
    return Self.isThisMachine(String(origin[start.upperBound...]))
  }
}
