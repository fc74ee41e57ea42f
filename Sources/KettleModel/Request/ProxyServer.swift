/// A proxy, and the login that is sent to it alone.
package struct ProxyServer: Sendable, Hashable {
  package enum Scheme: String, Sendable, Hashable, CaseIterable {
    case http, https
    /// The `h` and the `a` mean that the proxy looks names up.
    case socks4, socks4a, socks5, socks5h

    var defaultPort: Int { self == .https ? 443 : 1080 }
  }

  package let scheme: Scheme
  /// Lower case; an IPv6 address keeps its brackets.
  package let host: String
  package let port: Int
  package let login: Login?

  /// Parses `scheme://user:password@host:port`. The default scheme is http; the default port is
  /// libcurl's. Returns nil for anything else, such as a URL with a path, which asks for something
  /// that a proxy cannot do.
  package init?(_ text: String) {
    let parts = text.trimmingBlanks().splitOnce(at: "://")
    guard let scheme = Scheme(rawValue: parts.tail == nil ? "http" : parts.head.lowercased())
    else { return nil }
    let rest = parts.tail ?? parts.head
    // The part after the scheme has the form of a URL, so one parser reads both.
    guard case .success(let parsed) = TransferURL.parse("http://" + rest),
      parsed.url.path == "/", parsed.url.query == nil
    else { return nil }
    self.scheme = scheme
    host = parsed.url.host
    port = Self.hasPort(rest) ? parsed.url.port : scheme.defaultPort
    login = parsed.login
  }

  private static func hasPort(_ authority: String) -> Bool {
    let host = authority.utf8.split(separator: UInt8(ascii: "@")).last ?? authority.utf8[...]
    let end = host.lastIndex(of: UInt8(ascii: "]")) ?? host.startIndex
    guard let colon = host[end...].lastIndex(of: UInt8(ascii: ":")) else { return false }
    return host[colon...].dropFirst().first.map { (48...57).contains($0) } ?? false
  }

  /// The form for libcurl; the login is passed separately.
  package var address: String { "\(scheme.rawValue)://\(hostAndPort)" }

  package var hostAndPort: String { "\(host):\(port)" }
}

extension ProxyServer: CustomStringConvertible {
  /// Never contains the login: this text is logged.
  package var description: String { address }
}

extension String {
  fileprivate func splitOnce(at separator: String) -> (head: String, tail: String?) {
    guard let range = firstRange(of: separator) else { return (self, nil) }
    return (String(self[..<range.lowerBound]), String(self[range.upperBound...]))
  }
}
