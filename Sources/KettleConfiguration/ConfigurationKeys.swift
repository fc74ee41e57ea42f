import KettleModel

/// All keys of the configuration file. The reader, `kettle config`, kettle-config(5) and the tables
/// in docs/configuration.md come from these lists. Another key is an entry here and the property
/// that it sets.
package enum ConfigurationKeys {
  private typealias Key = ConfigurationKey<ServiceConfiguration>

  /// The keys of the service whose names are fixed.
  package static let service: [ConfigurationKey<ServiceConfiguration>] =
    [downloads, limits, network, proxy, s3, conditions, notify, rpc, hooks, verify].flatMap(\.self)

  /// The full names of the service's keys without a name of the user's.
  static var fixedNames: [String] {
    service.map(\.name) + rules.map(\.name) + limitSchedule.map(\.name)
  }

  private static let downloads: [Key] = [
    Key("downloads.directory", setsOptional: \.downloadsDirectory, to: .path, waitsForStart: true)
      .means(
        "Where files go without a directory of their own.",
        otherwise: "the desktop's download directory"),
    Key("downloads.on-conflict", sets: \.defaults.onConflict, to: .word)
      .means(
        "What happens if a file with the name exists.", otherwise: "which adds a number to the name"
      ),
    Key("downloads.remote-time", sets: \.defaults.keepsServerTime, to: .boolean)
      .means("Whether files get the modification time that the server gives."),
    Key("downloads.decode", sets: \.defaults.unpacks, to: .boolean)
      .means("Whether files that servers send compressed are unpacked."),
  ]

  private static let limits: [Key] = [
    Key("limits.transfers", setsOptional: \.transfersMax, to: .count(1...1000))
      .means("How many transfers run at once.", otherwise: "20"),
    Key("limits.connections-per-host", sets: \.connectionsPerHostMax, to: .count(1...64))
      .means("How many connections one host gets, all transfers together."),
    Key("limits.connections", sets: \.connectionsMax, to: .count(1...1000))
      .means("How many connections there are to all hosts together."),
    Key("limits.connections-per-transfer", sets: \.connectionsPerTransferMax, to: .count(1...64))
      .means("How many connections one transfer may get."),
    Key("limits.rate", sets: \.limitBytesPerSecond, to: .rate)
      .means(
        "Bytes per second, all transfers together, with K, M or G for powers of 1024.",
        otherwise: "no limit"),
  ]

  private static let network: [Key] = [
    Key("network.timeout", setsOptional: \.silenceSeconds, to: .seconds, waitsForStart: true)
      .means(
        "How long a server may be silent.",
        otherwise: "60, doubled after each attempt in which a server was silent"),
    Key("network.connect-timeout", sets: \.connectSeconds, to: .seconds, waitsForStart: true)
      .means("The time for the name, the connection and TLS."),
    Key("network.tries", setsOptional: \.attemptsMax, to: .attempts, waitsForStart: true)
      .means("The number of attempts without new bytes.", otherwise: "11"),
    Key("network.retry-delay", sets: \.retryDelaySeconds, to: .seconds, waitsForStart: true)
      .means("The pause before the first retry. It doubles up to a minute."),
    Key("network.netrc", sets: \.usesNetrc, to: .boolean, waitsForStart: true)
      .means("Whether ~/.netrc may supply logins."),
    Key("network.http2", sets: \.usesHTTP2, to: .boolean)
      .means("Whether many small files from one server may share a connection."),
    Key("network.user-agent", setsOptional: \.userAgent, to: .userAgent, waitsForStart: true)
      .means("What Kettle calls itself to servers.", otherwise: "Kettle and its version"),
  ]

  private static let proxy: [Key] = [
    Key("proxy.url", sets: \.proxy, to: .proxy, ifWrong: .unusable, waitsForStart: true)
      .means(
        "The proxy, in place of those of the environment.",
        otherwise: "the proxies of the environment"),
    Key("proxy.no-proxy", sets: \.noProxy, to: .hosts, waitsForStart: true)
      .means(
        "Hosts, addresses and networks that are reached without the proxy, with their subdomains.",
        otherwise: "the hosts in no_proxy of the environment"),
  ]

  private static let s3: [Key] = [
    Key("s3.endpoint", setsOptional: \.objectStores.endpoint, to: .endpoint, waitsForStart: true)
      .means(
        "The service that has the buckets of s3:// destinations.",
        otherwise: "that of the profile, or else Amazon's"),
    Key("s3.region", setsOptional: \.objectStores.region, to: .region, waitsForStart: true)
      .means(
        "The region of those buckets.", otherwise: "that of the profile, or else us-east-1"),
    Key(
      "s3.path-style", setsOptional: \.objectStores.usesPathStyle, to: .boolean,
      waitsForStart: true
    )
    .means(
      "Whether the bucket is in the path of URLs and not in the host.",
      otherwise: "true, if there is an endpoint or the name has a dot"),
    Key("s3.profile", setsOptional: \.objectStores.profile, to: .profile, waitsForStart: true)
      .means(
        "The profile in ~/.aws/credentials and ~/.aws/config that has the key.",
        otherwise: "AWS_PROFILE, or else default"),
  ]

  private static let conditions: [Key] = [
    Key("conditions.mains", sets: \.mains, to: .word, waitsForStart: true)
      .means(
        "Whether the machine counts as on mains power.",
        otherwise: "which asks UPower and the kernel"),
    Key("conditions.unmetered", sets: \.unmetered, to: .word, waitsForStart: true)
      .means("Whether the network counts as unmetered.", otherwise: "which asks NetworkManager"),
    Key("conditions.pause-on-battery", sets: \.pausesOnBattery, to: .boolean)
      .means("Whether your own transfers wait while the machine is running on battery."),
    Key("conditions.pause-on-metered", sets: \.pausesOnMetered, to: .boolean)
      .means("Whether your own transfers wait while the network is metered."),
  ]

  private static let notify: [Key] = [
    Key("notify.desktop", sets: \.notify.desktop, to: .boolean, waitsForStart: true)
      .means("Whether desktop notifications are shown."),
    Key("notify.failures", sets: \.notify.failures, to: .boolean, waitsForStart: true)
      .means("Whether they report transfers that failed or need you."),
    Key("notify.finished", sets: \.notify.finished, to: .boolean, waitsForStart: true)
      .means("Whether they report that everything in progress is done."),
  ]

  private static let rpc: [Key] = [
    Key("rpc.enabled", sets: \.rpc.isEnabled, to: .boolean)
      .means("Whether programs that control aria2 may control Kettle."),
    Key("rpc.port", sets: \.rpc.port, to: .count(1...65_535))
      .means("The port of that interface."),
    Key("rpc.allow-origin", sets: \.rpc.allowedOrigins, to: .origins)
      .means(
        "Origins of pages that may use it, \"null\" for pages opened from a file, or \"*\" for all.",
        otherwise: "pages of this machine and extensions of browsers"),
    Key("rpc.directories", sets: \.rpc.directories, to: .paths)
      .means("Where its downloads may go besides the downloads directory.", otherwise: "none"),
  ]

  private static let hooks: [Key] = [
    Key("hooks.completed", setsOptional: \.hooks.commands[.completed], to: .program)
      .means(
        "A program to start when a transfer has completed, and its arguments.", otherwise: "none"),
    Key("hooks.failed", setsOptional: \.hooks.commands[.failed], to: .program)
      .means("The same for a transfer that failed.", otherwise: "none"),
    Key("hooks.needs-user", setsOptional: \.hooks.commands[.needsUser], to: .program)
      .means("The same for a transfer that cannot continue without you.", otherwise: "none"),
    Key("hooks.all-done", setsOptional: \.hooks.commands[.allDone], to: .program)
      .means("The same for the end of the last transfer that was under way.", otherwise: "none"),
    Key("hooks.timeout", sets: \.hooks.timeLimitSeconds, to: .seconds)
      .means("How long such a program may run before it is ended."),
    Key("hooks.concurrency", sets: \.hooks.runningMax, to: .count(1...64))
      .means("How many such programs run at once; the others wait."),
    Key("hooks.rpc", sets: \.hooks.appliesToRPC, to: .boolean)
      .means("Whether they are started for transfers that were added through the RPC."),
  ]

  private static let verify: [Key] = [
    Key("verify.every", setsOptional: \.verifiesEveryMilliseconds, to: .period, waitsForStart: true)
      .means(
        "After how long a finished file is compared again with what was downloaded, while nothing "
          + "is being downloaded.", otherwise: "never")
  ]
}

