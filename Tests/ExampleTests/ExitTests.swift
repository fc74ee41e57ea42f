import Foundation
import KettleModel
import Testing
import TestSupport

/// What the service and the next run know after a program has ended, at any moment.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct ExitTests {
  private let home: ExampleHome
  private let origin: ScriptedOrigin

  init() throws {
    home = try ExampleHome()
    origin = try ScriptedOrigin()
  }

  private func serve(_ path: String, until event: String? = nil) throws -> String {
    let body = SeededBody(seed: 5, byteCount: 1000)
    origin.serve(OriginBehavior(body).with { $0.headWaitsFor = event }, at: path)
    return try origin.url(path).text
  }

  private func serve(count: Int, until event: String? = nil) throws -> String {
    for number in 0..<count { _ = try serve("/n\(number)", until: event) }
    return try origin.url("/n").text
  }

  @Test func `tasks requested just before the exit are fetched and delivered once`() async throws {
    let count = 500
    let base = try serve(count: count)
    let program = try home.start("session-program", home.log, "add", "\(count)", base)
    #expect(await program.end() == 0)
    try await home.wait(for: "events")
    let calls = home.calls
    #expect(calls.count == 3 * count + 1)
    for call in ["finished", "collected", "completed"] {
      #expect(Set(calls.filter { $0.hasPrefix(call) }).count == count)
    }
    for number in 0..<count { #expect(origin.beginnings(at: "/n\(number)") == 1) }
  }

  @Test(arguments: [
    ("finished", ["finished 1"], ["collected 1", "completed 1"]),
    ("collected", ["finished 1", "collected 1"], ["completed 1"]),
    ("completed", ["finished 1", "collected 1", "completed 1"], []),
  ])
  func `an exit inside a call delivers the rest to the next run`(
    call: String, first: [String], rest: [String]
  ) async throws {
    let urls = [try serve("/a"), try serve("/b", until: "left")]
    let program = try home.start("session-program", home.log, "exit-in", call, urls[0], urls[1])
    #expect(await program.end() == 0)
    #expect(home.calls == first)
    let second = rest + ["finished 2", "collected 2", "completed 2", "events"]
    origin.release("left")
    try await home.wait(for: "events")
    #expect(home.calls == first + second)
    try await expectNoLaunch(after: first.count + second.count)
    #expect(origin.requests(at: "/a").count == 1)
    #expect(origin.requests(at: "/b").count == 1)
  }

  @Test func `an exit inside the call for the end of events is the end`() async throws {
    let url = try serve("/a", until: "killed")
    let program = try home.start("session-program", home.log, "exit-in", "events", url)
    try await origin.waitForRequests(1, at: "/a")
    program.send(SIGKILL)
    #expect(await program.end() == 128 + SIGKILL)
    origin.release("killed")
    try await home.wait(for: "events")
    #expect(home.calls == ["finished 1", "collected 1", "completed 1", "events"])
    try await expectNoLaunch(after: 4)
  }

  @Test func `an upload whose program was killed is reported to the next run`() async throws {
    let path = home.files + "/up.bin"
    let body = SeededBody(seed: 6, byteCount: 100_000)
    try Data(body.bytes).write(to: URL(filePath: path))
    origin.serve(
      .status(201, text: "Thank you").with { $0.headWaitsFor = "killed" }, at: "/up")
    let program = try home.start(
      "session-program", [home.log, "exit-in", "events", try origin.url("/up").text],
      adding: ["UPLOAD": path])
    try await origin.waitForRequests(1, at: "/up")
    program.send(SIGKILL)
    #expect(await program.end() == 128 + SIGKILL)
    origin.release("killed")
    try await home.wait(for: "events")
    #expect(home.calls == ["received 1", "collected 1", "completed 1", "events"])
    try await expectNoLaunch(after: 4)
    let requests = origin.requests(at: "/up")
    #expect(requests.count == 1)
    #expect(requests.first?.body.elementsEqual(body.bytes) == true)
  }

  @Test func `an embedded service needs no home and no other program`() async throws {
    let url = try serve("/a")
    // Copied beside each other, as into an image.
    let folder = home.path + "/image"
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    for name in ["session-program", "kettle"] {
      try FileManager.default.createSymbolicLink(
        atPath: folder + "/" + name, withDestinationPath: BuiltProgram.path(of: name))
    }
    var environment = ["EMBEDDED": folder + "/transfers"]
    environment["LD_LIBRARY_PATH"] = home.environment["LD_LIBRARY_PATH"]
    let program = try Running(
      folder + "/session-program", [home.log, "exit-in", "completed", url], environment,
      output: home.log)
    #expect(await program.end() == 0)
    #expect(home.calls == ["finished 1", "collected 1", "completed 1"])
    let state = folder + "/transfers/state"
    #expect(FileManager.default.fileExists(atPath: state + "/kettle/store.sqlite"))
    environment["XDG_STATE_HOME"] = state
    let stop = try Running(
      folder + "/kettle", ["daemon", "stop"], environment, output: home.path + "/stopped")
    #expect(await stop.end() == 0)
  }

  /// A service that is stopped has made all its launches.
  private func expectNoLaunch(after count: Int) async throws {
    #expect(await (try home.start("kettle", "session", "list")).end() == 0)
    let problem = home.said.read { $0.first { $0.contains("The program ") } }
    #expect(problem == nil)
    #expect(await (try home.start("kettle", "daemon", "stop")).end() == 0)
    let calls = home.calls.filter { $0 == "events" || $0.hasPrefix("finished") }
    #expect(calls.count <= count)
    #expect(calls.count { $0 == "events" } == 1)
  }

  // Fault 191
  @Test func `tasks that end while a program attaches are reported to it`() async throws {
    let (runCount, countPerRun, futureCount) = (25, 6, 1000)
    for number in 0..<runCount * countPerRun {
      _ = try serve("/n\(number)", until: "run \(number / countPerRun)")
    }
    let base = try origin.url("/n").text
    let arguments = [home.log, "stay", "\(runCount * countPerRun)", base, "\(futureCount)"]
    var ended = 0
    for run in 0..<runCount {
      let first = run * countPerRun
      let program: Running
      if run == 0 {
        program = try home.start("session-program", arguments, adding: [:])
        try await origin.waitForRequests(countPerRun, from: "/n", first: first)
        try await waitUntilRecorded(runCount * countPerRun + futureCount)
      } else {
        try await origin.waitForRequests(countPerRun, from: "/n", first: first)
        program = try home.start("session-program", arguments, adding: [:])
        try await home.said.wait(for: "the start of run \(run)", budgetMilliseconds: 60_000) {
          $0.count { $0 == "started" } > run
        }
      }
      origin.release("run \(run)")
      ended += countPerRun
      let endedCount = ended
      try await home.said.wait(for: "\(endedCount) ends", budgetMilliseconds: 60_000) { lines in
        Set(lines.filter { $0.hasPrefix("completed ") }).count >= endedCount
      }
      program.send(SIGKILL)
      _ = await program.end()
    }
  }

  /// A program that is killed loses the tasks that it has not sent yet. There is no event for the
  /// last one, and each look starts a process.
  private func waitUntilRecorded(_ count: Int) async throws {
    for _ in 0..<200 {
      let sessions = try JSONDecoder().decode(
        [RecordedTasks].self, from: await home.output(of: "session", "list", "--json"))
      if sessions.flatMap(\.counts.values).reduce(0, +) == count { return }
    }
    Issue.record("not all tasks were recorded")
  }

  /// An element of `kettle session list --json`.
  private struct RecordedTasks: Decodable {
    var counts: [String: Int]
  }

  @Test func `tasks that the service does not record are reported`() async throws {
    let base = try serve(count: 3)
    let program = try home.start("session-program", home.log, "late", "3", base)
    try await home.wait(for: "attached")
    let service = try await home.servicePID()
    kill(service, SIGSTOP)
    defer { kill(service, SIGCONT) }
    program.type("go")
    #expect(await program.end() == 0)
    try await home.said.wait(for: "a report") { lines in
      lines.contains {
        $0.hasPrefix("BackgroundTransfer: the service did not record 3 tasks of the session \"org.")
      }
    }
  }

  @Test func `many tasks are controlled together, without requests in between`() async throws {
    let count = 500
    let base = try serve(count: count, until: "never")
    let program = try home.start("session-program", home.log, "control", "\(count)", base)
    try await home.said.wait(for: "the tasks", budgetMilliseconds: 60_000) { lines in
      lines.contains { $0.hasPrefix("add ") }
    }
    try await origin.waitForRequests(1, at: "/n0")
    let before = try await requestCount(of: count)
    program.type("go")
    #expect(await program.end() == 0)
    try await home.said.wait(for: "the last step", budgetMilliseconds: 60_000) { lines in
      lines.contains { $0.hasPrefix("cancel ") }
    }
    // Each of the controls that does not take a message of its own starts the next transfer.
    let after = (0..<count).reduce(0) { $0 + origin.requests(at: "/n\($1)").count }
    #expect(after <= 2 * before + 50, "\(before) requests before the controls and \(after) after")
  }

  /// The number of requests when all connections of the host are in use.
  private func requestCount(of count: Int) async throws -> Int {
    try await origin.waitForRequests(1, at: "/n5")
    return (0..<count).reduce(0) { $0 + origin.requests(at: "/n\($1)").count }
  }
}

extension ScriptedOrigin {
  /// Waits until each of `count` resources has been requested.
  fileprivate func waitForRequests(_ count: Int, from path: String, first: Int) async throws {
    for number in first..<first + count { try await waitForRequests(1, at: "\(path)\(number)") }
  }
}
