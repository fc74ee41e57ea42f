import Glibc
import KettleSocket
import KettleStarter
import Testing

@testable import KettleCommands

@Suite(.timeLimit(.minutes(5)))
struct HostOptionTests {
  private func run(_ words: String...) async -> (FakeContext.CommandResult, [FakeConnector.Attempt])
  {
    await run(words)
  }

  private func run(_ words: [String]) async -> (FakeContext.CommandResult, [FakeConnector.Attempt])
  {
    var context = FakeContext()
    let connector = FakeConnector([.success(context.service)])
    context.connector = connector
    return (await context.run(words), connector.attempts)
  }

  @Test func `a host before or after the command selects the service`() async {
    for words in [
      ["--host", "me@box", "list"], ["--host=me@box", "list"], ["list", "--host", "me@box"],
      ["list", "--json", "--host=me@box"],
    ] {
      var context = FakeContext()
      let connector = FakeConnector([.success(context.service)])
      context.connector = connector
      #expect(await context.run(words).code == 0)
      #expect(connector.attempts.map(\.address.host) == [RemoteHost("me@box")])
    }
  }

  @Test func `the dashboard uses the host`() async {
    var context = FakeContext()
    context.console = FakeConsole(inputIsTerminal: true, outputColumns: 80)
    #expect(await context.run("--host", "box").code == 0)
    #expect(context.dashboard.requests.map(\.address.host) == [RemoteHost("box")])
    #expect(context.dashboard.requests.map(\.filesAreHere) == [false])
  }

