import Glibc
import KettleModel

/// The route to a server: direct or through a proxy.
///
/// The rules, from the configuration or the environment, are read once, and libcurl receives the
/// resulting route for each attempt; it never reads the environment itself.
package struct ProxyRules: Sendable, Hashable {
  package enum Route: Sendable, Hashable {
    case direct
    case through(ProxyServer)
    /// The configured text is not a proxy address. Then nothing is sent: a direct connection would
    /// reveal to the server and the network what the proxy was meant to hide. The text names its
    /// source.
    case unusable(String)
  }

  package var forHTTP: Route
  package var forHTTPS: Route
  /// For servers of files. Only a SOCKS proxy can carry their protocols.
  package var forFiles: Route
  /// The hosts reached directly, as in `no_proxy`.
  package var exceptions: ProxyExceptions
  /// The hosts with a route of their own, before everything else.
  package var hosts: [HostRoute] = []
  /// Whether the environment of a command replaces these rules, unless the user has configured
  /// them.
  package var yieldsToEnvironment = true

  package struct HostRoute: Sendable, Hashable {
    package var hosts: ProxyExceptions
    package var route: Route

    package init(hosts: ProxyExceptions, route: Route) {
      self.hosts = hosts
      self.route = route
    }
  }

  package init(
    forHTTP: Route, forHTTPS: Route, forFiles: Route = .direct,
    exceptions: ProxyExceptions = ProxyExceptions([])
  ) {
    self.forHTTP = forHTTP
    self.forHTTPS = forHTTPS
    self.forFiles = forFiles
    self.exceptions = exceptions
  }

  /// Everything directly.
  package static let none = ProxyRules(forHTTP: .direct, forHTTPS: .direct)

  func route(to origin: Origin) -> Route {
    if let own = hosts.first(where: { $0.hosts.contain(origin.host) }) { return own.route }
    if exceptions.contain(origin.host) { return .direct }
    return switch origin.scheme {
    case .http: forHTTP
    case .https: forHTTPS
    case .ftp, .ftps, .sftp: forFiles
    }
  }

  /// Returns the rules for a transfer: what its user has chosen, or else these.
  func adapted(to choice: ProxyChoice?) -> ProxyRules {
    switch choice {
    case nil: return self
    case .direct: return Self.none
    case .server(let text):
      let route = ProxyServer(text).map(Route.through) ?? .unusable("--proxy")
      return ProxyRules(forHTTP: route, forHTTPS: route, forFiles: route)
    case .environment(let values):
      guard yieldsToEnvironment else { return self }
      var rules = ProxyRules(values)
      rules.hosts = hosts
      return rules
    }
  }

  /// Returns the host and port of the proxy to an origin; nil when there is none.
  package func proxyName(to origin: Origin) -> String? {
    switch route(to: origin) {
    case .through(let proxy): proxy.hostAndPort
    case .direct, .unusable: nil
    }
  }
}

extension ProxyRules {
  /// The rules that were stored with a transfer.
  init(_ values: ProxyEnvironment) {
    func route(_ text: String, _ variable: String) -> Route {
      if text.isEmpty { return .direct }
      return ProxyServer(text).map(Route.through)
        ?? .unusable("\(variable) or all_proxy of the command")
    }
    self.init(
      forHTTP: route(values.http, "http_proxy"), forHTTPS: route(values.https, "https_proxy"),
      forFiles: route(values.ftp, "ftp_proxy"),
      exceptions: ProxyExceptions(list: values.exceptions))
  }

  /// Reads the variables of libcurl-env(3).
  package init(environment: [String: String]) {
    func route(_ variables: [String]) -> Route {
      guard let found = ProxyEnvironment.first(of: variables, in: environment) else {
        return .direct
      }
      return ProxyServer(found.value).map(Route.through) ?? .unusable(found.variable)
    }
    self.init(
      forHTTP: route(ProxyEnvironment.httpVariables),
      forHTTPS: route(ProxyEnvironment.httpsVariables),
      forFiles: route(ProxyEnvironment.ftpVariables),
      exceptions: ProxyExceptions(list: ProxyEnvironment(environment).exceptions))
  }

  /// The rules of this process's current environment.
  package static var fromEnvironment: ProxyRules {
    let names = Set(
      ProxyEnvironment.httpVariables + ProxyEnvironment.httpsVariables
        + ProxyEnvironment.ftpVariables + ProxyEnvironment.exceptionVariables)
    let values = names.compactMap { name in getenv(name).map { (name, String(cString: $0)) } }
    return ProxyRules(environment: Dictionary(uniqueKeysWithValues: values))
  }
}

/// The hosts that are reached without a proxy.
///
/// A name matches itself and everything below it, with or without a leading dot; an address matches
/// itself, or a network with `/n`; `*` matches everything.
package struct ProxyExceptions: Sendable, Hashable {
  private enum Pattern: Sendable, Hashable {
    case everything
    case name(String)
    case network(IPAddress, bitCount: Int)
  }

  private let patterns: [Pattern]

  package init(_ texts: [String]) { patterns = texts.compactMap(Self.pattern) }

  /// Parses a list separated by commas or blanks.
  package init(list: String) {
    self.init(list.split { $0 == "," || $0 == " " || $0 == "\t" }.map(String.init))
  }

  /// `host` is in lower case, an IPv6 address in brackets.
  func contain(_ host: String) -> Bool {
    let address = Self.address(host[...])
    let name = Self.withoutDots(host[...])
    return patterns.contains { pattern in
      switch pattern {
      case .everything: true
      case .name(let other): address == nil && (name == other || name.hasSuffix("." + other))
      case .network(let other, let bitCount):
        address?.isIn(other, bitCount: bitCount) ?? false
      }
    }
  }

  private static func pattern(_ text: String) -> Pattern? {
    if text == "*" { return .everything }
    let parts = text.lowercased().split(
      separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first else { return nil }
    if let address = address(first) {
      let bitCountMax = address.bitCount
      guard parts.count > 1 else { return .network(address, bitCount: bitCountMax) }
      guard let bitCount = Int(parts[1]), (0...bitCountMax).contains(bitCount) else { return nil }
      return .network(address, bitCount: bitCount)
    }
    let name = withoutDots(first)
    return parts.count > 1 || name.isEmpty ? nil : .name(name)
  }

  /// A leading dot and the trailing dot of the root have no meaning here.
  private static func withoutDots(_ text: Substring) -> String {
    let front = text.first == "." ? text.dropFirst() : text
    return String(front.last == "." ? front.dropLast() : front)
  }

  /// Returns nil for a name.
  private static func address(_ text: Substring) -> IPAddress? {
    let isBracketed = text.hasPrefix("[") && text.hasSuffix("]")
    return IPAddress(isBracketed ? text.dropFirst().dropLast() : text)
  }
}
