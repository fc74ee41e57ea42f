/// What holds for every attempt of a transport; read from the environment once, by its maker.
package struct CurlSettings: Sendable, Hashable {
  /// Sent as User-Agent unless the request brings its own.
  package var userAgent: String
  package var certificates: TrustedCertificates
  package var proxies: ProxyChoice

  package init(
    userAgent: String, certificates: TrustedCertificates,
    proxies: ProxyChoice = .fromEnvironment
  ) {
    self.userAgent = userAgent
    self.certificates = certificates
    self.proxies = proxies
  }

  package enum ProxyChoice: Sendable, Hashable {
    /// `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`, as libcurl-env(3) has them.
    case fromEnvironment
    case none
  }
}
