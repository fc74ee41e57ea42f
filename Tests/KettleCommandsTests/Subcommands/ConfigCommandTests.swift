import Foundation
import KettleControl
import KettleDashboard
import KettleSocket
import KettleStarter
import Testing

@testable import KettleCommands

/// `kettle config` on real files.
@Suite(.timeLimit(.minutes(5)))
final class ConfigCommandTests {
  private let home: TemporaryDirectory
  private var path: String { home.path + "/kettle/config.toml" }

  init() throws { home = try TemporaryDirectory() }

  private func context(_ service: FakeService = FakeService()) -> FakeContext {
    var context = FakeContext()
    context.service = service
    context.environment = [
      "HOME": home.path, "XDG_CONFIG_HOME": home.path, "XDG_STATE_HOME": home.path,
    ]
    return context
  }

  private func withoutService() -> FakeContext {
    var context = context()
    context.connector = FakeConnector(failing: ClientError.notRunning(socketPath: "/s"))
    return context
  }

  private var file: String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }

  @Test func `the path is printed`() async {
    #expect(await context().run("config", "path") == .init(code: 0, output: path + "\n", error: ""))
  }

  @Test func `a key is set, shown and removed, and the service is told`() async throws {
    let service = FakeService()
    let context = context(service)
    #expect(
      await context.run("config", "set", "limits.rate", "2M")
        == .init(code: 0, output: "", error: ""))
    #expect(file == "[limits]\nrate = \"2M\"\n")
    #expect(service.asked == [.reload(withoutFile: nil)])
    let shown = await self.context().run("config", "get", "limits.rate")
    #expect(shown == .init(code: 0, output: "\"2M\"\n", error: ""))
    #expect(await self.context().run("config", "set", "--default", "limits.rate").code == 0)
    #expect(file == "[limits]\n")
    let missing = await self.context().run("config", "get", "limits.rate")
    #expect(missing.code == 2)
    #expect(missing.error.hasPrefix("kettle: \"\(path)\" does not set \"limits.rate\""))
  }

  @Test func `the dashboard sets a key as the command does`() async throws {
    let service = FakeService()
    let context = context(service)
    let session = try await DashboardSession.open(
      DashboardRequest(address: context.context.address, client: "kettle"), in: context.context)
    let setting = ConfiguredKey("queues.night.hours", ["01:00-06:00"])
    session.perform(.configure(setting))
    session.perform(.configure(ConfiguredKey("queues.night.hours", ["never"])))
    var outcomes: [CommandOutcome] = []
    for await case .commandFinished(let outcome) in session.messages {
      outcomes.append(outcome)
      if outcomes.count == 2 { break }
    }
    await session.close()
    #expect(outcomes.first == .configured(setting, notices: []))
    guard case .failed(let sentence) = outcomes.last else {
      Issue.record("a wrong value was accepted")
      return
    }
    #expect(sentence.hasPrefix("queues.night.hours must be hours in quotes"), "\(sentence)")
    #expect(file == "[queues.night]\nhours = \"01:00-06:00\"\n")
  }

  @Test func `without a service the file is changed all the same`() async {
    #expect(await withoutService().run("config", "set", "rpc.port", "7000").code == 0)
    #expect(file == "[rpc]\nport = 7000\n")
  }

  @Test(arguments: [
    ["limits.rate", "fast"], ["limits.speed", "2M"], ["limits.rate"],
    ["--default", "limits.rate", "2M"], ["--default", "limits.rate"],
  ])
  func `what has no effect is refused and changes nothing`(arguments: [String]) async {
    let outcome = await context().run(["config", "set"] + arguments)
    #expect(outcome.code == 2, "\(outcome)")
    #expect(outcome.error.hasPrefix("kettle: "))
    #expect(file == "")
  }

  @Test func `an unknown key is named with the nearest one`() async {
    let outcome = await context().run("config", "set", "limits.rates", "2M")
    #expect(
      outcome.error == "kettle: There is no key \"limits.rates\" (did you mean \"limits.rate\"?); "
        + "\"man kettle-config\" lists the keys\n")
    let value = await context().run("config", "set", "limits.rate", "fast")
    #expect(value.error.hasPrefix("kettle: The value of \"limits.rate\" must be a rate in quotes"))
  }

  @Test func `a check names every setting without effect`() async throws {
    #expect(await context().run("config", "check").output.hasPrefix("There is no \"\(path)\""))
    _ = await withoutService().run("config", "set", "limits.rate", "2M")
    #expect(await context().run("config", "check").output.hasPrefix("Every setting in "))
    try (file + "speed = 3\n").write(toFile: path, atomically: false, encoding: .utf8)
    let outcome = await context().run("config", "check")
    #expect(outcome.code == 2)
    #expect(outcome.error.contains("\"limits.speed\" in line 3"), "\(outcome.error)")
  }

  // Fault 190
  @Test func `a check finds what does not exist`() async throws {
    _ = await withoutService().run("config", "set", "rpc.enabled", "true")
    let text = """
      [hooks]
      completed = ["no-such-program-anywhere"]
      [keys]
      paus = "p"
      [theme]
      name = "embr"
      [hosts."a.example"]
      headers-file = "\(home.path)/none"
      [[rules]]
      host = "a.example"
      directory = "/no/such/directory"
      [queue.night]
      hours = "01:00-02:00"

      """
    try (text + file).write(toFile: path, atomically: false, encoding: .utf8)
    let outcome = await context().run("config", "check")
    #expect(outcome.code == 2)
    for said in [
      "\"no-such-program-anywhere\" of \"hooks.completed\" cannot be started", "\"paus\"",
      "\"embr\"", "with headers for \"a.example\" cannot be used (No such file",
      "\"/no/such/directory\" of \"rules.1.directory\" does not exist",
      "did you mean \"queues.night.hours\"?", "The RPC is enabled but has no secret",
    ] {
      #expect(outcome.error.contains(said), "\(said)")
    }
  }

  @Test func `a file that is not TOML is named once`() async throws {
    _ = await withoutService().run("config", "set", "limits.rate", "2M")
    try "[limits\n".write(toFile: path, atomically: false, encoding: .utf8)
    let outcome = await context().run("config", "check")
    #expect(outcome.code == 2)
    #expect(outcome.error.split(separator: "\n").count == 1, "\(outcome.error)")
  }

  @Test func `a changed key reports its own table only`() async {
    let service = FakeService()
    service.reload(answers: .init(notices: [], pending: ["downloads", "network"]))
    let outcome = await context(service).run("config", "set", "network.tries", "3")
    #expect(
      outcome.error == "The changes in [network] apply after \"kettle daemon stop\"\n")
    #expect(await context(service).run("config", "set", "limits.rate", "2M").error == "")
  }

  @Test func `a value with a hyphen gets a hint`() async {
    let outcome = await context().run("config", "set", "hooks.completed", "sh", "-c", "true")
    #expect(outcome.code == 2)
    #expect(outcome.error.contains("stands behind \"--\""), "\(outcome.error)")
    #expect(
      await context().run("config", "set", "hooks.completed", "--", "sh", "-c", "true").code == 0)
    #expect(file.contains("completed = [\"sh\", \"-c\", \"true\"]"))
  }

  @Test func `a reload reports what has no effect, and what applies later`() async {
    let service = FakeService()
    service.reload(answers: .init(notices: ["The key x is unknown"], pending: ["network"]))
    #expect(
      await context(service).run("config", "reload")
        == .init(
          code: 2, output: "",
          error: "kettle: The key x is unknown\n"
            + "The changes in [network] apply after \"kettle daemon stop\"\n"))
    #expect(await withoutService().run("config", "reload").code == 3)
  }

  @Test func `a link stays a link`() async throws {
    _ = await withoutService().run("config", "set", "rpc.port", "7000")
    let real = try home.file("real.toml", file)
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: real)
    _ = await withoutService().run("config", "set", "rpc.port", "7001")
    #expect(try String(contentsOfFile: real, encoding: .utf8) == "[rpc]\nport = 7001\n")
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == real)
  }

  // MARK: RPC

  @Test func `the RPC is enabled with a secret that only the user can read`() async throws {
    let service = FakeService()
    service.have(DescribeRPC.Result(port: 6801))
    let outcome = await context(service).run(
      "rpc", "enable", "--port", "6801", "--allow-origin", "http://a.example")
    #expect(outcome.code == 0, "\(outcome.error)")
    #expect(
      file == "[rpc]\nenabled = true\nport = 6801\nallow-origin = [\"http://a.example\"]\n")
    let secret = home.path + "/kettle/rpc-secret"
    let text = try String(contentsOfFile: secret, encoding: .utf8)
    #expect(text.utf8.count == 33)
    #expect(outcome.output.contains("Secret    \(text)"))
    #expect(outcome.output.contains("127.0.0.1:6801/jsonrpc"))
    let mode = try FileManager.default.attributesOfItem(atPath: secret)[.posixPermissions]
    #expect(mode as? Int == 0o600)
    // The secret stays, until a new one is asked for.
    #expect(await context(service).run("rpc", "secret").output == text)
    let new = await context(service).run("rpc", "secret", "--new").output
    #expect(new != text)
    #expect(try String(contentsOfFile: secret, encoding: .utf8) == new)
  }

  @Test func `a port that cannot be opened is an error`() async {
    let service = FakeService()
    service.have(DescribeRPC.Result(problem: "Port 6800 is in use"))
    #expect(
      await context(service).run("rpc", "enable")
        == .init(code: 1, output: "", error: "kettle: Port 6800 is in use\n"))
    #expect(await context(service).run("rpc", "enable", "--port", "0").code == 2)
  }

  @Test func `the RPC is disabled, and its status shown`() async {
    #expect(
      await context().run("rpc", "disable")
        == .init(code: 0, output: "The RPC is closed\n", error: ""))
    #expect(file == "[rpc]\nenabled = false\n")
    #expect(
      await context().run("rpc", "status").output
        == "The RPC is closed; \"kettle rpc enable\" opens it\n")
    let service = FakeService()
    service.have(DescribeRPC.Result(port: 6800, directories: ["/d"], allowedOrigins: ["*"]))
    #expect(
      await context(service).run("rpc", "status").output
        == "The RPC is open on port 6800 of this machine\nDirectories: /d\n"
        + "Pages: those of this machine and extensions of browsers, *\n")
    #expect(
      await context(service).run("rpc", "status", "--json").output
        == "{\"port\": 6800, \"problem\": null, \"directories\": [\"/d\"], "
        + "\"allowedOrigins\": [\"*\"]}\n")
    #expect(await context().run("rpc", "secret").code == 2)
  }
}
