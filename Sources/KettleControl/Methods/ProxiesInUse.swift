/// The proxies that the service uses. It reads them once, when it starts.
package struct ProxiesInUse: Codable, Hashable, Sendable {
  /// The address without the login, for example `http://proxy.example:3128`; nil for none.
  package var http: String?
  package var https: String?
  /// The settings that are not the address of a proxy. Transfers that would use them fail.
  package var unusable: [String]

  package init(http: String? = nil, https: String? = nil, unusable: [String] = []) {
    self.http = http
    self.https = https
    self.unusable = unusable
  }
}
