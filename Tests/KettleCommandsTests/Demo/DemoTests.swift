import Foundation
import KettleControl
import KettleModel
import KettleSocket
import KettleStarter
import Testing

@testable import KettleCommands

@Suite(.timeLimit(.minutes(5)))
struct DemoTests {
  private let directory: TemporaryDirectory
  private var home: String { directory.path + "/kettle-demo-\(geteuid())" }

  init() throws { directory = try TemporaryDirectory() }

  private func context(_ rows: [TransferSnapshot] = [], terminal: Bool = false) throws
    -> FakeContext
  {
    let opened = try DemoHome.open(environment: ["TMPDIR": directory.path])
    let catalogue = """
      {"origin": "http://127.0.0.1:4711", "items": [
        {"title": "One", "path": "/one.pdf", "bytes": 100, "connections": 1},
        {"title": "Two", "path": "/two.pdf", "bytes": 200, "isTrouble": true}]}
      """
    try catalogue.write(toFile: opened.cataloguePath, atomically: false, encoding: .utf8)
    var context = FakeContext()
    context.service = FakeService(rows)
    context.environment = [
      "HOME": "/home/anna", "TMPDIR": directory.path, "https_proxy": "http://proxy:3128",
      "LANG": "de_DE.UTF-8",
    ]
    if terminal { context.console = FakeConsole(inputIsTerminal: true, outputColumns: 80) }
    return context
  }

  private func connector(_ service: FakeService, connections: Int) -> FakeConnector {
    FakeConnector(
      Array(repeating: .success(service), count: connections)
        + [.failure(.notRunning(socketPath: "/s"))])
  }

  private func row(_ id: Int64, _ state: TransferState) -> TransferSnapshot {
    var row = snapshot(id, state, url: "http://127.0.0.1:4711/one.pdf", title: "One")
    if state == .completed { row.bytesReceived = 2048 }
    return row
  }

