import KettleModel
import Testing

@testable import KettleConfiguration

struct ServiceConfigurationTests {
  private func read(_ text: String) -> (ServiceConfiguration, [ConfigurationProblem]) {
    ServiceConfiguration.read(Array(text.utf8))
  }

  private func sentences(_ text: String) -> [String] {
    read(text).1.map { $0.sentence(path: "/c/config.toml") }
  }

  @Test func `an empty file changes nothing`() {
    for text in ["", "\n\n", "# nothing\r\n", "[limits]\n", "\t "] {
      let (configuration, problems) = read(text)
      #expect(configuration == ServiceConfiguration())
      #expect(problems.isEmpty)
    }
  }

  @Test func `every key sets its property`() throws {
    let (configuration, problems) = read(
      """
      limits.transfers = 7
      downloads.directory = '/data/in "quotes"'
      [limits]
      connections-per-host = 64
      connections = 1_000
      rate = "2M"
      [proxy]
      url = "socks5h://me:pw@proxy.example:1080"
      no-proxy = [ "localhost", # ourselves
        ".example.org", ]
      [conditions]
      mains = "never"
      unmetered = 'always'
      [notify]
      desktop = false
      failures = false
      finished = false
      [hooks]
      completed = ["unpack", "{path}"]
      needs-user = ["~/bin/notify me"]
      timeout = 86_400
      concurrency = 64
      rpc = true
      """)
    #expect(problems.isEmpty)
    var expected = ServiceConfiguration()
    expected.downloadsDirectory = "/data/in \"quotes\""
    expected.transfersMax = 7
    expected.connectionsPerHostMax = 64
    expected.connectionsMax = 1000
    expected.limitBytesPerSecond = 2 << 20
    expected.proxy = .through("socks5h://me:pw@proxy.example:1080")
    expected.noProxy = ["localhost", ".example.org"]
    expected.mains = .never
    expected.unmetered = .always
    expected.notify.desktop = false
    expected.notify.failures = false
    expected.notify.finished = false
    expected.hooks.commands = [
      .completed: try HookCommand.make(["unpack", "{path}"]).get(),
      .needsUser: try HookCommand.make(["~/bin/notify me"]).get(),
    ]
    expected.hooks.timeLimitSeconds = 86_400
    expected.hooks.runningMax = 64
    expected.hooks.appliesToRPC = true
    #expect(configuration == expected)
  }

