import KettleConfiguration
import KettleControl
import KettleCurl
import KettleDesktop
import KettleEngine
import KettleModel
import KettleScheduler
import KettleSocket
import KettleSystem

/// The settings for the parts of the service, combined from the user's configuration file, the
/// environment and the system's limits.
struct ServiceSettings: Sendable {
  let documentsDirectory: String
  let engine: TransferEngine.Configuration
  let curl: CurlSettings
  let listener: ControlListener.Limits
  let conditions: MachineWatch.Settings
  let alerts: Alerts?
  /// nil if the RPC is disabled.
  let rpc: RPCSettings?
  let hooks: HookSettings
  let objectStores: ObjectStoreAccess
  /// The configuration file.
  let file: ServiceConfiguration
  /// How much of the configuration file is known.
  let standing: FileStanding
  /// The problems of the configuration file, one sentence each, for the reader.
  let notices: [String]

  /// How much of a configuration file is known.
  enum FileStanding: Hashable, Sendable {
    /// All settings that were meant, or there is no file.
    case known
    /// A setting that was meant has no effect.
    case partlyKnown
    /// Nothing: what the file forbids is unknown.
    case unknown
  }

  /// The desktop notifications to send, and the bus to send them on; nil for none.
  struct Alerts: Hashable, Sendable {
    var board: AlertBoard.Settings
    var busAddresses: [BusAddress]
  }

  /// Reads the configuration file.
  ///
  /// - Parameter reader: whether the service has settings already.
  init(
    _ options: TransferService.Options, descriptorLimit: Int,
    for reader: ConfigurationReader = .startingService
  ) {
    let paths = options.paths
    let contents = FileContents.read(
      path: paths.configPath, byteCountMax: ConfigurationFile.byteCountMax)
    let source = ConfigurationFile(path: paths.configPath, contents: contents)
    let (file, problems) = source.readForService()
    notices = source.notices(problems, for: reader)
    standing = FileStanding(problems)
    self.file = file
    documentsDirectory =
      file.downloadsDirectory(home: paths.homeDirectory) ?? paths.documentsDirectory
    rpc = RPCSettings(file.rpc, paths, documentsDirectory: documentsDirectory)
    let budget = DescriptorBudget(limit: descriptorLimit)
    var engine = Self.engine(file, documentsDirectory: documentsDirectory, budget)
    engine.heldDirectory = paths.heldDirectory
    engine.unreadConfiguration = standing == .unknown ? paths.configPath : nil
    let proxies = Self.proxies(file, options.environment)
    if proxies != .none { engine.proxy = { proxies.proxyName(to: $0) } }
    hooks = HookSettings(file.hooks)
    objectStores = file.objectStores.access(in: options.environment)
    engine.hooks = hooks.rules
    engine.netrcPath = paths.homeDirectory + "/.netrc"
    engine.hosts = file.hostSettings(home: paths.homeDirectory)
    engine.rules = file.rules(home: paths.homeDirectory)
    engine.defaults = file.defaults
    engine.readHeaders = HostHeadersFile.read
    self.engine = engine
    listener = ControlListener.Limits(connectionCountMax: budget.clientCountMax)
    conditions = Self.conditions(file, options.environment)
    alerts = Self.alerts(file.notify, options.environment)
    curl = CurlSettings(
      userAgent: file.userAgent ?? "Kettle/\(ProductVersion.text)",
      certificates: TrustedCertificates(environment: options.environment),
      proxies: proxies, ssh: SSHSettings(environment: options.environment))
  }

  private static func conditions(
    _ file: ServiceConfiguration, _ environment: [String: String]
  ) -> MachineWatch.Settings {
    var settings = MachineWatch.Settings(
      busAddresses: BusAddress.system(environment: environment))
    settings.mains = rule(file.mains)
    settings.unmetered = rule(file.unmetered)
    return settings
  }

  private static func alerts(
    _ notify: ServiceConfiguration.Notify, _ environment: [String: String]
  ) -> Alerts? {
    guard notify.desktop else { return nil }
    var board = AlertBoard.Settings()
    board.reportsFailures = notify.failures
    board.reportsFinished = notify.finished
    return Alerts(board: board, busAddresses: sessionBus(environment))
  }

  /// The address in the environment belongs to the login that started the service; the one in the
  /// runtime directory also works after the next login. An empty variable disables notifications.
  private static func sessionBus(_ environment: [String: String]) -> [BusAddress] {
    let name = "DBUS_SESSION_BUS_ADDRESS"
    let given = BusAddress.session(environment: environment)
    guard environment[name] != "" else { return given }
    let lasting = BusAddress.session(environment: environment.filter { $0.key != name })
    return given + lasting.filter { !given.contains($0) }
  }

  private static func rule(
    _ condition: ServiceConfiguration.Condition
  ) -> MachineWatch.Settings.Rule {
    switch condition {
    case .auto: .checked
    case .always: .preset(true)
    case .never: .preset(false)
    }
  }

