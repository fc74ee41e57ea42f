import KettleModel

/// The route to a server: direct or through a proxy.
///
/// The rules, from the configuration or the environment, are read once, and libcurl receives the
/// resulting route for each attempt; it never reads the environment itself.
package struct ProxyRules: Sendable, Hashable {
  package enum Route: Sendable, Hashable {
    case direct
    case through(ProxyServer)
    /// The configured text is not a proxy address. Then nothing is sent: a direct connection would
    /// reveal to the server and the network what the proxy was meant to hide. The text names its
    /// source.
    case unusable(String)
  }

  package var forHTTP: Route
  package var forHTTPS: Route
  /// For servers of files. Only a SOCKS proxy can carry their protocols.
  package var forFiles: Route
  /// The hosts reached directly, as in `no_proxy`.
  package var exceptions: ProxyExceptions

  package init(
    forHTTP: Route, forHTTPS: Route, forFiles: Route = .direct,
    exceptions: ProxyExceptions = ProxyExceptions([])
  ) {
    self.forHTTP = forHTTP
    self.forHTTPS = forHTTPS
    self.forFiles = forFiles
    self.exceptions = exceptions
  }

  /// Everything directly.
  package static let none = ProxyRules(forHTTP: .direct, forHTTPS: .direct)

  func route(to origin: Origin) -> Route {
    if exceptions.contain(origin.host) { return .direct }
    return switch origin.scheme {
    case .http: forHTTP
    case .https: forHTTPS
    case .ftp, .ftps, .sftp: forFiles
    }
  }

  /// Returns the host and port of the proxy to an origin; nil when there is none.
  package func proxyName(to origin: Origin) -> String? {
    switch route(to: origin) {
    case .through(let proxy): proxy.hostAndPort
    case .direct, .unusable: nil
    }
  }
}
