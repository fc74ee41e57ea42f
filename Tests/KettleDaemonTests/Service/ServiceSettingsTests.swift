import Foundation
import KettleConfiguration
import KettleControl
import KettleCurl
import KettleDesktop
import KettleEngine
import KettleModel
import KettleScheduler
import KettleSocket
import Testing

@testable import KettleDaemon

final class ServiceSettingsTests {
  private let home: String

  init() throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(
      at: directory.appending(path: ".config/kettle"), withIntermediateDirectories: true)
    home = directory.path
  }

  deinit { try? FileManager.default.removeItem(atPath: home) }

  private func settings(
    _ file: String?, descriptorLimit: Int = 4096, environment: [String: String] = [:]
  ) throws -> ServiceSettings {
    if let file {
      try Data(file.utf8).write(to: URL(filePath: home + "/.config/kettle/config.toml"))
    }
    let environment = environment.merging(["HOME": home]) { first, _ in first }
    let paths = ServicePaths(
      environment: environment, passwordHome: "/", userDirectories: nil)
    return ServiceSettings(
      TransferService.Options(paths: paths, environment: environment),
      descriptorLimit: descriptorLimit)
  }

  /// The built-in limits of the service.
  private var limits: TransferQueue.Limits {
    var limits = TransferQueue.Limits()
    limits.streamsMax = 64
    return limits
  }

  @Test func `without a file all settings are the defaults`() throws {
    let settings = try settings(nil)
    #expect(settings.documentsDirectory == home + "/Downloads")
    #expect(settings.engine.heldDirectory == home + "/.local/state/kettle/held")
    #expect(settings.engine.limits == limits)
    #expect(settings.engine.limitSchedule == LimitSchedule())
    #expect(settings.listener.connectionCountMax == 256)
    #expect(settings.notices.isEmpty)
  }

  @Test func `the defaults that users read are the ones in use`() throws {
    let settings = try settings(nil)
    let timeouts = settings.engine.timeouts
    let policy = settings.engine.retryPolicy
    let inUse: [String: Int] = [
      "limits.transfers": settings.engine.limits.runningMax,
      "network.timeout": Int(timeouts.idleMilliseconds / 1000),
      "network.connect-timeout": Int(timeouts.connectMilliseconds / 1000),
      "network.tries": policy.retryCountMax + 1,
      "network.retry-delay": Int(policy.firstDelayMilliseconds / 1000),
    ]
    for (name, value) in inUse {
      let key = try #require(ConfigurationKeys.service.first { $0.name == name })
      let standard = key.standard(in: ServiceConfiguration()).prefix { $0 != "," }
      #expect(standard == "\(value)", "\(name)")
    }
    #expect(timeouts == AttemptTimeouts())
    #expect(policy == RetryPolicy())
  }

  @Test func `desktop notifications are on unless the file disables them`() throws {
    let environment = ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/run/bus"]
    let alerts = try settings(nil, environment: environment).alerts
    #expect(alerts?.busAddresses == [.path(Array("/run/bus".utf8))])
    #expect(alerts?.board == AlertBoard.Settings())
    let lasting = environment.merging(["XDG_RUNTIME_DIR": "/run/user/1"]) { first, _ in first }
    #expect(
      try settings(nil, environment: lasting).alerts?.busAddresses
        == [.path(Array("/run/bus".utf8)), .path(Array("/run/user/1/bus".utf8))])
    let fewer = try settings("notify.finished = false", environment: environment).alerts
    #expect(fewer?.board.reportsFinished == false)
    #expect(fewer?.board.reportsFailures == true)
    #expect(try settings("notify.desktop = false", environment: environment).alerts == nil)
  }

  @Test func `settings in the file are applied`() throws {
    let settings = try settings(
      """
      downloads.directory = "~/in"
      [limits]
      transfers = 3
      connections-per-host = 2
      connections = 9
      rate = "2M"
      """)
    #expect(settings.documentsDirectory == home + "/in")
    #expect(settings.engine.documentsDirectory == home + "/in")
    #expect(settings.engine.limits.runningMax == 3)
    #expect(settings.engine.limits.connectionsPerHostMax == 2)
    #expect(settings.engine.limits.connectionsMax == 9)
    #expect(settings.engine.limitSchedule == LimitSchedule(bytesPerSecond: 2 << 20))
  }

  @Test func `queues, schedules and the conditions of the user are applied`() throws {
    let settings = try settings(
      """
      [limits]
      rate = "none"
      [[limits.schedule]]
      rate = "2M"
      hours = "08:00-18:00"
      days = ["mon"]
      [[limits.schedule]]
      hours = "18:00-20:00"
      [queues.night]
      transfers = 2
      hours = "01:00-06:00"
      [queues.bulk]
      transfers = 1
      [conditions]
      pause-on-battery = true
      """)
    let hours = try #require(WeeklyHours("08:00-18:00", days: [.monday]))
    #expect(
      settings.engine.limitSchedule
        == LimitSchedule(entries: [.init(hours: hours, bytesPerSecond: 2 << 20)]))
    let night = try #require(QueueName("night"))
    let bulk = try #require(QueueName("bulk"))
    #expect(
      settings.engine.queues == [
        night: .init(transfersMax: 2, hours: WeeklyHours("01:00-06:00")),
        bulk: .init(transfersMax: 1),
      ])
    #expect(settings.engine.conditionsOfUser == [.mainsPower])
    // The second schedule has no rate.
    #expect(settings.notices.count == 1)
  }

  @Test func `hooks in the file are run, with the limits in the file`() throws {
    let none = try settings("")
    #expect(none.hooks.rules == HookRules())
    #expect(none.hooks.limits.runningMax == 4 && none.hooks.limits.timeLimitSeconds == 300)
    let some = try settings(
      "[hooks]\nfailed = [\"notify-me\", \"{title}\"]\ntimeout = 7\nconcurrency = 1\nrpc = true")
    #expect(
      some.hooks.rules.commands == [.failed: try HookCommand.make(["notify-me", "{title}"]).get()])
    #expect(some.hooks.rules.appliesToRPC)
    #expect(some.hooks.limits.runningMax == 1 && some.hooks.limits.timeLimitSeconds == 7)
    #expect(some.engine.hooks == some.hooks.rules)
  }

  @Test func `a proxy in the file overrides the proxy in the environment`() throws {
    let environment = ["http_proxy": "http://env:1", "no_proxy": "a.example"]
    let none = try settings("", environment: environment).curl.proxies
    #expect(none == ProxyRules(environment: environment))
    let server = try #require(ProxyServer("socks5h://me:pw@p:1080"))
    let own = try settings(
      "[proxy]\nurl = \"socks5h://me:pw@p:1080\"\nno-proxy = [\"b.example\"]",
      environment: environment
    ).curl.proxies
    var expected = ProxyRules(
      forHTTP: .through(server), forHTTPS: .through(server), forFiles: .through(server),
      exceptions: ProxyExceptions(["b.example"]))
    expected.yieldsToEnvironment = false
    #expect(own == expected)
    let exceptions = try settings("proxy.no-proxy = [\"b.example\"]", environment: environment)
    #expect(exceptions.curl.proxies.exceptions == ProxyExceptions(["b.example"]))
    #expect(exceptions.curl.proxies.forHTTP == none.forHTTP)
  }

  @Test func `a host in the file has a proxy of its own`() throws {
    let rules = try settings(
      """
      [proxy.hosts]
      example.org = "none"
      dl.example.org = "socks5h://p:1080"
      broken.example = "ftp://p"
      """,
      environment: ["http_proxy": "http://env:1"]
    ).curl.proxies
    func name(_ url: String) throws -> String? {
      rules.proxyName(to: try TransferURL.parse(url).get().url.origin)
    }
    #expect(try name("http://example.org/") == nil)
    #expect(try name("http://www.example.org/") == nil)
    #expect(try name("http://dl.example.org/") == "p:1080")
    #expect(try name("http://other.example/") == "env:1")
    #expect(
      rules.hosts.map(\.route).contains(
        .unusable("proxy.hosts.broken.example in the configuration file")))
  }

  @Test func `rules, hosts and defaults in the file are passed on`() throws {
    let settings = try settings(
      """
      [downloads]
      on-conflict = "skip"
      remote-time = true
      [limits]
      connections-per-transfer = 3
      [network]
      user-agent = "Mine/1"
      [[rules]]
      host = "a.example"
      directory = "~/A"
      [hosts.a.example]
      connections = 64
      proxy = "none"
      headers-file = "~/h"
      """, descriptorLimit: 256)
    let engine = settings.engine
    #expect(settings.notices.isEmpty)
    #expect(engine.defaults.onConflict == .skip)
    #expect(engine.defaults.keepsServerTime)
    #expect(engine.limits.division.connectionsMax == 3)
    #expect(settings.curl.userAgent == "Mine/1")
    #expect(engine.rules.map(\.effects.directory) == [home + "/A"])
    let origin = try TransferURL.parse("https://a.example/").get().url.origin
    #expect(engine.hosts.headerPaths == [origin: home + "/h"])
    let most = try #require(engine.limits.connectionsMaxOfHost.value(for: "b.a.example"))
    #expect(most == engine.limits.connectionsMax)
    #expect(settings.curl.proxies.hosts.map(\.route) == [.direct])
    #expect(engine.readHeaders("") == HostHeadersFile.read(""))
  }

  @Test func `timeouts and attempts in the file hold for every transfer`() throws {
    let engine = try settings(
      """
      [network]
      timeout = 90
      connect-timeout = 7
      tries = 0
      retry-delay = 5
      netrc = false
      http2 = false
      """
    ).engine
    #expect(engine.limits.streamsMax == 0)
    #expect(engine.timeouts.idleMilliseconds == 90_000)
    #expect(engine.timeouts.headMilliseconds == 90_000)
    #expect(engine.timeouts.connectMilliseconds == 7000)
    #expect(engine.retryPolicy.retryCountMax == .max)
    #expect(engine.retryPolicy.firstDelayMilliseconds == 5000)
    #expect(!engine.usesNetrc)
    #expect(engine.netrcPath == home + "/.netrc")
  }

  @Test func `an unusable proxy blocks all requests`() throws {
    let rules = try settings("proxy.url = \"p.example\"").curl.proxies
    #expect(rules.forHTTP == .unusable("proxy.url in the configuration file"))
    #expect(rules.forHTTPS == rules.forHTTP)
  }

  @Test func `conditions are checked unless the file presets them`() throws {
    let built = try settings(nil).conditions
    #expect(built.mains == .checked)
    #expect(built.unmetered == .checked)
    #expect(built.busAddresses == BusAddress.parse("unix:path=/run/dbus/system_bus_socket"))
    let own = try settings(
      "[conditions]\nmains = \"always\"\nunmetered = \"never\"",
      environment: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:abstract=own"]
    ).conditions
    #expect(own.mains == .preset(true))
    #expect(own.unmetered == .preset(false))
    #expect(own.busAddresses == BusAddress.parse("unix:abstract=own"))
  }

  // Fault 103
  @Test func `a low descriptor limit lowers the configured limits`() throws {
    let settings = try settings("[limits]\ntransfers = 500\nconnections = 500", descriptorLimit: 64)
    #expect(settings.engine.limits.runningMax == 4)
    #expect(settings.engine.limits.connectionsMax == 4)
    #expect(settings.engine.limits.connectionsPerHostMax == 4)
    #expect(settings.engine.limits.streamsMax == 4)
    #expect(settings.listener.connectionCountMax == 12)
  }

  @Test func `a broken file leaves the defaults and produces a notice`() throws {
    let settings = try settings("[limits\ntransfers = 3")
    #expect(settings.engine.limits == limits)
    #expect(settings.notices.count == 1)
  }
}
