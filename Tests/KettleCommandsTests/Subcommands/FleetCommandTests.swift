import KettleControl
import Testing

@testable import KettleCommands
@testable import KettleModel

@Suite(.timeLimit(.minutes(5)))
struct FleetCommandTests {
  private static let database = "postgres://db.example/downloads"

  private static let settings = FleetSettings(
    database: database, name: "nas", secret: "", labels: ["eu"], take: 20, roots: ["/srv"])

  private static let hosts = [
    FleetHostRow(
      id: FleetHostID(rawValue: 1), name: "nas", labels: ["eu", "disk"], take: 20,
      version: "0.1.0", aliveForMilliseconds: 40_000, isDraining: true, claimedCount: 12,
      completedCount: 4312, bytesPerSecond: 32_715_571, freeBytes: 1 << 40, shareCount: 3),
    FleetHostRow(
      id: FleetHostID(rawValue: 2), name: "box", labels: [], take: 8, version: "0.1.0",
      aliveForMilliseconds: -200_000, isDraining: false, claimedCount: 8, completedCount: 0,
      bytesPerSecond: 0, freeBytes: nil, shareCount: 0),
  ]

  private static let origins = [
    FleetOriginRow(
      origin: "https://a.example", shares: 1, connections: nil, queuedCount: 1200,
      machines: ["nas"], opensInMilliseconds: nil),
    FleetOriginRow(
      origin: "https://b.example", shares: 4, connections: 8, queuedCount: 2, machines: [],
      opensInMilliseconds: 90_000),
  ]

  private func context(_ answer: ManageFleet.Result = .init()) -> FakeContext {
    let context = FakeContext()
    context.service.have(answer)
    return context
  }

  private func refusal(_ words: String...) async -> String {
    let context = context()
    let outcome = await context.run(words)
    #expect(outcome.code == 2 && outcome.output.isEmpty && context.service.asked.isEmpty)
    return outcome.error
  }

  // MARK: Taking part

