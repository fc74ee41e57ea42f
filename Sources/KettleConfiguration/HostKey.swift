import KettleModel

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
