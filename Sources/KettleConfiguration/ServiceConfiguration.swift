import KettleModel

/// The user's settings in the configuration file; nil and empty mean the built-in behavior.
/// `ConfigurationKeys` says which key sets which of them.
package struct ServiceConfiguration: Hashable, Sendable {
  /// As written in the file: absolute, or beginning with `~/`.
  package var downloadsDirectory: String?
  /// What downloads get without a choice.
  package var defaults = TransferDefaults()
  package var transfersMax: Int?
  package var connectionsPerHostMax = 24
  package var connectionsMax = 64
  package var connectionsPerTransferMax = 16
  /// The total for all transfers.
  package var limitBytesPerSecond: Int64?
  /// The longest silence of a server.
  package var silenceSeconds: Int?
  package var connectSeconds = 30
  /// How many attempts without new bytes are made; 0 means any number.
  package var attemptsMax: Int?
  package var retryDelaySeconds = 1
  /// Whether `~/.netrc` may supply logins.
  package var usesNetrc = true
  /// Sent in place of Kettle's own name.
  package var userAgent: String?
  /// Whether small files may share connections.
  package var usesHTTP2 = true
  package var proxy = Proxy.asInEnvironment
  /// Hosts with a proxy of their own, each with those below it.
  package var proxyOfHost: [String: Proxy] = [:]
  /// Hosts that are reached without the proxy.
  package var noProxy: [String] = []
  /// Whether the machine counts as on mains power, for transfers with that condition.
  package var mains = Condition.auto
  /// Whether traffic counts as free of charge.
  package var unmetered = Condition.auto
  /// Whether the user's own transfers wait while the machine is running on battery.
  package var pausesOnBattery = false
  /// Whether the user's own transfers wait while traffic costs something.
  package var pausesOnMetered = false
  /// The user's queues.
  package var queues: [QueueName: Queue] = [:]
  /// The limit for all transfers together in parts of the week, by the position in the file. The
  /// first one that contains the time counts.
  package var limitSchedule: [Int: ScheduledLimit] = [:]
  package var notify = Notify()
  package var rpc = RPC()
  package var hooks = Hooks()
  /// After how long a finished file is compared again; nil means never.
  package var verifiesEveryMilliseconds: Int64?
  /// In the order of the file.
  package var rules: [TransferRule] = []
  package var hosts = Hosts()
  package var objectStores = ObjectStores()

  package init() {}

  package enum Proxy: Hashable, Sendable {
    case asInEnvironment
    case through(String)
    /// A direct connection.
    case none
    /// The value is not a proxy. A direct connection would reveal what the proxy was to hide.
    case unusable
  }

  package enum Condition: String, CaseIterable, Sendable {
    /// As the machine reports.
    case auto
    case always
    case never
  }

  package struct Queue: Hashable, Sendable {
    /// nil means no limit of its own.
    package var transfersMax: Int?
    package var schedule = WeeklySchedule()
  }

  package struct ScheduledLimit: Hashable, Sendable {
    package enum Rate: Hashable, Sendable {
      case unlimited
      case bytesPerSecond(Int64)
    }

    /// nil only while it is read.
    package var rate: Rate?
    package var schedule = WeeklySchedule()
  }

  /// Settings for notifications while no dashboard is open.
  package struct Notify: Hashable, Sendable {
    /// Whether desktop notifications are shown at all.
    package var desktop = true
    package var failures = true
    package var finished = true
  }

  /// Settings of the interface for clients of aria2.
  package struct RPC: Hashable, Sendable {
    package var isEnabled = false
    /// aria2's port.
    package var port = 6800
    /// Origins of pages that may use it.
    package var allowedOrigins: [String] = []
    /// Directories for its downloads besides the downloads directory, as written in the file.
    package var directories: [String] = []

    package init() {}

    /// Returns the directories as absolute paths.
    package func directories(home: String) -> [String] {
      directories.map { $0.absolutePath(home: home) }
    }
  }

  /// Programs to start when something has happened.
  package struct Hooks: Hashable, Sendable {
    package var commands: [HookEvent: HookCommand] = [:]
    package var timeLimitSeconds = 300
    package var runningMax = 4
    package var appliesToRPC = false

    package init() {}
  }

  /// How `s3://` destinations are reached; nil means as the files of Amazon's tools say.
  package struct ObjectStores: Hashable, Sendable {
    package var endpoint: TransferURL?
    package var region: String?
    package var usesPathStyle: Bool?
    package var profile: String?

    package init() {}

    /// - Parameter environment: says where those files are.
    package func access(in environment: [String: String]) -> ObjectStoreAccess {
      ObjectStoreAccess(
        endpoint: endpoint, region: region, usesPathStyle: usesPathStyle,
        keys: profile.map { .searched(AccessProfile(environment, name: $0), nil) })
    }
  }

  /// Settings for single hosts apart from their proxies, which are in `proxyOfHost`.
  package struct Hosts: Hashable, Sendable {
    package var connectionsMax = HostValues<Int>()
    package var usesNetrc = HostValues<Bool>()
    package var userAgent = HostValues<String>()
    /// The files with headers, as written in the file; empty if the value is wrong.
    package var headersFiles: [String: String] = [:]
    /// Where those headers go in place of HTTPS on the usual port; empty if the value is wrong.
    package var headerOrigins: [String: [Origin]] = [:]

    package init() {}
  }

  /// Returns the downloads directory as an absolute path.
  package func downloadsDirectory(home: String) -> String? {
    downloadsDirectory?.absolutePath(home: home)
  }

  /// Returns the rules with absolute directories, or such below the downloads directory.
  package func rules(home: String) -> [TransferRule] {
    rules.map { rule in
      var rule = rule
      rule.effects.directory = rule.effects.directory?.absolutePath(home: home)
      return rule
    }
  }

  /// Returns the settings for single hosts with absolute paths.
  package func hostSettings(home: String) -> HostSettings {
    var settings = HostSettings()
    settings.connectionsMax = hosts.connectionsMax
    settings.usesNetrc = hosts.usesNetrc
    settings.userAgent = hosts.userAgent
    // The longest name is the most specific, so it comes last.
    let files = hosts.headersFiles.sorted { ($0.key.count, $0.key) < ($1.key.count, $1.key) }
    for (host, path) in files {
      let usual = Origin(scheme: .https, host: host, port: TransferURL.Scheme.https.defaultPort)
      for origin in hosts.headerOrigins[host] ?? [usual] {
        settings.headerPaths[origin] = path.absolutePath(home: home)
      }
    }
    return settings
  }
}

