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

/// The proxies of one transfer, in place of the service's.
public enum ProxyChoice: Hashable, Sendable {
  /// No proxy, for any server.
  case direct
  /// One proxy for every server, as a URL.
  case server(String)
  /// Those of the environment of the command that added the transfer.
  case environment(ProxyEnvironment)
}

extension ProxyChoice {
  /// Whether each value fits into one line; whether it names a proxy is checked when it is used.
  package var isUsable: Bool {
    let texts =
      switch self {
      case .direct: [String]()
      case .server(let url): [url]
      case .environment(let values): [values.http, values.https, values.ftp, values.exceptions]
      }
    return texts.allSatisfy { text in
      text.utf8.count <= Self.byteCountMax && !text.unicodeScalars.contains(where: \.isControl)
    }
  }

  private static let byteCountMax = 4096
}

extension ProxyChoice: Codable {
  private enum CodingKeys: String, CodingKey { case url, http }

  /// Decodes an object: with `url`, with the members of `ProxyEnvironment`, or empty for no proxy.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    if let url = try container.decodeIfPresent(String.self, forKey: .url) {
      self = .server(url)
    } else if container.contains(.http) {
      self = .environment(try ProxyEnvironment(from: decoder))
    } else {
      self = .direct
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .direct: break
    case .server(let url): try container.encode(url, forKey: .url)
    case .environment(let values): try values.encode(to: encoder)
    }
  }
}

/// The values of the variables that name proxies (libcurl-env(3)); empty means none.
public struct ProxyEnvironment: Hashable, Sendable, Codable {
  /// The proxy for `http` URLs.
  public var http = ""
  public var https = ""
  /// The proxy for `ftp`, `ftps` and `sftp` URLs.
  public var ftp = ""
  /// The hosts that are reached directly, separated by commas or blanks.
  public var exceptions = ""

  public init() {}

  public init(_ environment: [String: String]) {
    func value(_ variables: [String]) -> String {
      Self.first(of: variables, in: environment)?.value ?? ""
    }
    http = value(Self.httpVariables)
    https = value(Self.httpsVariables)
    ftp = value(Self.ftpVariables)
    exceptions = value(Self.exceptionVariables)
  }
}

extension ProxyEnvironment {
  /// The variables for each value; the first that is not empty counts. `HTTP_PROXY` in capitals is
  /// not among them, because in a CGI program it contains the header `Proxy` that a client sent.
  package static let httpVariables = ["http_proxy", "all_proxy", "ALL_PROXY"]
  package static let httpsVariables = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
  package static let ftpVariables = ["ftp_proxy", "FTP_PROXY", "all_proxy", "ALL_PROXY"]
  package static let exceptionVariables = ["no_proxy", "NO_PROXY"]

  package static func first(
    of variables: [String], in environment: [String: String]
  ) -> (variable: String, value: String)? {
    for variable in variables {
      if let value = environment[variable], !value.isEmpty { return (variable, value) }
    }
    return nil
  }
}