  @Test func `queues and schedules are read`() throws {
    let (configuration, problems) = read(
      """
      [queues.night]
      transfers = 2
      hours = "01:00-06:00"
      days = ["sat", "Sun"]
      [queues.weekend]
      days = ["sat", "sun"]
      [[limits.schedule]]
      rate = "2M"
      hours = "08:00-18:00"
      [[limits.schedule]]
      rate = "none"
      days = ["sun"]
      [conditions]
      pause-on-battery = true
      pause-on-metered = true
      """)
    #expect(problems.isEmpty)
    let night = configuration.queues[try #require(QueueName("night"))]
    #expect(night?.transfersMax == 2)
    #expect(night?.schedule.weekly?.text == "01:00-06:00 sat sun")
    let weekend = configuration.queues[try #require(QueueName("weekend"))]
    #expect(weekend?.schedule.weekly?.text == "00:00-24:00 sat sun")
    #expect(configuration.limitSchedule[1]?.rate == .bytesPerSecond(2 << 20))
    #expect(configuration.limitSchedule[1]?.schedule.weekly?.text == "08:00-18:00")
    #expect(configuration.limitSchedule[2]?.rate == .unlimited)
    #expect(configuration.pausesOnBattery && configuration.pausesOnMetered)
  }

  @Test(arguments: [
    ("[queues.night]\ntransfers = 0", "must be a whole number from 1 to 1000"),
    ("[queues.night]\nhours = \"1-6\"", "must be hours in quotes, such as \"01:00-06:00\""),
    ("[queues.night]\ndays = [\"monday\"]", "must be an array of days in quotes"),
    (
      "[queues.night]\nlimit = 3",
      "\"queues.night.limit\" in line 2 of \"/c/config.toml\" is unknown"
    ),
    ("queues.night = 3", "is unknown"),
    ("[[limits.schedule]]\nrate = \"fast\"\nhours = \"1:00-2:00\"", "must be a rate in quotes"),
    ("[[limits.schedule]]\nhours = \"1:00-2:00\"", "has no \"rate\", so it has no effect"),
    ("[[limits.schedule]]\nrate = \"1M\"", "has no \"hours\", so it has no effect"),
    ("[[limits.schedule]]\nrates = \"1M\"", "\"limits.schedule.1.rates\""),
  ])
  func `a wrong setting of a queue or a schedule is reported`(text: String, part: String) {
    let all = sentences(text)
    #expect(all.contains { $0.contains(part) }, "\(all)")
  }

  @Test(arguments: [
    "hours = \"8-18\"", "days = [\"monday\"]", "rate = \"fast\"", "day = [\"mon\"]",
  ])
  func `a scheduled limit with a wrong key never applies`(wrong: String) {
    let right = ["rate = \"1M\"", "hours = \"08:00-18:00\"", "days = [\"mon\"]"]
      .filter { $0.prefix { $0 != " " } != wrong.prefix { $0 != " " } }
    let (configuration, problems) = read(
      """
      [[limits.schedule]]
      \(right.joined(separator: "\n"))
      \(wrong)
      [[limits.schedule]]
      rate = "2M"
      days = ["sun"]
      """)
    #expect(problems.count == 1, "\(problems)")
    #expect(Array(configuration.limitSchedule.keys) == [2])
  }

  @Test func `a table of the schedule needs the header of an array`() {
    let (configuration, problems) = read("[limits.schedule]\nrate = \"1M\"\n")
    #expect(configuration == ServiceConfiguration())
    #expect(
      problems == [
        ConfigurationProblem(.notInArray("limits.schedule.rate", of: "limits.schedule"), line: 2)
      ])
  }

  @Test func `a tilde is replaced by the home directory`() {
    let (configuration, _) = read("[downloads]\ndirectory = \"~/in\"")
    #expect(configuration.downloadsDirectory(home: "/home/me") == "/home/me/in")
    #expect(ServiceConfiguration().downloadsDirectory(home: "/home/me") == nil)
    let absolute = read("[downloads]\ndirectory = \"/~/in\"").0
    #expect(absolute.downloadsDirectory(home: "/home/me") == "/~/in")
  }

  @Test(arguments: [
    ("downloads.directory", "\"relative\""), ("downloads.directory", "3"),
    ("downloads.directory", "\"~you/in\""), ("downloads.directory", "\"/a\\nb\""),
    ("limits.transfers", "0"), ("limits.transfers", "1001"), ("limits.transfers", "\"5\""),
    ("limits.transfers", "-1"), ("limits.connections-per-host", "65"),
    ("limits.connections", "true"), ("limits.connections", "[1]"),
    ("limits.rate", "\"fast\""), ("limits.rate", "500"), ("limits.rate", "\"0\""),
    ("proxy.no-proxy", "\"localhost\""), ("proxy.no-proxy", "[1]"),
    ("proxy.no-proxy", "[\"a,b\"]"), ("proxy.no-proxy", "[\"\"]"),
    ("conditions.mains", "true"), ("conditions.mains", "\"sometimes\""),
    ("conditions.unmetered", "\"Always\""), ("conditions.unmetered", "[\"auto\"]"),
    ("limits.transfers", "many"), ("notify.desktop", "\"true\""), ("notify.failures", "yes"),
    ("notify.finished", "1"), ("hooks.completed", "\"notify-me\""), ("hooks.completed", "[]"),
    ("hooks.failed", "[\"\"]"), ("hooks.needs-user", "[\"./notify-me\"]"),
    ("hooks.all-done", "[1]"), ("hooks.completed", "[\"sh\", \"-c\", \"rm {path}\"]"),
    ("hooks.timeout", "0"), ("hooks.timeout", "86401"), ("hooks.concurrency", "65"),
    ("hooks.rpc", "1"),
  ])
  func `a wrong value has no effect, and other settings apply`(name: String, value: String) throws {
    let other = name == "limits.transfers" ? "limits.connections" : "limits.transfers"
    let (configuration, problems) = read("\(other) = 9\n\n\(name) = \(value)\n")
    var expected = ServiceConfiguration()
    if other == "limits.transfers" {
      expected.transfersMax = 9
    } else {
      expected.connectionsMax = 9
    }
    #expect(configuration == expected)
    let key = try #require(ConfigurationKeys.service.first { $0.name == name })
    #expect(
      problems
        == [ConfigurationProblem(.wrongValue(name, mustBe: key.expectation), line: 3)])
  }

