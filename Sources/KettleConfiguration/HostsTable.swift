import KettleModel

/// `[hosts.HOST]`: the user's settings for single hosts, each with those below it.
enum HostsTable {
  static let name = "hosts"
  private static let prefix = "hosts."

  static func contains(_ entry: TOMLEntry) -> Bool { entry.name.hasPrefix(prefix) }

  /// Applies an entry, or returns its problem.
  static func apply(
    _ entry: TOMLEntry, to configuration: inout ServiceConfiguration
  ) -> ConfigurationProblem.What? {
    guard let (host, last) = parts(of: entry.name), let key = HostKey(rawValue: last),
      HostName.isUsable(host)
    else { return .unknownKey(entry.name) }
    if key.apply(entry.value, of: HostName.plain(host), to: &configuration) { return nil }
    return .wrongValue(entry.name, mustBe: key.expectation)
  }

  /// Finds the hosts whose proxy is given in `[proxy.hosts]` too. That here counts.
  static func proxyConflicts(in document: TOMLDocument) -> [ConfigurationProblem] {
    let others = Dictionary(
      document.entries.compactMap { entry in
        ProxyHostsTable.host(of: entry).map { ($0, entry.name) }
      }, uniquingKeysWith: { first, _ in first })
    return document.entries.compactMap { entry in
      guard let (host, last) = parts(of: entry.name), last == HostKey.proxy.rawValue,
        let other = others[HostName.plain(host)]
      else { return nil }
      return ConfigurationProblem(.givenTwice(entry.name, insteadOf: other), line: entry.line)
    }
  }

  /// Returns the key that was probably meant by one of this table.
  static func nearestKey(to key: String) -> String? {
    guard let (host, last) = parts(of: key) else { return nil }
    return NearestWord.of(last, in: HostKey.allCases.map(\.rawValue))
      .map { "\(prefix)\(host).\($0)" }
  }

  /// Divides `hosts.HOST.KEY`; nil for any other name.
  private static func parts(of name: String) -> (host: String, key: String)? {
    guard name.hasPrefix(prefix), let dot = name.lastIndex(of: "."),
      dot > name.index(name.startIndex, offsetBy: prefix.count - 1)
    else { return nil }
    let host = name[..<dot].dropFirst(prefix.count)
    return (String(host), String(name[dot...].dropFirst()))
  }
}
