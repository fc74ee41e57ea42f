/// `[proxy.hosts]`: the proxies of single hosts, by name.
enum ProxyHostsTable {
  private static let prefix = "proxy.hosts."

  static func contains(_ entry: TOMLEntry) -> Bool { entry.name.hasPrefix(prefix) }

  /// Returns the host that an entry is about; nil for one of another table.
  static func host(of entry: TOMLEntry) -> String? {
    contains(entry) ? entry.name.dropFirst(prefix.count).lowercased() : nil
  }

  /// Applies an entry, or returns its problem. A wrong value leaves the host without a proxy that
  /// can be used: a direct connection would reveal what it was to hide.
  static func apply(
    _ entry: TOMLEntry, to configuration: inout ServiceConfiguration
  ) -> ConfigurationProblem.What? {
    guard let host = host(of: entry) else { return .unknownKey(entry.name) }
    let proxy = proxy(entry.value)
    configuration.proxyOfHost[host] = proxy ?? .unusable
    return proxy == nil ? .wrongValue(entry.name, mustBe: HostKey.proxy.expectation) : nil
  }

  /// Returns what the value means for a host; nil if it means nothing.
  static func proxy(_ value: TOMLValue) -> ServiceConfiguration.Proxy? {
    if value == .string("none") { return ServiceConfiguration.Proxy.none }
    return ConfigurationKey.proxy(value).map { .through($0) }
  }
}