  @Test(arguments: [
    "\"proxy.example:3128\"", "\"ftp://p/\"", "\"http://\"", "\"http://a b/\"",
    "\"http://p:99999\"", "\"http://p/path\"", "\"http://p?q\"", "true", "\"\"",
  ])
  func `an invalid proxy prevents all connections, direct ones included`(value: String) {
    let (configuration, problems) = read("[proxy]\nurl = \(value)")
    #expect(configuration.proxy == .unusable)
    #expect(problems.count == 1)
    #expect(problems.first?.line == 2)
  }

  @Test(arguments: ["http", "https", "socks4", "socks4a", "socks5", "socks5h"])
  func `every kind of proxy can be given`(scheme: String) {
    for place in ["p", "p:1", "me:p%40w@p.example:3128", "[::1]:1080"] {
      let (configuration, problems) = read("proxy.url = \"\(scheme)://\(place)\"")
      #expect(configuration.proxy == .through("\(scheme)://\(place)"))
      #expect(problems.isEmpty)
    }
  }

  @Test func `an unknown key is named with its line`() {
    #expect(
      sentences("[limits]\ntransfers = 3\ntransfer = 4\n[security]\nx = 'y'")
        == [
          "The key \"limits.transfer\" in line 3 of \"/c/config.toml\" is unknown "
            + "(did you mean \"limits.transfers\"?); correct it and run \"kettle config reload\"",
          "The key \"security.x\" in line 5 of \"/c/config.toml\" is unknown; "
            + "correct it and run \"kettle config reload\"",
        ])
    #expect(read("[limits]\ntransfers = 3\ntransfer = 4").0.transfersMax == 3)
  }

  @Test(arguments: [
    ("downloads.directory", "~/Downloads"), ("limits.rate", "2M"), ("limits.rate", "1.5M # all"),
    ("conditions.mains", "always"), ("conditions.unmetered", "auto"),
  ])
  func `unquoted text is reported with a remedy, and other settings apply`(
    name: String, value: String
  ) {
    let text = "limits.transfers = 9\n\(name) = \(value)\nlimits.connections = 8"
    var expected = ServiceConfiguration()
    (expected.transfersMax, expected.connectionsMax) = (9, 8)
    #expect(read(text).0 == expected)
    #expect(
      sentences(text) == [
        "The value of \"\(name)\" in line 2 of \"/c/config.toml\" is not quoted; put it in quotes "
          + "and run \"kettle config reload\""
      ])
  }

  @Test func `an unquoted proxy prevents all connections`() {
    let (configuration, problems) = read("[proxy]\nurl = http://me:secret@proxy.example:3128")
    #expect(configuration.proxy == .unusable)
    #expect(problems == [ConfigurationProblem(.unquoted("proxy.url"), line: 2)])
  }

  @Test func `an invalid file has no effect at all`() {
    let text = "[limits]\ntransfers = 3\nrate = \"2M\nconnections = 4"
    #expect(read(text).0 == ServiceConfiguration())
    #expect(
      sentences(text) == [
        "Line 3 of \"/c/config.toml\" cannot be read (the string is not closed), "
          + "so none of its settings is known; "
          + "correct it and run \"kettle config reload\""
      ])
  }

  @Test func `a problem without a line names the file`() {
    #expect(
      ConfigurationProblem(.unreadable("Permission denied")).sentence(path: "/c\u{1B}/x")
        == "\"/c\u{FFFD}/x\" cannot be read (Permission denied), so none of its settings is known; "
        + "correct it and run \"kettle config reload\"")
  }

  @Test func `no sentence repeats a value, which may be a password`() {
    let said = sentences("[proxy]\nurl = \"ftp://me:secret@p/\"\nno-proxy = \"secret\"")
    #expect(said.count == 2)
    #expect(!said.joined().contains("secret"))
  }
}
