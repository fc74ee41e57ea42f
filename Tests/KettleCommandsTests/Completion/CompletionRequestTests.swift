import KettleControl
import KettleModel
import KettleSocket
import KettleStarter
import Testing

@testable import KettleCommands

@Suite(.timeLimit(.minutes(5)))
struct CompletionRequestTests {
  private let service = FakeService([
    snapshot(1, .running), snapshot(2, .paused), snapshot(3, .completed), snapshot(4, .idle),
  ])

  private func context(shell: String? = nil) -> FakeContext {
    var context = FakeContext()
    context.service = service
    context.environment["SAP_SHELL"] = shell
    return context
  }

  /// What a script asks when the third word is completed.
  private func question(_ command: String..., argument: String = "positional@0") -> [String] {
    ["---completion"] + command + ["--", argument, "2", "0", "kettle"] + command + [""]
  }

  private func summary(_ id: String) -> SessionSummary {
    SessionSummary(
      id: SessionID(rawValue: id), processID: nil,
      lastSeenAt: WallTime(millisecondsSince1970: FakeClock.start),
      launch: nil, sendsLaunchEvents: false, counts: [:], unreportedCount: 0, notice: nil)
  }

  @Test(arguments: [
    ("start", ["2", "4"]), ("pause", ["1"]), ("stop", ["1", "2"]),
    ("remove", ["1", "2", "3", "4"]),
    ("why", ["1", "2", "3", "4"]), ("wait", ["1", "2", "4"]), ("accept", []),
  ])
  func `ids are those of transfers to which the command applies`(
    command: String, ids: [String]
  ) async {
    let outcome = await context().run(question(command))
    #expect(outcome.code == 0)
    #expect(outcome.error == "")
    #expect(outcome.output.split(separator: "\n").map(String.init) == ids)
  }

  @Test func `limit completes ids after the rate`() async {
    let outcome = await context().run(question("limit", argument: "positional@1"))
    #expect(outcome.output == "1\n2\n4\n")
  }

  @Test func `zsh and fish show what each id is`() async {
    #expect(
      await context(shell: "zsh").run(question("pause")).output == "1:running: file.iso\n \n")
    #expect(await context(shell: "fish").run(question("pause")).output == "1\trunning: file.iso\n")
    #expect(await context(shell: "bash").run(question("pause")).output == "1\n")
  }

  @Test func `hosts are names without scheme and port, each once`() async {
    var remembered = HostSnapshot(origin: "https://a.example")
    remembered.remembered = .init(user: "anna", certificateCount: 0)
    service.have([
      HostSnapshot(origin: "https://b.example:8080"), HostSnapshot(origin: "http://b.example"),
      remembered,
    ])
    #expect(await context().run(question("hosts", "reset")).output == "a.example\nb.example\n")
    #expect(await context().run(question("hosts", "forget")).output == "a.example\n")
  }

  @Test(arguments: [["list"], ["add"]])
  func `sessions complete an option`(command: [String]) async {
    service.have([summary("org.example.app"), summary("$(reboot)"), summary("a b")])
    let words =
      ["---completion"] + command + ["--", "--session", "3", "0", "kettle"] + command
      + ["--session", ""]
    #expect(await context().run(words).output == "org.example.app\n")
  }

  @Test func `states are in the script`() {
    let script = CompletionCommand.script(for: .bash)
    for state in TransferState.allCases { #expect(script.contains(state.rawValue)) }
  }

  @Test func `without a service nothing is printed and none is started`() async {
    var context = context(shell: "bash")
    let connector = FakeConnector([.failure(.notRunning(socketPath: "/run/control.sock"))])
    context.connector = connector
    let outcome = await context.run(question("pause"))
    #expect(outcome == .init(code: 0, output: "", error: ""))
    #expect(connector.attempts.map(\.startIfNeeded) == [false])
  }

  @Test func `another machine is not asked`() async {
    var context = context()
    let connector = FakeConnector([.success(service)])
    context.connector = connector
    let outcome = await context.run(question("pause") + ["--host", "box"])
    #expect(outcome == .init(code: 0, output: "", error: ""))
    #expect(connector.attempts.isEmpty)
  }

  @Test func `a question that no script asks is refused in silence`() async {
    for words in [["---completion"], ["---completion", "--", "--ascii", "1", "0"]] {
      #expect(await context().run(words) == .init(code: 2, output: "", error: ""))
    }
  }
}