  @Test func `the demo service has its own home and ignores proxies`() async throws {
    var context = try context(terminal: true)
    let connector = connector(context.service, connections: 3)
    context.connector = connector
    _ = await context.run("demo")
    let address = try #require(connector.attempts.first?.address)
    #expect(address.serviceArguments == ["demo-service"])
    #expect(
      address.environment == [
        "HOME": home, "TMPDIR": directory.path, "LANG": "de_DE.UTF-8",
        "DBUS_SESSION_BUS_ADDRESS": "",
        "XDG_RUNTIME_DIR": home + "/run", "XDG_STATE_HOME": home + "/state",
        "XDG_CONFIG_HOME": home + "/config", "XDG_CACHE_HOME": home + "/cache",
        "XDG_DATA_HOME": home + "/data",
      ])
    #expect(connector.attempts.allSatisfy { $0.address == address })
  }

  @Test(arguments: [true, false])
  func `an abandoned service deletes its home, and no other`(isOwnHome: Bool) async throws {
    var context = try context(terminal: true)
    context.demoEnd = .abandoned
    if isOwnHome { context.environment["HOME"] = home }
    #expect(await context.run("demo-service").code == 0)
    #expect(FileManager.default.fileExists(atPath: home) != isOwnHome)
  }

  @Test func `the catalogue starts by itself, and everything is deleted after leaving`()
    async throws
  {
    var context = try context(terminal: true)
    context.connector = connector(context.service, connections: 3)
    let outcome = await context.run("demo", "--seconds", "30")
    #expect(outcome.code == 0)
    #expect(
      outcome.output == """
        The demo downloaded 0 of 2 files (0 B) from a server inside Kettle to "\(home)"
        Its service has stopped and the directory was deleted; none of your files was touched
        Now download something of your own: kettle get URL, or kettle for the dashboard

        """)
    #expect(!FileManager.default.fileExists(atPath: home))
    #expect(context.service.asked.contains(.stop))
    let added = context.service.asked.compactMap { asked in
      if case .add(let specs) = asked { specs } else { nil }
    }
    #expect(added.map { $0.map(\.title) } == [["One", "Two"]])
    #expect(
      added.first?.map(\.url.text)
        == ["http://127.0.0.1:4711/one.pdf", "http://127.0.0.1:4711/two.pdf"])
    #expect(added.first?.allSatisfy { $0.beginning == .queued } == true)
    #expect(added.first?.map(\.connections) == [1, nil])
    #expect(context.dashboard.requests.map(\.showsTour) == [true])
    #expect(context.dashboard.requests.map(\.limitMilliseconds) == [30_000])
    #expect(context.dashboard.requests.map(\.client) == ["kettle demo"])
  }

  @Test func `a running demo is not filled again`() async throws {
    var context = try context([row(1, .running)], terminal: true)
    context.connector = connector(context.service, connections: 3)
    #expect(await context.run("demo").code == 0)
    let added = context.service.asked.filter { if case .add = $0 { true } else { false } }
    #expect(added.isEmpty)
  }

  @Test func `files of a previous origin are replaced`() async throws {
    let old = snapshot(7, .running, url: "http://127.0.0.1:999/one.pdf")
    var context = try context([old], terminal: true)
    context.connector = connector(context.service, connections: 3)
    _ = await context.run("demo")
    #expect(
      context.service.asked.contains(.control(.removeWithFile, .ids([TransferID(rawValue: 7)]))))
    let added = context.service.asked.filter { if case .add = $0 { true } else { false } }
    #expect(added.count == 1)
  }

  @Test func `a closed terminal leaves the demo running`() async throws {
    var context = try context(terminal: true)
    context.dashboard = FakeDashboard(end: .ended(ExitCode(rawValue: 129)))
    let outcome = await context.run("demo")
    #expect(outcome == .init(code: 129, output: "", error: ""))
    #expect(FileManager.default.fileExists(atPath: home))
    #expect(!context.service.asked.contains(.stop))
  }

  @Test func `without a terminal lines are printed until nothing goes on by itself`() async throws {
    var asking = row(3, .waiting)
    asking.reason = .needsLogin
    var context = try context([row(1, .idle), row(2, .idle), asking])
    context.clock = FakeClock()
    context.service.onWatch([
      event(row(1, .running)), event(row(1, .completed)), event(row(2, .completed)),
    ])
    context.connector = connector(context.service, connections: 4)
    let outcome = await context.run("demo")
    #expect(outcome.code == 0)
    // How the waiting one is shown is not the point.
    let lines = outcome.output.split(separator: "\n").filter { !$0.hasPrefix("3 ") }
      .joined(separator: "\n")
    #expect(
      lines.hasPrefix(
        """
        1  One: idle
        2  One: idle
        1  One: done, 2.0 KiB
        2  One: done, 2.0 KiB
        The demo downloaded
        """))
    #expect(!FileManager.default.fileExists(atPath: home))
  }

  @Test func `without a terminal nothing is added that needs somebody`() async throws {
    var context = try context()
    context.connector = connector(context.service, connections: 4)
    _ = await context.run("demo", "--seconds", "3")
    let added = context.service.asked.compactMap { asked in
      if case .add(let specs) = asked { specs } else { nil }
    }
    #expect(added.map { $0.map(\.title) } == [["One"]])
  }

  @Test func `the demo configures its own service, and nothing else`() throws {
    let opened = try DemoHome.open(environment: ["TMPDIR": directory.path])
    let file = opened.path + "/config/kettle/config.toml"
    let text = try String(contentsOfFile: file, encoding: .utf8)
    #expect(text.contains("transfers = 3"))
    try "mine".write(toFile: file, atomically: false, encoding: .utf8)
    _ = try DemoHome.open(environment: ["TMPDIR": directory.path])
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "mine")
  }

  @Test func `the time limit ends the demo and cleans up`() async throws {
    var context = try context([row(1, .running)])
    context.connector = connector(context.service, connections: 4)
    #expect(await context.run("demo", "--seconds", "3").code == 0)
    #expect(!FileManager.default.fileExists(atPath: home))
  }

  @Test func `Ctrl-C without a dashboard cleans up and exits with 130`() async throws {
    var context = try context([row(1, .running)])
    context.interruptions = [.interrupt]
    context.connector = connector(context.service, connections: 4)
    #expect(await context.run("demo").code == 130)
    #expect(!FileManager.default.fileExists(atPath: home))
  }

  @Test func `a home that is not private is rejected and left unchanged`() async throws {
    let context = try context()
    chmod(home, 0o755)
    let outcome = await context.run("demo")
    #expect(outcome.code == 2)
    #expect(outcome.error.contains("is not a private directory of yours"))
    #expect(FileManager.default.fileExists(atPath: home + "/catalogue.json"))
  }

  @Test func `a symbolic link in place of the home is not followed`() throws {
    let other = try TemporaryDirectory()
    try FileManager.default.createSymbolicLink(
      atPath: home, withDestinationPath: other.path)
    #expect(throws: DemoProblem.foreignHome(path: home)) {
      try DemoHome.open(environment: ["TMPDIR": directory.path])
    }
  }

  @Test func `deleting the home does not follow symbolic links`() throws {
    let other = try TemporaryDirectory()
    let kept = try other.file("kept", "x")
    let opened = try DemoHome.open(environment: ["TMPDIR": directory.path])
    try FileManager.default.createSymbolicLink(
      atPath: opened.path + "/link", withDestinationPath: other.path)
    try opened.delete()
    #expect(FileManager.default.fileExists(atPath: kept))
    #expect(!FileManager.default.fileExists(atPath: home))
    // Another demo may already have deleted it.
    try opened.delete()
  }

  @Test(arguments: [
    "", "{}", #"{"origin": "http://127.0.0.1:1", "items": []}"#,
    #"{"origin": "x", "items": [{"title": "a", "path": "/b", "bytes": 1}]}"#,
  ])
  func `an invalid catalogue is reported`(text: String) throws {
    let opened = try DemoHome.open(environment: ["TMPDIR": directory.path])
    try text.write(toFile: opened.cataloguePath, atomically: false, encoding: .utf8)
    #expect(throws: DemoProblem.catalogueUnusable(path: opened.cataloguePath)) {
      try DemoFileList(readingFrom: opened)
    }
  }

  @Test func `--serve prints the URLs, and stops when it is interrupted`() async {
    var context = FakeContext()
    context.interruptions = [.interrupt]
    let outcome = await context.run("demo", "--serve", "8017")
    #expect(
      outcome
        == .init(
          code: 0,
          output: """
            http://127.0.0.1:8017/one.pdf
            Serving these slowly to this machine only; Ctrl-C ends it

            """, error: ""))
    #expect(context.demoServerStops.value == 1)
    #expect(context.connector == nil && context.service.asked.isEmpty)
  }

  @Test func `URLs that cannot be printed end the server`() async {
    let context = FakeContext()
    context.console.fail(with: .cannotWrite(detail: "No space left on device"))
    #expect(await context.run("demo", "--serve", "8017").code == 1)
    #expect(context.demoServerStops.value == 1)
  }

  @Test func `a port that cannot be used is named`() async {
    var context = FakeContext()
    context.demoServerProblem = DemoServerProblem(errorNumber: EADDRINUSE)
    let outcome = await context.run("demo", "--serve", "8018")
    #expect(outcome.code == 2)
    #expect(
      outcome.error == """
        kettle: The demo cannot serve on port 8018 (Address already in use); choose another port, \
        such as 8019

        """)
  }

  @Test(arguments: [
    ["--serve", "0"], ["--serve", "65536"], ["--serve", "8017", "--seconds", "3"],
  ])
  func `a server with another end or port is refused`(arguments: [String]) async {
    let context = FakeContext()
    #expect(await context.run(["demo"] + arguments).code == 2)
    #expect(context.demoServerStops.value == 0)
  }
}
