import KettleModel

/// Which way leads to a server: straight, or through which proxy.
///
/// Where the rules come from, configuration or environment, they are read once, and libcurl is told
/// the outcome for each attempt; it never looks into the environment itself.
package struct ProxyRules: Sendable, Hashable {
  package enum Route: Sendable, Hashable {
    case direct
    case through(ProxyServer)
    /// What was given is no address of a proxy. Nothing goes out then: going straight would show
    /// the server and the network what the proxy was to hide. The text says where it stands.
    case unusable(String)
  }

  package var forHTTP: Route
  package var forHTTPS: Route
  /// What is reached straight, as in `no_proxy`.
  package var exceptions: ProxyExceptions

  package init(
    forHTTP: Route, forHTTPS: Route, exceptions: ProxyExceptions = ProxyExceptions([])
  ) {
    self.forHTTP = forHTTP
    self.forHTTPS = forHTTPS
    self.exceptions = exceptions
  }

  /// Everything straight.
  package static let none = ProxyRules(forHTTP: .direct, forHTTPS: .direct)

  func route(to url: TransferURL) -> Route {
    if exceptions.contain(url.host) { return .direct }
    return switch url.scheme {
    case .http: forHTTP
    case .https: forHTTPS
    }
  }
}