  private static func proxies(
    _ file: ServiceConfiguration, _ environment: [String: String]
  ) -> ProxyRules {
    var rules = ProxyRules(environment: environment)
    if let route = route(file.proxy, of: "proxy.url") {
      rules = ProxyRules(
        forHTTP: route, forHTTPS: route, forFiles: route,
        exceptions: ProxyExceptions(file.noProxy))
      rules.yieldsToEnvironment = false
    } else if !file.noProxy.isEmpty {
      rules.exceptions = ProxyExceptions(file.noProxy)
    }
    // The longest name is the most specific.
    let hosts = file.proxyOfHost.sorted { ($1.key.count, $0.key) < ($0.key.count, $1.key) }
    rules.hosts = hosts.compactMap { host, proxy in
      route(proxy, of: "proxy.hosts.\(host)").map {
        ProxyRules.HostRoute(hosts: ProxyExceptions([host]), route: $0)
      }
    }
    return rules
  }

  /// - Parameter key: the key of the configuration file that names the proxy.
  private static func route(
    _ proxy: ServiceConfiguration.Proxy, of key: String
  ) -> ProxyRules.Route? {
    switch proxy {
    case .asInEnvironment: nil
    case .none: .direct
    case .through(let text):
      ProxyServer(text).map(ProxyRules.Route.through)
        ?? .unusable("\(key) in the configuration file")
    case .unusable: .unusable("\(key) in the configuration file")
    }
  }

  /// Servers accept about 100 streams on a connection (RFC 9113, section 6.5.2).
  private static let streamsMax = 64

  private static func engine(
    _ file: ServiceConfiguration, documentsDirectory: String, _ budget: DescriptorBudget
  ) -> TransferEngine.Configuration {
    var engine = TransferEngine.Configuration(documentsDirectory: documentsDirectory)
    let most = budget.connectionCountMax
    engine.limits.runningMax = min(file.transfersMax ?? engine.limits.runningMax, most)
    engine.limits.connectionsMax = min(file.connectionsMax, most)
    engine.limits.connectionsPerHostMax = min(file.connectionsPerHostMax, most)
    engine.limits.connectionsMaxOfHost = file.hosts.connectionsMax.mapped { min($0, most) }
    engine.limits.division.connectionsMax = file.connectionsPerTransferMax
    // Streams come on top of the built-in number of transfers, never of the user's.
    engine.limits.streamsMax = file.usesHTTP2 ? min(streamsMax, most) : 0
    engine.limits.runningWithStreamsMax = file.transfersMax
    engine.limitSchedule = LimitSchedule(
      entries: file.limitSchedule.sorted { $0.key < $1.key }.compactMap { LimitSchedule.Entry($1) },
      bytesPerSecond: file.limitBytesPerSecond)
    engine.queues = file.queues.mapValues {
      NamedQueues.Settings(transfersMax: $0.transfersMax, hours: $0.schedule.weekly)
    }
    if file.pausesOnBattery { engine.conditionsOfUser.insert(.mainsPower) }
    if file.pausesOnMetered { engine.conditionsOfUser.insert(.unmeteredNetwork) }
    engine.zone = .system
    engine.usesNetrc = file.usesNetrc
    engine.verifiesEveryMilliseconds = file.verifiesEveryMilliseconds
    var defaults = TransferOptions()
    defaults.silenceSeconds = file.silenceSeconds
    defaults.connectSeconds = file.connectSeconds
    defaults.attemptsMax = file.attemptsMax
    defaults.retryDelaySeconds = file.retryDelaySeconds
    engine.adapt(to: defaults)
    // With the maximum number of running transfers, this is a few MiB of memory.
    engine.lateFileByteCountMax = 256 << 10
    // Tasks with conditions wait until the machine has been checked: an earlier start could violate
    // what their program requested.
    engine.metConditions = []
    return engine
  }
}

extension ServiceSettings.FileStanding {
  init(_ problems: [ConfigurationProblem]) {
    self =
      problems.contains(where: \.hidesTheFile)
      ? .unknown : problems.contains(where: \.loosens) ? .partlyKnown : .known
  }
}

extension LimitSchedule.Entry {
  /// nil for an incomplete one.
  fileprivate init?(_ limit: ServiceConfiguration.ScheduledLimit) {
    guard let hours = limit.schedule.weekly, let rate = limit.rate else { return nil }
    switch rate {
    case .unlimited: self.init(hours: hours, bytesPerSecond: nil)
    case .bytesPerSecond(let bytesPerSecond):
      self.init(hours: hours, bytesPerSecond: bytesPerSecond)
    }
  }
}

extension ProxiesInUse {
  /// Describes the proxies without their logins.
  init(_ rules: ProxyRules) {
    self.init()
    (http, https) = (Self.address(rules.forHTTP), Self.address(rules.forHTTPS))
    for case .unusable(let name) in [rules.forHTTP, rules.forHTTPS, rules.forFiles]
    where !unusable.contains(name) {
      unusable.append(name)
    }
  }

  private static func address(_ route: ProxyRules.Route) -> String? {
    switch route {
    case .through(let server): server.description
    case .direct, .unusable: nil
    }
  }
}
