import KettleModel

/// A proxy, and the login that goes to it and to nobody else.
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

  /// Reads `scheme://user:password@host:port`. Without a scheme it is http, without a port it is
  /// the port that libcurl takes. Answers nil for anything else, a path among it: who wrote one
  /// means something that a proxy cannot do.
  package init?(_ text: String) {
    let parts = text.trimmingBlanks().splitOnce(at: "://")
    guard let scheme = Scheme(rawValue: parts.tail == nil ? "http" : parts.head.lowercased())
    else { return nil }
    let rest = parts.tail ?? parts.head
    // The part behind the scheme has the form of a URL's, and one parser reads both.
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

  /// As libcurl is told it; the login is told apart.
  var address: String { "\(scheme.rawValue)://\(hostAndPort)" }

  var hostAndPort: String { "\(host):\(port)" }
}

extension ProxyServer: CustomStringConvertible {
  /// Never the login: this text ends up in logs.
  package var description: String { address }
}

extension String {
  fileprivate func splitOnce(at separator: String) -> (head: String, tail: String?) {
    guard let range = firstRange(of: separator) else { return (self, nil) }
    return (String(self[..<range.lowerBound]), String(self[range.upperBound...]))
  }

  fileprivate func trimmingBlanks() -> String {
    let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    return String(drop(while: isBlank).reversed().drop(while: isBlank).reversed())
  }
}
