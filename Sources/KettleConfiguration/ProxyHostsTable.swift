/// `[proxy.hosts]`: the proxies of single hosts, by name.
enum ProxyHostsTable {
  private static let prefix = "proxy.hosts."

  static func contains(_ entry: TOMLEntry) -> Bool { entry.name.hasPrefix(prefix) }

  /// Applies an entry, or returns its problem. A wrong value leaves the host without a proxy that
  /// can be used: a direct connection would reveal what it was to hide.
  static func apply(
    _ entry: TOMLEntry, to configuration: inout ServiceConfiguration
  ) -> ConfigurationProblem.What? {
    let host = entry.name.dropFirst(prefix.count).lowercased()
    if entry.value == .string("none") {
      configuration.proxyOfHost[host] = ServiceConfiguration.Proxy.none
    } else if let proxy = ConfigurationKey.proxy(entry.value) {
      configuration.proxyOfHost[host] = .through(proxy)
    } else {
      configuration.proxyOfHost[host] = .unusable
      return .wrongValue(
        entry.name, mustBe: "\"none\", or " + ConfigurationKey.proxyURL.expectation)
    }
    return nil
  }
}