extension String {
  /// Returns a path of the file with the home directory in place of `~`.
  package func absolutePath(home: String) -> String {
    hasPrefix("~") ? home + dropFirst() : self
  }
}

extension ServiceConfiguration {
  /// Reads the file. A wrong key has no effect and leaves the others valid.
  package static func read(_ bytes: [UInt8]) -> (ServiceConfiguration, [ConfigurationProblem]) {
    let (configuration, problems) = TOMLDocument.read(bytes, into: ServiceConfiguration()) {
      document, configuration in
      var problems = document.problems { configuration.apply($0) }
      // After the proxies in the other table, which these replace.
      problems += document.problems { entry in
        HostsTable.contains(entry) ? HostsTable.apply(entry, to: &configuration) : nil
      }
      problems += configuration.readRules(document)
      problems += HostsTable.proxyConflicts(in: document)
      problems += configuration.readLimitSchedule(document)
      return problems
    }
    return (configuration, problems.sorted { $0.line ?? 0 < $1.line ?? 0 })
  }

  /// Applies an entry outside of the tables that are read on their own, or returns its problem.
  private mutating func apply(_ entry: TOMLEntry) -> ConfigurationProblem.What? {
    if HostsTable.contains(entry) || DashboardConfiguration.contains(entry)
      || ConfigurationArray.allCases.contains(where: { $0.contains(entry) })
    {
      return nil
    }
    if let host = HostsTable.hostOfProxy(entry) {
      return HostsTable.applyProxy(entry, of: host, to: &self)
    }
    if QueuesTable.contains(entry) { return QueuesTable.apply(entry, to: &self) }
    return ConfigurationKeys.service.apply(entry, of: entry.name, to: &self)
  }

  private mutating func readRules(_ document: TOMLDocument) -> [ConfigurationProblem] {
    let (found, problems) = ConfigurationArray.rules.read(
      document, keys: ConfigurationKeys.rules, start: TransferRule.init(number:)
    ) { rule, place, problems in
      if rule.conditions.isEmpty, problems.isEmpty {
        problems.append(ConfigurationProblem(.withoutCondition(place.name), line: place.line))
      }
      if let queue = rule.effects.queue, queue != .standard, queues[queue] == nil {
        let name = "\(place.name).queue"
        problems.append(
          ConfigurationProblem(
            .wrongValue(name, mustBe: ValueKind<QueueName>.queueInFile.expectation),
            line: document.entries.first { $0.name == name }?.line))
      }
    }
    rules = found.map(\.element)
    return problems
  }

  private mutating func readLimitSchedule(_ document: TOMLDocument) -> [ConfigurationProblem] {
    let (found, problems) = ConfigurationArray.limitsSchedule.read(
      document, keys: ConfigurationKeys.limitSchedule, start: { _ in ScheduledLimit() }
    ) { limit, place, problems in
      let missing = limit.rate == nil ? "rate" : limit.schedule.weekly == nil ? "hours" : nil
      if let missing, problems.isEmpty {
        problems.append(
          ConfigurationProblem(.incomplete(place.name, lacks: missing), line: place.line))
      }
    }
    for (number, limit) in found { limitSchedule[number] = limit }
    return problems
  }

  /// The tables whose changes apply when the service is started again, by name.
  ///
  /// - Parameter started: what the service was started with.
  package func tablesForRestart(since started: ServiceConfiguration) -> [String] {
    var tables: [String] = []
    for key in ConfigurationKeys.service where key.waitsForStart && tables.last != key.table {
      let isSame =
        key.areEqual(self, started)
        && (key.table != "proxy" || proxyOfHost == started.proxyOfHost)
      if !isSame { tables.append(key.table) }
    }
    return tables
  }
}

/// The hours and days of a table that says when something holds.
package struct WeeklySchedule: Hashable, Sendable {
  /// As `01:00-06:00`; nil means the whole day.
  var hours: WeeklyHours?
  /// Empty means every day.
  var days: Set<WeeklyHours.Weekday> = []

  /// Both together; nil if neither is given, which means at any time.
  package var weekly: WeeklyHours? {
    guard hours != nil || !days.isEmpty else { return nil }
    let start = hours?.startMinute ?? 0
    let length = hours?.lengthMinutes ?? 1440
    return WeeklyHours(days: days, from: start, until: (start + length - 1) % 1440 + 1)
  }
}
