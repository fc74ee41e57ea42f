import KettleModel

/// What holds for every attempt of a transport.
package struct CurlSettings: Sendable, Hashable {
  /// Sent as User-Agent unless the request brings its own.
  package var userAgent: String
  package var certificates: TrustedCertificates
  package var proxies: ProxyRules
  /// Addresses that are not looked up, each as `host:port:address,address`
  /// (CURLOPT_RESOLVE(3)).
  package var knownAddresses: [String]
  /// Addresses that are something else here than the registries say, such as a public block that
  /// is used inside.
  package var knownScopes: [IPAddress: AddressScope]

  package init(
    userAgent: String, certificates: TrustedCertificates,
    proxies: ProxyRules = .fromEnvironment, knownAddresses: [String] = [],
    knownScopes: [IPAddress: AddressScope] = [:]
  ) {
    self.userAgent = userAgent
    self.certificates = certificates
    self.proxies = proxies
    self.knownAddresses = knownAddresses
    self.knownScopes = knownScopes
  }
}