// MARK: Tables with a name or a number of the user's

extension ConfigurationKeys {
  /// `[[rules]]`: conditions, then effects.
  package static let rules: [ConfigurationKey<TransferRule>] = [
    ConfigurationKey("rules.#.host", sets: \.conditions.hosts, to: .ruleHosts)
      .means("Applies to these hosts and those below them, as in the URL of the download."),
    ConfigurationKey("rules.#.extension", sets: \.conditions.fileExtensions, to: .fileExtensions)
      .means("Applies to files whose names end in a dot and this. Case does not matter."),
    ConfigurationKey(
      "rules.#.type", sets: \.conditions.types,
      to: .oneOrMore(
        "a MIME type in quotes, such as \"video/*\", or an array of them", MediaTypePattern.init)
    )
    .means("Applies to what the server calls this, whatever follows the semicolon."),
    ConfigurationKey(
      "rules.#.name", sets: \.conditions.names,
      to: .oneOrMore(
        "a pattern in quotes, such as \"debian-*.iso\", or an array of them", NamePattern.init)
    )
    .means(
      "Applies to files with such a name. * stands for any text and ? for one character; case does "
        + "not matter."),
    ConfigurationKey("rules.#.directory", setsOptional: \.effects.directory, to: .directory)
      .means(
        "Where the file goes. A directory below the downloads directory is made when it is missing."
      ),
    ConfigurationKey("rules.#.title", setsOptional: \.effects.title, to: .title)
      .means("What is shown in place of the file name."),
    ConfigurationKey(
      "rules.#.limit", setsOptional: \.effects.limitBytesPerSecond,
      to: .text("a rate in quotes, such as \"500K\" or \"1.5M\"", RateText.parse)
    )
    .means("Bytes per second, with K, M or G for powers of 1024."),
    ConfigurationKey(
      "rules.#.priority", setsOptional: \.effects.priority,
      to: .text(
        "\"low\", \"normal\", \"high\", or a number from 0 to 1 in quotes", PriorityText.parse)
    )
    .means("The place in the queue."),
    ConfigurationKey("rules.#.connections", setsOptional: \.effects.connections, to: .count(1...64))
      .means("The maximum number of connections of the download."),
    ConfigurationKey("rules.#.queue", setsOptional: \.effects.queue, to: .queueInFile)
      .means("The queue of the download, which has a table [queues.NAME]."),
  ]