  @Test func `several hosts are the machines of one dashboard`() async {
    var context = FakeContext()
    context.console = FakeConsole(inputIsTerminal: true, outputColumns: 80)
    let words = ["--host", "local", "--host=me@nas", "--host", "you@box", "--host", "me@nas"]
    #expect(await context.run(words).code == 0)
    let request = context.dashboard.requests.first
    #expect(
      request?.address.machines.map { $0.host?.text } == [nil, "me@nas", "you@box"])
    #expect(request?.filesAreHere == false)
    #expect(request?.shellProgram == nil)
    #expect(
      MachineName.shown(request?.address.machines ?? []) == ["local", "nas", "box"])
  }

  @Test func `local alone is this machine, and the same host twice is one`() async {
    let (local, attempts) = await run("--host", "local", "list")
    #expect(local.code == 0)
    #expect(attempts.map(\.address.host) == [nil])
    let (twice, others) = await run("list", "--host", "box", "--host", "box")
    #expect(twice.code == 0)
    #expect(others.map(\.address.host) == [RemoteHost("box")])
    #expect(others.map(\.address.machines) == [[]])
  }

  @Test func `short names are only used where they are clear`() {
    let machines = [
      "me@nas", "you@nas", "ssh://me@box.a.org", "attic.a.org", "attic.b.org", "10.0.0.7",
    ].compactMap { RemoteHost($0) }
    #expect(
      MachineName.shown(machines.map { .remote($0) })
        == ["me@nas", "you@nas", "box", "attic.a.org", "attic.b.org", "10.0.0.7"])
  }

  @Test func `commands for one machine refuse several`() async {
    let two = ["--host", "a", "--host", "b"]
    for words in [
      ["add", "https://a.org/"], ["pause", "1"], ["list", "--fleet"], ["--plain"], [],
    ] {
      let (outcome, attempts) = await run(words + two)
      #expect(outcome.code == 2, "\(words)")
      #expect(outcome.error.contains("show several machines"), "\(outcome.error)")
      #expect(attempts.isEmpty)
    }
    let many = (0...64).flatMap { ["--host", "m\($0)"] }
    #expect(await run(["list"] + many).0.code == 2)
  }

  @Test func `--host without a value or after -- is rejected`() async {
    for words in [["list", "--host"], ["--host"], ["list", "--", "--host", "box"]] {
      let (outcome, attempts) = await run(words)
      #expect(outcome.code == 2)
      #expect(attempts.isEmpty)
    }
  }

  @Test func `an option of ssh is not accepted as a host`() async {
    let (outcome, attempts) = await run("--host", "-oProxyCommand=id", "list")
    #expect(
      outcome
        == .init(
          code: 2, output: "",
          error: "kettle: \"-oProxyCommand=id\" is not a host; write --host HOST or --host "
            + "USER@HOST, as for ssh\n"))
    #expect(attempts.isEmpty)
  }

  @Test(arguments: [["demo"], ["daemon", "run"], ["daemon", "pipe"], ["demo-service"]])
  func `local commands reject --host`(words: [String]) async {
    let (outcome, attempts) = await run(["--host", "box"] + words)
    let name = words.joined(separator: " ")
    #expect(
      outcome
        == .init(
          code: 2, output: "",
          error: "kettle: \"kettle \(name)\" is for this machine; leave --host out\n"))
    #expect(attempts.isEmpty)
  }

  @Test func `the remote pipe starts a service unless --if-running is given`() async {
    for (words, startIfNeeded, code) in [([], true, 3), (["--if-running"], false, 69)] {
      var context = FakeContext()
      let connector = FakeConnector([.failure(.notRunning(socketPath: "/s"))])
      context.connector = connector
      #expect(await context.run(["daemon", "pipe"] + words).code == code)
      #expect(connector.attempts.map(\.startIfNeeded) == [startIfNeeded])
    }
  }

  @Test func `the remote pipe has a status of its own for a silent service`() async {
    var context = FakeContext()
    context.connector = FakeConnector([.failure(.notAnswering(processID: 7))])
    let outcome = await context.run("daemon", "pipe")
    #expect(outcome.code == 75)
    #expect(outcome.error.hasPrefix("kettle: The service (process 7) does not answer"))
  }

  @Test func `stop without a remote service succeeds`() async throws {
    let host = try #require(RemoteHost("box"))
    var context = FakeContext()
    context.connector = FakeConnector(failing: RemoteError(host: host, why: .notRunning))
    #expect(
      await context.run("--host", "box", "daemon", "stop")
        == .init(code: 0, output: "No service is running\n", error: ""))
  }

  @Test func `a remote directory must be absolute and is not checked locally`() async {
    let (outcome, _) = await run("--host", "box", "add", "-d", "in", "http://h/a")
    #expect(
      outcome
        == .init(
          code: 2, output: "",
          error: "kettle: \"in\" would be resolved on the other machine; write an absolute path\n"))
    let (done, _) = await run("--host", "box", "add", "-d", "/not/here", "http://h/a")
    #expect(done.code == 0)
  }

  @Test(arguments: [
    (
      RemoteError.Why.cannotRunSSH(code: ENOENT), "",
      "Cannot run \"ssh\" to reach \"me@box\" (No such file or directory); install it"
    ),
    (
      .unreachable, "debug\nkex\u{1B}[31m: Connection closed\r\n",
      "\"me@box\" cannot be reached (kex\u{FFFD}[31m: Connection closed); "
        + "check that \"ssh me@box\" works"
    ),
    (
      .noProgram, "",
      "ssh found no \"kettle\" on \"me@box\"; install it there, for example in /usr/local/bin"
    ),
    (
      .otherVersion(ours: 1, theirs: "2"), "",
      "The service on \"me@box\" uses protocol version \"2\" and this program uses 1; install the "
        + "same version of kettle on both, and run \"kettle daemon stop\" there"
    ),
    (
      .notRunning, "",
      "No service is running on \"me@box\"; start it with \"kettle --host me@box daemon start\""
    ),
    (
      .otherVersion(ours: 1, theirs: nil), "kettle: Unexpected argument 'pipe'",
      "The \"kettle\" on \"me@box\" is older than this one (Unexpected argument 'pipe'); "
        + "install the same version on both"
    ),
    (
      .notAnswering, "motd\nkettle: The service (process 7) does not answer: it is stopped",
      "On \"me@box\": The service (process 7) does not answer: it is stopped"
    ),
    (
      .notAnswering, "",
      "The service on \"me@box\" does not answer; check it there with \"kettle daemon status\""
    ),
    (
      .noService, "kettle: No disk",
      "The service on \"me@box\" cannot be reached (No disk); "
        + "check it there with \"kettle daemon status\""
    ),
    (
      .ended, "",
      "The connection to \"me@box\" ended before the service replied; try again, "
        + "and check that \"ssh me@box true\" prints nothing"
    ),
  ])
  func `each failure has its message`(
    why: RemoteError.Why, said: String, sentence: String
  ) throws {
    let host = try #require(RemoteHost("me@box"))
    let report = Sentences.report(of: RemoteError(host: host, why: why, said: said))
    #expect(report.sentences == [sentence])
    #expect(report.code == .serviceUnreachable)
  }
}
