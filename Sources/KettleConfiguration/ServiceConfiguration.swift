import KettleModel

/// The user's settings in the configuration file; nil and empty mean the built-in behavior.
package struct ServiceConfiguration: Hashable, Sendable {
  /// As written in the file: absolute, or beginning with `~/`.
  package var downloadsDirectory: String?
  /// What downloads get without a choice.
  package var defaults = TransferDefaults()
  package var transfersMax: Int?
  package var connectionsPerHostMax: Int?
  package var connectionsMax: Int?
  package var connectionsPerTransferMax: Int?
  /// The total for all transfers.
  package var limitBytesPerSecond: Int64?
  /// The longest silence of a server.
  package var silenceSeconds: Int?
  package var connectSeconds: Int?
  /// How many attempts without new bytes are made; 0 means any number.
  package var attemptsMax: Int?
  package var retryDelaySeconds: Int?
  /// Whether `~/.netrc` may supply logins.
  package var usesNetrc: Bool?
  /// Sent in place of Kettle's own name.
  package var userAgent: String?
  /// Whether small files may share connections.
  package var usesHTTP2: Bool?
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
  /// In the order of the file.
  package var rules: [TransferRule] = []
  package var hosts = Hosts()

  package init() {}

  package enum Proxy: Hashable, Sendable {
    case asInEnvironment
    case through(String)
    /// A direct connection.
    case none
    /// The value is not a proxy. A direct connection would reveal what the proxy was to hide.
    case unusable
  }

  package enum Condition: String, Hashable, Sendable {
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
    package var port: Int?
    /// Origins of pages that may use it.
    package var allowedOrigins: [String] = []
    /// Directories for its downloads besides the downloads directory, as written in the file.
    package var directories: [String] = []

    package init() {}

    /// Returns the directories as absolute paths.
    package func directories(home: String) -> [String] {
      directories.map { $0.hasPrefix("~") ? home + $0.dropFirst() : $0 }
    }
  }

  /// Programs to start when something has happened.
  package struct Hooks: Hashable, Sendable {
    package var commands: [HookEvent: HookCommand] = [:]
    package var timeLimitSeconds: Int?
    package var runningMax: Int?
    package var appliesToRPC = false

    package init() {}

    package static let runningCountMax: Int64 = 64
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
    downloadsDirectory.map { Self.absolute($0, home: home) }
  }

  /// Returns the rules with absolute directories, or such below the downloads directory.
  package func rules(home: String) -> [TransferRule] {
    rules.map { rule in
      var rule = rule
      rule.effects.directory = rule.effects.directory.map { Self.absolute($0, home: home) }
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
        settings.headerPaths[origin] = Self.absolute(path, home: home)
      }
    }
    return settings
  }

  private static func absolute(_ path: String, home: String) -> String {
    path.hasPrefix("~") ? home + path.dropFirst() : path
  }
}

extension ServiceConfiguration {
  /// The tables whose changes apply when the service is started again, by name.
  ///
  /// - Parameter started: what the service was started with.
  package func tablesForRestart(since started: ServiceConfiguration) -> [String] {
    let downloads = downloadsDirectory != started.downloadsDirectory
    let network =
      silenceSeconds != started.silenceSeconds || connectSeconds != started.connectSeconds
      || attemptsMax != started.attemptsMax || retryDelaySeconds != started.retryDelaySeconds
      || usesNetrc != started.usesNetrc || userAgent != started.userAgent
    let proxies =
      proxy != started.proxy || proxyOfHost != started.proxyOfHost || noProxy != started.noProxy
    let conditions = mains != started.mains || unmetered != started.unmetered
    let changes = [
      ("downloads", downloads), ("network", network), ("proxy", proxies),
      ("conditions", conditions), ("notify", notify != started.notify),
    ]
    return changes.filter(\.1).map(\.0)
  }
}
