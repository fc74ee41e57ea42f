import KettleModel

/// Settings that apply to every attempt of a transport.
package struct CurlSettings: Sendable, Hashable {
  /// Sent as User-Agent unless the request has its own.
  package var userAgent: String
  package var certificates: TrustedCertificates
  package var proxies: ProxyRules
  package var ssh: SSHSettings
  /// Preset addresses that skip name lookup, each as `host:port:address,address`
  /// (CURLOPT_RESOLVE(3)).
  package var knownAddresses: [String]
  /// Addresses whose scope here differs from the registries, such as a public block that is used
  /// internally.
  package var knownScopes: [IPAddress: AddressScope]

  package init(
    userAgent: String, certificates: TrustedCertificates,
    proxies: ProxyRules = .fromEnvironment,
    ssh: SSHSettings = SSHSettings(directory: nil, user: ""), knownAddresses: [String] = [],
    knownScopes: [IPAddress: AddressScope] = [:]
  ) {
    self.userAgent = userAgent
    self.certificates = certificates
    self.proxies = proxies
    self.ssh = ssh
    self.knownAddresses = knownAddresses
    self.knownScopes = knownScopes
  }

  /// The preset addresses of the URL's host; nil for none.
  func addresses(of url: TransferURL) -> [IPAddress]? {
    let prefix = "\(url.host):\(url.port):"
    return knownAddresses.first { $0.hasPrefix(prefix) }.map { preset in
      preset.dropFirst(prefix.count).split(separator: ",").compactMap {
        IPAddress($0.hasPrefix("[") ? $0.dropFirst().dropLast() : $0)
      }
    }
  }
}
