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

/// The keys of `[hosts.HOST]`.
package enum HostKey: String, CaseIterable, Sendable {
  case connections, proxy
  case headersFile = "headers-file"
  case headersFor = "headers-for"
  case netrc
  case userAgent = "user-agent"

  /// The full name, with `HOST` in place of the host.
  package var name: String { "\(HostsTable.name).HOST.\(rawValue)" }

  /// Describes the values that the key accepts.
  package var expectation: String {
    switch self {
    case .connections: "a whole number from 1 to \(RuleKey.connectionsMax)"
    case .proxy: "\"none\", or " + ConfigurationKey.proxyURL.expectation
    case .headersFile: "a path in quotes that begins with \"/\" or \"~/\""
    case .headersFor:
      "an array of origins of that host in quotes, such as \"https://example.org:8443\""
    case .netrc: "true or false"
    case .userAgent: "a text in quotes"
    }
  }

  /// Applies the value; returns false if the key does not accept it. A wrong proxy and a wrong file
  /// leave what cannot be used: without them the request would not be what the user wants. Wrong
  /// origins leave none, because the headers may be secrets.
  func apply(
    _ value: TOMLValue, of host: String, to configuration: inout ServiceConfiguration
  ) -> Bool {
    switch self {
    case .connections:
      guard case .integer(let number) = value,
        (1...Int64(RuleKey.connectionsMax)).contains(number)
      else { return false }
      configuration.hosts.connectionsMax[name: host] = Int(number)
    case .proxy:
      let proxy = ProxyHostsTable.proxy(value)
      configuration.proxyOfHost[host] = proxy ?? .unusable
      return proxy != nil
    case .headersFile:
      let path = ConfigurationKey.path(value)
      configuration.hosts.headersFiles[host] = path ?? ""
      return path != nil
    case .headersFor:
      let origins = Self.origins(value, of: host)
      configuration.hosts.headerOrigins[host] = origins ?? []
      return origins != nil
    case .netrc:
      guard case .boolean(let isUsed) = value else { return false }
      configuration.hosts.usesNetrc[name: host] = isUsed
    case .userAgent:
      guard let text = ConfigurationKey.userAgent(value) else { return false }
      configuration.hosts.userAgent[name: host] = text
    }
    return true
  }

  private static func origins(_ value: TOMLValue, of host: String) -> [Origin]? {
    guard case .array(let values) = value, !values.isEmpty else { return nil }
    var origins: [Origin] = []
    for value in values {
      guard case .string(let text) = value, case .success(let parsed) = TransferURL.parse(text),
        parsed.url.path == "/", parsed.url.query == nil, parsed.login == nil,
        parsed.url.scheme.family == .http, HostName.isHost(parsed.url.host, atOrBelow: host)
      else { return nil }
      origins.append(parsed.url.origin)
    }
    return origins
  }
}

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