  @Test func `init and join send what was typed`() async {
    let initialized = context()
    #expect(
      await initialized.run("fleet", "init", Self.database)
        == .init(
          code: 0,
          output: "The fleet \"downloads\" is ready; \"kettle fleet join\" lets a machine work on "
            + "it\n", error: ""))
    #expect(initialized.service.asked == [.fleet(.initialize(database: Self.database))])
    var joined = context(.init(standing: FleetStanding(settings: Self.settings)))
    joined.directory = "/home/anna"
    #expect(
      await joined.run(
        "fleet", "join", Self.database, "--name", "nas", "--labels", "eu,disk", "--take", "40",
        "--root", "files", "--root", "s3://bucket/raw/")
        == .init(
          code: 0,
          output: "This machine is \"nas\" in the fleet \"downloads\" and claims up to 20 "
            + "downloads\n", error: ""))
    #expect(
      joined.service.asked == [
        .fleet(
          .join(
            database: Self.database, name: "nas", labels: ["eu", "disk"], take: 40,
            roots: ["/home/anna/files", "s3://bucket/raw"]))
      ])
  }

  @Test(arguments: [
    "postgres://me:secret@db/x", "postgres://db/x?password=secret", "host=db password=secret",
  ])
  func `a database with a password is refused, and the password is not repeated`(
    database: String
  ) async {
    for command in ["init", "join"] {
      let error = await refusal("fleet", command, database)
      #expect(
        error
          == "kettle: Write the database without its password, which others could see; put the "
          + "password into ~/.pgpass, into the file that PGPASSFILE names, or into a service file "
          + "(service=NAME)\n")
    }
  }

  @Test func `names, numbers and roots out of their bounds are refused`() async {
    #expect(
      await refusal("fleet", "join", "d", "--name", "a b")
        == "kettle: \"a b\" is no name for a machine; use up to 100 letters, digits, \"-\", \"_\" "
        + "and \".\", and not \"all\"\n")
    #expect(await refusal("fleet", "join", "d", "--labels", "eu,all").contains("\"all\" is no"))
    #expect(
      await refusal("fleet", "join", "d", "--take", "100000")
        == "kettle: --take takes a number from 0 to 10000\n")
    #expect(await refusal("fleet", "join", "d", "--root", "s3://").contains("s3://"))
    #expect(
      await refusal("--host", "box", "fleet", "join", "d", "--root", "files")
        == "kettle: \"files\" is on the other machine; write the whole path, from the slash\n")
    #expect(
      await refusal("fleet", "origin", "a.example", "--shares", "0")
        == "kettle: --shares takes a number from 1 to 1000\n")
    #expect(await refusal("fleet", "origin", "--shares", "2").contains("kettle fleet origin HOST"))
    #expect(await refusal("fleet", "limit", "fast").contains("fast"))
  }

  @Test func `status shows the standing, and exits with 2 in no fleet`() async {
    var standing = FleetStanding(settings: Self.settings, claimedCount: 3, isDraining: true)
    standing.problem = "timeout"
    standing.silentSince = WallTime(millisecondsSince1970: FakeClock.start)
    let joined = context(.init(standing: standing))
    #expect(
      await joined.run("fleet", "status")
        == .init(
          code: 0,
          output: """
            This machine is "nas" in the fleet "downloads" and claims up to 20 downloads
            Labels: eu
            Roots: /srv
            Claimed: 3; it claims nothing more
            No answer since 14:00: timeout

            """, error: ""))
    let json = await joined.run("fleet", "status", "--json").output
    #expect(json.contains("\"database\": \"\(Self.database)\""))
    #expect(!json.contains("secret"))
    #expect(
      await context().run("fleet", "status")
        == .init(
          code: 2, output: "",
          error: "kettle: This machine is in no fleet; join one with \"kettle fleet join\"\n"))
    #expect(
      await context().run("fleet", "status", "--json")
        == .init(code: 2, output: "{\"fleet\": null}\n", error: ""))
  }

  @Test func `leave, limit, drain and undrain say what they did`() async {
    let cases: [([String], FleetRequest, String)] = [
      (["leave"], .leave(isDraining: false), "This machine has left its fleet"),
      (
        ["leave", "--drain"], .leave(isDraining: true),
        "This machine leaves its fleet when what it downloads is done"
      ),
      (
        ["limit", "200M"], .limit(bytesPerSecond: 200 << 20),
        "All machines together: at most 200 MiB/s"
      ),
      (["limit", "none"], .limit(bytesPerSecond: nil), "All machines together: no limit"),
      (
        ["drain", "nas"], .drain(host: "nas", isDraining: true),
        "\"nas\" finishes what it has claimed; \"kettle fleet undrain\" lets it claim again"
      ),
      (["undrain", "nas"], .drain(host: "nas", isDraining: false), "\"nas\" claims again"),
    ]
    for (words, request, sentence) in cases {
      let context = context()
      #expect(
        await context.run(["fleet"] + words)
          == .init(code: 0, output: sentence + "\n", error: ""))
      #expect(context.service.asked == [.fleet(request)])
    }
  }

  // MARK: Looking

  @Test func `hosts have a line each`() async {
    let context = context(.init(hosts: Self.hosts))
    #expect(
      await context.run("fleet", "hosts")
        == .init(
          code: 0,
          output: """
            nas (eu, disk): draining, 12 of 20 claimed, 4,312 done, 31.2 MiB/s, 1.0 TiB free
            box: lost for 3:20, 8 of 8 claimed

            """, error: ""))
    let json = await context.run("fleet", "hosts", "--json").output
    #expect(json.contains("\"isAlive\": false") && json.contains("\"freeBytes\": null"))
  }

  @Test func `origins are listed, shown alone, and set`() async {
    let context = context(.init(origins: Self.origins))
    let second = "https://b.example: 4 shares, 8 connections, 2 queued, not before 1:30\n"
    #expect(
      await context.run("fleet", "origin").output
        == "https://a.example: 1 share, 1,200 queued, used by nas\n" + second)
    #expect(
      await context.run("fleet", "origin", "b.example", "--shares", "4").output.contains(second))
    #expect(
      context.service.asked.contains(
        .fleet(.setOrigin(origin: "https://b.example", shares: 4, connections: nil))))
    let unknown = await context.run("fleet", "origin", "http://c.example:8080/x")
    #expect(unknown.code == 2)
    #expect(unknown.error.contains("The fleet knows nothing about \"http://c.example:8080\""))
  }

  @Test func `doctor names problems and what to do`() async {
    var health = FleetHealth(
      schemaVersion: 1, serverVersion: "15.8", oldestSnapshotSeconds: 1,
      oldestSnapshotHolder: nil, deadRowCount: 10, liveRowCount: 500, connectionCount: 5,
      connectionMax: 100, now: WallTime(millisecondsSince1970: FakeClock.start),
      hosts: Self.hosts, orphanedCount: 8, isReplica: false, commitsAreDurable: true)
    #expect(
      await context(.init(health: health)).run("fleet", "doctor")
        == .init(
          code: 0,
          output: """
            PostgreSQL 15.8, tables of version 1
            Clock: agrees with this machine; only that of the database counts
            Rows: 500, and 10 dead
            Connections: 5 of 100
            Machines: 1 alive, 1 lost

            """, error: ""))
    health.destinations = [FleetDestination(root: "s3://b/p", standing: .createsOnly)]
    let safe = await context(.init(health: health)).run("fleet", "doctor")
    #expect(safe.code == 0)
    #expect(
      safe.output.contains("s3://b/p: never replaces an object unless it is asked to\n"))
    health.destinations = [
      FleetDestination(root: "s3://b/p", standing: .replaces),
      FleetDestination(
        root: "s3://c/p", standing: .failed(TransferFailure(.storeRefused, on: "s3://c/p"))),
    ]
    let unsafe = await context(.init(health: health)).run("fleet", "doctor")
    #expect(unsafe.code == 1 && unsafe.error.contains("s3://b/p ignores conditional writes"))
    #expect(unsafe.error.contains("s3://c/p cannot be written: "))
    health.destinations = nil
    health.oldestSnapshotSeconds = 300
    health.oldestSnapshotHolder = "pg_dump"
    health.deadRowCount = 90_000
    health.connectionCount = 95
    health.isReplica = true
    health.commitsAreDurable = false
    health.hosts = [Self.hosts[1]]
    let outcome = await context(.init(health: health)).run("fleet", "doctor")
    #expect(outcome.code == 1)
    let problems = outcome.error.split(separator: "\n")
    #expect(problems.count == 6)
    #expect(problems.contains { $0.contains("A transaction of \"pg_dump\" is 5:00 old") })
  }

  // MARK: --fleet

  @Test func `a command with --fleet means the queue of the fleet`() async {
    for words in [
      ["--fleet", "list"], ["list", "--json", "--fleet"], ["pause", "--fleet", "3"],
      ["start", "--fleet", "--all"], ["stop", "3", "--fleet"], ["remove", "3", "--fleet"],
      ["why", "3", "--fleet"], ["wait", "--all", "--fleet"], ["verify", "3", "--fleet"],
    ] {
      var context = FakeContext()
      context.service = FakeService([snapshot(3, .completed)])
      context.service.verify(answers: [.refused])
      let connector = FakeConnector([.success(context.service)])
      context.connector = connector
      _ = await context.run(words)
      #expect(connector.attempts.map(\.address.isFleet) == [true], "\(words)")
    }
    let (context, connector) = (FakeContext(), FakeConnector([.success(FakeService())]))
    var plain = context
    plain.connector = connector
    _ = await plain.run("list")
    #expect(connector.attempts.map(\.address.isFleet) == [false])
  }

  private static func member(_ path: String, _ url: String) throws -> ListedMember {
    ListedMember(
      path: try #require(MemberPath(foreign: path)), url: try TransferURL.parse(url).get().url)
  }

  private static func added(in asked: [FakeService.Asked]) -> [TransferSpec] {
    asked.flatMap { one -> [TransferSpec] in
      if case .add(let specs) = one { specs } else { [] }
    }
  }

  /// Adds `hf://org/model` to a fleet, and returns what the fleet and this machine were asked.
  private func spread(
    _ words: [String]
  ) async throws -> (
    outcome: FakeContext.CommandResult, fleet: [FakeService.Asked], local: [FakeService.Asked]
  ) {
    let (fleet, local) = (FakeService(), FakeService())
    local.have([
      try Self.member("a/b.bin", "https://huggingface.co/org/model/resolve/main/a/b.bin"),
      try Self.member("c.bin", "https://cdn.example/c.bin"),
    ])
    var context = FakeContext()
    context.environment["HF_TOKEN"] = "hf_secret"
    context.connector = FakeConnector([.success(fleet), .success(local)])
    let outcome = await context.run(["add", "--fleet", "hf://org/model"] + words)
    return (outcome, fleet.asked, local.asked)
  }

  @Test func `a collection is listed here, and its files go to the fleet`() async throws {
    let (outcome, fleet, local) = try await spread(["--on", "eu", "--header", "X-Team: a"])
    #expect(outcome.code == 0 && outcome.output.split(separator: "\n") == ["1", "2"])
    #expect(fleet.contains(.on("eu")) && fleet.contains(.at(["model/a/b.bin", "model/c.bin"])))
    let orders = Self.added(in: fleet)
    #expect(orders.map(\.title) == ["model/a/b.bin", "model/c.bin"])
    // The token of this machine is only for the list, and headers are only for their origin.
    #expect(orders.map { $0.headers.map(\.name) } == [["X-Team"], []])
    #expect(orders.allSatisfy { $0.options.collection == nil && $0.beginning == .queued })
    let lists = Self.added(in: local)
    #expect(lists.count == 1 && lists.first?.options.collection?.pausesWhenListed == true)
    #expect(lists.first?.headers.map(\.name).contains("Authorization") == true)
    #expect(local.contains(.control(.remove, .ids([TransferID(rawValue: 1)]))))
  }

  @Test func `a collection with a directory has its files below that`() async throws {
    let (_, fleet, _) = try await spread(["--to", "/srv/models", "--paused"])
    #expect(fleet.contains(.at(["a/b.bin", "c.bin"])))
    let orders = Self.added(in: fleet)
    #expect(orders.allSatisfy { $0.directory == "/srv/models" && $0.beginning == .paused })
  }

  @Test func `the dashboard shows the fleet, whose files are elsewhere`() async {
    var context = FakeContext()
    context.console = FakeConsole(inputIsTerminal: true, outputColumns: 80)
    #expect(await context.run("--fleet").code == 0)
    #expect(context.dashboard.requests.map(\.address.isFleet) == [true])
    #expect(context.dashboard.requests.map(\.filesAreHere) == [false])
    #expect(context.dashboard.requests.map(\.shellProgram) == ["kettle --fleet"])
  }

  @Test func `commands for the list of one machine refuse --fleet`() async {
    for words in [
      ["limit", "1M"], ["hosts"], ["daemon", "status"], ["get", "https://a.example/x"],
    ] {
      let error = await refusal(of: words + ["--fleet"])
      #expect(error.hasSuffix("is for the list of one machine; leave --fleet out\n"), "\(error)")
    }
  }

  private func refusal(of words: [String]) async -> String {
    let context = context()
    let outcome = await context.run(words)
    #expect(outcome.code == 2 && context.service.asked.isEmpty)
    return outcome.error
  }

  @Test func `add names the machines that may download`() async {
    let context = context()
    let urls = ["https://a.example/1", "https://a.example/2"]
    #expect(await context.run(["add", "--fleet", "--on", "nas"] + urls).code == 0)
    #expect(context.service.asked.first == .on("nas"))
    #expect(
      await refusal("add", "--on", "nas", urls[0])
        == "kettle: --on names machines of a fleet; write \"kettle add --fleet --on NAME\"\n")
    #expect(await refusal("add", "--fleet", "--on", "a b", urls[0]).contains("no name"))
  }

  @Test func `add makes a copy for all machines`() async throws {
    let context = context()
    let urls = ["https://a.example/1", "https://a.example/2"]
    #expect(await context.run(["add", "--fleet", "--on", "all"] + urls).code == 0)
    #expect(context.service.asked.first == .on("all"))
    let request = AddRequest(
      try urls.map { TransferSpec(url: try TransferURL.parse($0).get().url) })
    let ids = (1...6).map { TransferID(rawValue: $0) }
    let copies = request.withURLs(ids)
    #expect(copies.map(\.0) == ids)
    #expect(copies.map(\.1.text) == [urls[0], urls[0], urls[0], urls[1], urls[1], urls[1]])
    #expect(request.withURLs([ids[0], ids[1]]).map(\.1.text) == urls)
  }

  @Test func `join sends where files are given to others`() async {
    var settings = Self.settings
    settings.shareAddress = "10.0.0.5:7070"
    let joined = context(.init(standing: FleetStanding(settings: settings)))
    let words = ["fleet", "join", Self.database, "--share"]
    #expect(await joined.run(words + ["10.0.0.5:7070"]).code == 0)
    #expect(
      joined.service.asked == [
        .fleet(
          .join(
            database: Self.database, name: nil, labels: [], take: FleetRequest.takeUsual,
            roots: [], share: "10.0.0.5:7070"))
      ])
    let status = await joined.run("fleet", "status").output
    #expect(status.contains("Gives files at: 10.0.0.5:7070\n"))
    let json = await joined.run("fleet", "status", "--json").output
    #expect(json.contains("\"shareAddress\": \"10.0.0.5:7070\""))
    #expect(
      await refusal(of: words + ["nas:7070"])
        == "kettle: \"nas:7070\" is no address at which other machines reach this one; write one "
        + "of its addresses with a port, as in 10.0.0.5:7070\n")
  }

  @Test func `a directory of the fleet is not looked for here`() async {
    let context = context()
    let outcome = await context.run(
      "add", "--fleet", "--to", "/no/such/share", "https://a.example/1")
    #expect(outcome.code == 0)
    guard case .add(let specs) = context.service.asked.last else {
      Issue.record("nothing was added")
      return
    }
    #expect(specs.map(\.directory) == ["/no/such/share"])
  }

  @Test func `rows name their machine`() async {
    var row = snapshot(3, .running)
    row.machine = "nas"
    var context = FakeContext()
    context.service = FakeService([row])
    context.console = FakeConsole(outputColumns: 120)
    let table = await context.run("list", "--fleet").output
    #expect(table.contains("MACHINE") && table.contains("nas"))
    var plain = FakeContext()
    plain.service = FakeService([row])
    #expect(await plain.run("list", "--fleet", "--json").output.contains("\"machine\": \"nas\""))
    var why = FakeContext()
    why.service = FakeService([row])
    #expect(await why.run("why", "3", "--fleet").output.contains("Its machine is \"nas\""))
  }
}
