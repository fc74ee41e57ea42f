import KettleModel

/// The keys of the file that the service reads; docs/configuration.md describes them.
package enum ConfigurationKey: String, CaseIterable, Sendable {
  case downloadsDirectory = "downloads.directory"
  case downloadsOnConflict = "downloads.on-conflict"
  case downloadsRemoteTime = "downloads.remote-time"
  case downloadsDecode = "downloads.decode"
  case limitsTransfers = "limits.transfers"
  case limitsConnectionsPerHost = "limits.connections-per-host"
  case limitsConnections = "limits.connections"
  case limitsConnectionsPerTransfer = "limits.connections-per-transfer"
  case limitsRate = "limits.rate"
  case networkTimeout = "network.timeout"
  case networkConnectTimeout = "network.connect-timeout"
  case networkTries = "network.tries"
  case networkRetryDelay = "network.retry-delay"
  case networkNetrc = "network.netrc"
  case networkHTTP2 = "network.http2"
  case networkUserAgent = "network.user-agent"
  case proxyURL = "proxy.url"
  case proxyNoProxy = "proxy.no-proxy"
  case conditionsMains = "conditions.mains"
  case conditionsUnmetered = "conditions.unmetered"
  case conditionsPauseOnBattery = "conditions.pause-on-battery"
  case conditionsPauseOnMetered = "conditions.pause-on-metered"
  case notifyDesktop = "notify.desktop"
  case notifyFailures = "notify.failures"
  case notifyFinished = "notify.finished"
  case rpcEnabled = "rpc.enabled"
  case rpcPort = "rpc.port"
  case rpcAllowOrigin = "rpc.allow-origin"
  case rpcDirectories = "rpc.directories"
  case hooksCompleted = "hooks.completed"
  case hooksFailed = "hooks.failed"
  case hooksNeedsUser = "hooks.needs-user"
  case hooksAllDone = "hooks.all-done"
  case hooksTimeout = "hooks.timeout"
  case hooksConcurrency = "hooks.concurrency"
  case hooksRPC = "hooks.rpc"

  /// The full names of all keys; those of arrays of tables have `#` in place of the number.
  package static var allNames: [String] {
    allCases.map(\.rawValue) + RuleKey.allCases.map(\.name) + LimitScheduleTable.keys
  }

  /// The words that the key accepts; empty if it accepts others too.
  package var words: [String] {
    switch self {
    case .downloadsOnConflict: ConflictPolicy.allCases.map(\.rawValue)
    case .conditionsMains, .conditionsUnmetered: ["auto", "always", "never"]
    case .downloadsRemoteTime, .downloadsDecode, .networkNetrc, .networkHTTP2,
      .conditionsPauseOnBattery, .conditionsPauseOnMetered, .notifyDesktop, .notifyFailures,
      .notifyFinished, .rpcEnabled, .hooksRPC:
      ["true", "false"]
    case .downloadsDirectory, .limitsTransfers, .limitsConnectionsPerHost, .limitsConnections,
      .limitsConnectionsPerTransfer, .limitsRate, .networkTimeout, .networkConnectTimeout,
      .networkTries, .networkRetryDelay, .networkUserAgent, .proxyURL, .proxyNoProxy, .rpcPort,
      .rpcAllowOrigin, .rpcDirectories, .hooksCompleted, .hooksFailed, .hooksNeedsUser,
      .hooksAllDone, .hooksTimeout, .hooksConcurrency:
      []
    }
  }

  /// Describes the values that the key accepts.
  package var expectation: String {
    switch self {
    case .downloadsDirectory: "a path in quotes that begins with \"/\" or \"~/\""
    case .limitsTransfers, .limitsConnections: "a whole number from 1 to 1000"
    case .limitsConnectionsPerHost, .limitsConnectionsPerTransfer: "a whole number from 1 to 64"
    case .downloadsOnConflict: "\"rename\", \"replace\" or \"skip\""
    case .networkUserAgent: "a text in quotes"
    case .limitsRate: "a rate in quotes, such as \"500K\", \"1.5M\" or \"none\""
    case .networkTimeout, .networkConnectTimeout, .networkRetryDelay, .hooksTimeout:
      "a whole number of seconds from 1 to \(TransferOptions.secondsMax)"
    case .networkTries: "a whole number from 0 (no limit) to \(TransferOptions.attemptsCountMax)"
    case .proxyURL:
      "a URL in quotes that begins with http://, https://, socks4://, socks4a://, socks5:// "
        + "or socks5h://"
    case .proxyNoProxy: "an array of host names in quotes"
    case .conditionsMains, .conditionsUnmetered: "\"auto\", \"always\" or \"never\""
    case .downloadsRemoteTime, .downloadsDecode, .networkNetrc, .networkHTTP2,
      .conditionsPauseOnBattery, .conditionsPauseOnMetered, .notifyDesktop, .notifyFailures,
      .notifyFinished, .rpcEnabled, .hooksRPC:
      "true or false"
    case .rpcPort: "a whole number from 1 to 65535"
    case .rpcAllowOrigin: "an array of origins in quotes, such as \"https://ariang.example.org\""
    case .rpcDirectories: "an array of paths in quotes that begin with \"/\" or \"~/\""
    case .hooksCompleted, .hooksFailed, .hooksNeedsUser, .hooksAllDone:
      "an array of texts in quotes, the program first: a name, or a path that begins with \"/\" "
        + "or \"~/\"; the text that a shell executes must not have placeholders"
    case .hooksConcurrency: "a whole number from 1 to \(ServiceConfiguration.Hooks.runningCountMax)"
    }
  }

  /// Whether its value is quoted.
  private var isText: Bool {
    switch self {
    case .downloadsDirectory, .downloadsOnConflict, .limitsRate, .networkUserAgent, .proxyURL,
      .conditionsMains, .conditionsUnmetered:
      true
    case .downloadsRemoteTime, .downloadsDecode, .limitsConnectionsPerTransfer, .limitsTransfers,
      .limitsConnectionsPerHost, .limitsConnections, .networkTimeout,
      .networkConnectTimeout, .networkTries, .networkRetryDelay, .networkNetrc, .networkHTTP2,
      .proxyNoProxy, .conditionsPauseOnBattery, .conditionsPauseOnMetered, .notifyDesktop,
      .notifyFailures, .notifyFinished, .rpcEnabled, .rpcPort, .rpcAllowOrigin, .rpcDirectories,
      .hooksCompleted, .hooksFailed, .hooksNeedsUser, .hooksAllDone, .hooksTimeout,
      .hooksConcurrency, .hooksRPC:
      false
    }
  }

  func problem(of value: TOMLValue) -> ConfigurationProblem.What {
    value == .unquoted && isText
      ? .unquoted(rawValue) : .wrongValue(rawValue, mustBe: expectation)
  }

  /// Applies the value; returns false if the key does not accept it.
  func apply(_ value: TOMLValue, to configuration: inout ServiceConfiguration) -> Bool {
    switch self {
    case .downloadsDirectory: Self.set(&configuration.downloadsDirectory, Self.path(value))
    case .downloadsOnConflict:
      Self.set(&configuration.defaults.onConflict, Self.text(value).flatMap(ConflictPolicy.init))
    case .downloadsRemoteTime:
      Self.set(&configuration.defaults.keepsServerTime, Self.boolean(value))
    case .downloadsDecode: Self.set(&configuration.defaults.unpacks, Self.boolean(value))
    case .limitsConnectionsPerTransfer:
      Self.set(&configuration.connectionsPerTransferMax, Self.count(value, max: 64))
    case .networkUserAgent: Self.set(&configuration.userAgent, Self.userAgent(value))
    case .limitsTransfers: Self.set(&configuration.transfersMax, Self.count(value, max: 1000))
    case .limitsConnectionsPerHost:
      Self.set(&configuration.connectionsPerHostMax, Self.count(value, max: 64))
    case .limitsConnections:
      Self.set(&configuration.connectionsMax, Self.count(value, max: 1000))
    case .limitsRate: Self.setRate(&configuration.limitBytesPerSecond, value)
    case .networkTimeout: Self.set(&configuration.silenceSeconds, Self.seconds(value))
    case .networkConnectTimeout: Self.set(&configuration.connectSeconds, Self.seconds(value))
    case .networkTries:
      Self.set(
        &configuration.attemptsMax,
        Self.count(value, min: 0, max: Int64(TransferOptions.attemptsCountMax)))
    case .networkRetryDelay: Self.set(&configuration.retryDelaySeconds, Self.seconds(value))
    case .networkNetrc: Self.set(&configuration.usesNetrc, Self.boolean(value))
    case .networkHTTP2: Self.set(&configuration.usesHTTP2, Self.boolean(value))
    case .proxyURL: Self.setProxy(&configuration.proxy, value)
    case .proxyNoProxy: Self.setHosts(&configuration.noProxy, value)
    case .conditionsMains: Self.set(&configuration.mains, Self.condition(value))
    case .conditionsUnmetered: Self.set(&configuration.unmetered, Self.condition(value))
    case .conditionsPauseOnBattery:
      Self.set(&configuration.pausesOnBattery, Self.boolean(value))
    case .conditionsPauseOnMetered:
      Self.set(&configuration.pausesOnMetered, Self.boolean(value))
    case .notifyDesktop: Self.set(&configuration.notify.desktop, Self.boolean(value))
    case .notifyFailures: Self.set(&configuration.notify.failures, Self.boolean(value))
    case .notifyFinished: Self.set(&configuration.notify.finished, Self.boolean(value))
    case .rpcEnabled: Self.set(&configuration.rpc.isEnabled, Self.boolean(value))
    case .rpcPort: Self.set(&configuration.rpc.port, Self.count(value, max: 65_535))
    case .rpcAllowOrigin: Self.set(&configuration.rpc.allowedOrigins, Self.origins(value))
    case .rpcDirectories: Self.set(&configuration.rpc.directories, Self.paths(value))
    case .hooksCompleted: Self.set(&configuration.hooks.commands[.completed], Self.hook(value))
    case .hooksFailed: Self.set(&configuration.hooks.commands[.failed], Self.hook(value))
    case .hooksNeedsUser: Self.set(&configuration.hooks.commands[.needsUser], Self.hook(value))
    case .hooksAllDone: Self.set(&configuration.hooks.commands[.allDone], Self.hook(value))
    case .hooksTimeout: Self.set(&configuration.hooks.timeLimitSeconds, Self.seconds(value))
    case .hooksConcurrency:
      Self.set(
        &configuration.hooks.runningMax,
        Self.count(value, max: ServiceConfiguration.Hooks.runningCountMax))
    case .hooksRPC: Self.set(&configuration.hooks.appliesToRPC, Self.boolean(value))
    }
  }

  private static func set<Value>(_ setting: inout Value?, _ value: Value?) -> Bool {
    guard let value else { return false }
    setting = value
    return true
  }

  private static func set<Value>(_ setting: inout Value, _ value: Value?) -> Bool {
    guard let value else { return false }
    setting = value
    return true
  }

  private static func condition(_ value: TOMLValue) -> ServiceConfiguration.Condition? {
    guard case .string(let text) = value else { return nil }
    return ServiceConfiguration.Condition(rawValue: text)
  }

  private static func text(_ value: TOMLValue) -> String? {
    guard case .string(let text) = value else { return nil }
    return text
  }

  /// Returns a text that can be the value of a header.
  static func userAgent(_ value: TOMLValue) -> String? {
    text(value).flatMap { text in
      let isUsable =
        (1...userAgentByteCountMax).contains(text.utf8.count)
        && HeaderField(name: "User-Agent", value: text) != nil
      return isUsable ? text : nil
    }
  }

  private static let userAgentByteCountMax = 1000

  private static func boolean(_ value: TOMLValue) -> Bool? {
    guard case .boolean(let boolean) = value else { return nil }
    return boolean
  }

  private static func count(_ value: TOMLValue, min: Int64 = 1, max: Int64) -> Int? {
    guard case .integer(let number) = value, number >= min, number <= max else { return nil }
    return Int(number)
  }

  private static func seconds(_ value: TOMLValue) -> Int? {
    count(value, max: Int64(TransferOptions.secondsMax))
  }

  static func path(_ value: TOMLValue) -> String? {
    guard case .string(let path) = value, path.hasPrefix("/") || path.hasPrefix("~/"),
      isPlain(path)
    else { return nil }
    return path
  }

  private static func setRate(_ setting: inout Int64?, _ value: TOMLValue) -> Bool {
    guard case .string(let text) = value else { return false }
    if text == RateText.none {
      setting = nil
      return true
    }
    return set(&setting, RateText.parse(text))
  }

  private static func setProxy(
    _ setting: inout ServiceConfiguration.Proxy, _ value: TOMLValue
  ) -> Bool {
    setting = proxy(value).map { .through($0) } ?? .unusable
    return setting != .unusable
  }

  /// Returns the proxy in the file, which must name its scheme.
  static func proxy(_ value: TOMLValue) -> String? {
    guard case .string(let text) = value, text.contains("://"), ProxyServer(text) != nil else {
      return nil
    }
    return text
  }

  /// libcurl expects one text with commas between the hosts (CURLOPT_NOPROXY).
  private static func setHosts(_ setting: inout [String], _ value: TOMLValue) -> Bool {
    guard case .array(let values) = value else { return false }
    var hosts: [String] = []
    for value in values {
      guard case .string(let host) = value, !host.isEmpty, isPlain(host),
        !host.contains(where: { $0 == "," || $0 == " " })
      else { return false }
      hosts.append(host)
    }
    setting = hosts
    return true
  }

  private static func origins(_ value: TOMLValue) -> [String]? {
    texts(value) { $0 == "*" || $0 == "null" || $0.contains("://") && !$0.hasSuffix("/") }
  }

  private static func paths(_ value: TOMLValue) -> [String]? {
    texts(value) { $0.hasPrefix("/") || $0.hasPrefix("~/") }
  }

  private static func hook(_ value: TOMLValue) -> HookCommand? {
    guard let words = texts(value, { _ in true }) else { return nil }
    return try? HookCommand.make(words).get()
  }

  private static func texts(_ value: TOMLValue, _ isValid: (String) -> Bool) -> [String]? {
    guard case .array(let values) = value else { return nil }
    var texts: [String] = []
    for value in values {
      guard case .string(let text) = value, isPlain(text), isValid(text) else { return nil }
      texts.append(text)
    }
    return texts
  }

  private static func isPlain(_ text: String) -> Bool {
    !text.unicodeScalars.contains(where: \.isControl)
  }
}