  /// `[hosts.HOST]`. A wrong proxy or a wrong file leaves one that cannot be used: without it, a
  /// request would not be what the user wants. Wrong origins leave none, because the headers may be
  /// secrets.
  package static func host(_ host: String) -> [ConfigurationKey<ServiceConfiguration>] {
    [
      Key(
        "hosts.HOST.connections", setsOptional: \.hosts.connectionsMax[name: host],
        to: .count(1...64)
      )
      .means(
        "How many connections the host gets, all transfers together, in place of "
          + "limits.connections-per-host."),
      Key("hosts.HOST.proxy", setsOptional: \.proxyOfHost[host], to: .hostProxy, ifWrong: .unusable)
        .means("The proxy for the host, in place of the one in [proxy.hosts]."),
      Key(
        "hosts.HOST.headers-file", setsOptional: \.hosts.headersFiles[host],
        to: .path.asking(forQuotes: false), ifWrong: ""
      )
      .means("The file with headers for the host."),
      Key(
        "hosts.HOST.headers-for", setsOptional: \.hosts.headerOrigins[host], to: .origins(of: host),
        ifWrong: []
      )
      .means("The origins that get those headers."),
      Key("hosts.HOST.netrc", setsOptional: \.hosts.usesNetrc[name: host], to: .boolean)
        .means("Whether ~/.netrc may supply logins for the host."),
      Key(
        "hosts.HOST.user-agent", setsOptional: \.hosts.userAgent[name: host],
        to: .userAgent.asking(forQuotes: false)
      )
      .means("What Kettle calls itself there."),
    ]
  }

  /// `[queues.NAME]`
  package static let queues: [ConfigurationKey<ServiceConfiguration.Queue>] = [
    ConfigurationKey("queues.NAME.transfers", setsOptional: \.transfersMax, to: .count(1...1000))
      .means("How many transfers of the queue run at once.", otherwise: "only limits.transfers"),
    ConfigurationKey("queues.NAME.hours", setsOptional: \.schedule.hours, to: .hours)
      .means("When they may run.", otherwise: "the whole day"),
    ConfigurationKey("queues.NAME.days", sets: \.schedule.days, to: .days)
      .means("The days on which the hours begin.", otherwise: "every day"),
  ]

  /// `[[limits.schedule]]`
  package static let limitSchedule: [ConfigurationKey<ServiceConfiguration.ScheduledLimit>] = [
    ConfigurationKey("limits.schedule.#.rate", setsOptional: \.rate, to: .rate)
      .means(
        "Bytes per second at that time, in place of limits.rate.",
        otherwise: "the entry has no effect"),
    ConfigurationKey("limits.schedule.#.hours", setsOptional: \.schedule.hours, to: .hours)
      .means("When the limit applies.", otherwise: "the whole day"),
    ConfigurationKey("limits.schedule.#.days", sets: \.schedule.days, to: .days)
      .means("The days on which the hours begin.", otherwise: "every day"),
  ]
}

// MARK: The dashboard

extension ConfigurationKeys {
  /// The keys of the dashboard whose names are fixed.
  static let dashboard: [ConfigurationKey<DashboardConfiguration>] = [
    ConfigurationKey("dashboard.mouse", sets: \.isMouseOn, to: .boolean)
      .means("Whether the dashboard reacts to clicks and the wheel."),
    ConfigurationKey("dashboard.bell", sets: \.ringsBell, to: .boolean)
      .means("Whether it rings when everything is done, and when a transfer failed."),
    ConfigurationKey("dashboard.taskbar", sets: \.showsTaskbarProgress, to: .boolean)
      .means("Whether it shows progress if the terminal supports it."),
    ConfigurationKey("dashboard.announcements", sets: \.announces, to: .boolean)
      .means("Whether it notifies through the terminal if that supports it."),
    ConfigurationKey("theme.name", setsOptional: \.theme, to: .themeName)
      .means(
        "The theme, built in or a file of the user's.", otherwise: "colors that suit the terminal"),
    ConfigurationKey("theme.background", sets: \.background, to: .word.asking(forQuotes: false))
      .means("The background for which colors are chosen.", otherwise: "which asks the terminal"),
  ]
}
