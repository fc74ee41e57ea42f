/// A cookie with the scope in which it is sent (RFC 6265, section 5.3).
public struct Cookie: Hashable, Sendable, Codable {
  public var name: String
  public var value: String
  /// In lower case, without a leading dot.
  public var domain: String
  /// Whether hosts below the domain get it too.
  public var includesSubdomains: Bool
  /// Begins with a slash.
  public var path: String
  /// Whether it is sent over https only.
  public var isSecure: Bool

  public init(
    name: String, value: String, domain: String, includesSubdomains: Bool = false,
    path: String = "/", isSecure: Bool = false
  ) {
    self.name = name
    self.value = value
    self.domain = domain
    self.includesSubdomains = includesSubdomains
    self.path = path
    self.isSecure = isSecure
  }

  /// The longest name and value together that browsers accept.
  public static let byteCountMax = 4096

  /// Whether it can be sent in a header: visible ASCII or other bytes above it, without a semicolon
  /// that would start another cookie.
  public var isUsable: Bool {
    let text = name + value
    return !name.isEmpty && !name.contains("=") && text.utf8.count <= Self.byteCountMax
      && text.utf8.allSatisfy { $0 >= 32 && $0 != 127 && $0 != UInt8(ascii: ";") }
  }

  /// Whether a request of the URL carries it (RFC 6265, section 5.4).
  public func belongs(to url: TransferURL) -> Bool {
    if isSecure, url.scheme != .https { return false }
    return isMatched(byHost: url.host) && isMatched(byPath: url.path)
  }

  /// Whether the host is in its domain. The host is in lower case.
  public func isMatched(byHost host: String) -> Bool {
    if host == domain { return true }
    // An address has no hosts below it.
    guard includesSubdomains, host.hasSuffix("." + domain) else { return false }
    return !host.hasSuffix("]") && !host.utf8.allSatisfy { (48...57).contains($0) || $0 == 46 }
  }

  private func isMatched(byPath requested: String) -> Bool {
    guard requested.hasPrefix(path) else { return false }
    return requested == path || path.hasSuffix("/") || requested.dropFirst(path.count).first == "/"
  }
}