extension ServiceConfiguration {
  /// Reads the file. A wrong key has no effect and leaves the others valid. A file that is not TOML
  /// has no effect at all, because its meaning is unknown.
  package static func read(_ bytes: [UInt8]) -> (ServiceConfiguration, [ConfigurationProblem]) {
    var configuration = ServiceConfiguration()
    var problems: [ConfigurationProblem] = []
    do throws(TOMLProblem) {
      let document = try TOMLReader.read(bytes)
      for entry in document.entries
      where !RulesTable.contains(entry) && !LimitScheduleTable.contains(entry) {
        if let what = configuration.apply(entry) {
          problems.append(ConfigurationProblem(what, line: entry.line))
        }
      }
      // After the proxies in the other table, which these replace.
      for entry in document.entries where HostsTable.contains(entry) {
        if let what = HostsTable.apply(entry, to: &configuration) {
          problems.append(ConfigurationProblem(what, line: entry.line))
        }
      }
      let (rules, problemsOfRules) = RulesTable.read(
        document, queues: Set(configuration.queues.keys))
      configuration.rules = rules
      problems += problemsOfRules + HostsTable.proxyConflicts(in: document)
      let (limits, problemsOfLimits) = LimitScheduleTable.read(document)
      configuration.limitSchedule = limits
      problems += problemsOfLimits
    } catch {
      let problem = ConfigurationProblem(.unreadable(error.detail), line: error.line)
      return (ServiceConfiguration(), [problem])
    }
    return (configuration, problems.sorted { $0.line ?? 0 < $1.line ?? 0 })
  }

  /// Applies an entry, or returns its problem.
  private mutating func apply(_ entry: TOMLEntry) -> ConfigurationProblem.What? {
    if HostsTable.contains(entry) { return nil }
    if ProxyHostsTable.contains(entry) { return ProxyHostsTable.apply(entry, to: &self) }
    if QueuesTable.contains(entry) { return QueuesTable.apply(entry, to: &self) }
    guard let key = ConfigurationKey(rawValue: entry.name) else {
      return DashboardConfiguration.table(of: entry) == nil ? .unknownKey(entry.name) : nil
    }
    return key.apply(entry.value, to: &self) ? nil : key.problem(of: entry.value)
  }
}
