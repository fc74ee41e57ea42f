import Foundation
import Glibc
import KettleControl
import KettleEngine
import KettleModel
import KettleScheduler
import KettleSystem
import Testing
import TestSupport

@testable import KettleDaemon

@Suite(.timeLimit(.minutes(5)))
struct SessionRegistryTests {
  private let app = RegistryWorld.app

  // MARK: Order of actions

  @Test func `a launch is recorded before the program is started`() async throws {
    let world = RegistryWorld()
    try await world.attach()
    world.registry.disconnect(ClientID(rawValue: 1))
    world.task(1, .completed)
    let effects = await world.all { if case .launched = $0 { true } else { false } }
    #expect(effects.last == .launched(LaunchCommand(executablePath: "/opt/app"), app))
    guard case .recorded(let record) = effects.dropLast().last else {
      Issue.record("nothing was kept before the launch: \(effects)")
      return
    }
    #expect(record.launch == .spent)
  }

  @Test func `a program can limit server trust challenges to when it is connected`()
    async throws
  {
    let world = RegistryWorld()
    try await world.attach(
      1, SessionOptions(launch: nil, asksServerTrust: true, asksServerTrustWhenAway: false))
    world.registry.disconnect(ClientID(rawValue: 1))
    await world.drainQueue()
    let policies = world.policies.received.withLock { $0[app] ?? [] }
    #expect(policies.map(\.asksServerTrust) == [true, false])
  }

  @Test func `a program is not launched if the launch cannot be recorded`() async throws {
    let world = RegistryWorld()
    try await world.attach()
    world.registry.disconnect(ClientID(rawValue: 1))
    world.store.setBroken(true)
    world.task(1, .completed)
    await world.drainQueue()
    let effects = await world.end()
    #expect(!effects.contains { if case .launched = $0 { true } else { false } })
  }

  @Test func `a shutdown does not launch the programs that it disconnects`() async throws {
    let world = RegistryWorld()
    try await world.attach()
    world.task(1, .completed)
    world.registry.end()
    world.registry.disconnect(ClientID(rawValue: 1))
    let effects = await world.end()
    #expect(!effects.contains { if case .launched = $0 { true } else { false } })
    await #expect(throws: ControlError(.stopping, "")) { try await world.attach(2) }
  }

  // MARK: Programs

  @Test func `a session that cannot be recorded is not attached`() async throws {
    let world = RegistryWorld()
    world.store.setBroken(true)
    await #expect(throws: ControlError(.cannotKeep, "no space")) { try await world.attach() }
    world.store.setBroken(false)
    try await world.attach(2)
    #expect(world.registry.summaries.map(\.processID) == [77])
  }

  @Test func `a second program is refused until the first disconnects`() async throws {
    let world = RegistryWorld()
    try await world.attach(1)
    await #expect(throws: ControlError(.sessionInUse, "77")) { try await world.attach(2) }
    world.registry.disconnect(ClientID(rawValue: 1))
    try await world.attach(2)
  }

  @Test func `only the program of a session may use its tasks`() async throws {
    let world = RegistryWorld()
    try await world.attach(1)
    world.task(9, .queued)
    let id = TransferID(rawValue: 9)
    #expect(throws: ControlError(.notAttached, app.rawValue)) {
      try world.registry.requireProgram(ClientID(rawValue: 2), of: [id])
    }
    #expect(
      try world.registry.requireProgram(
        ClientID(rawValue: 1), of: [id, TransferID(rawValue: 10)]) == [id])
    #expect(throws: ControlError(.notAttached, app.rawValue)) {
      try world.registry.finishEvents(of: app, by: ClientID(rawValue: 2))
    }
    #expect(throws: ControlError(.unknownSession, "other")) {
      try world.registry.finishEvents(
        of: SessionID(rawValue: "other"), by: ClientID(rawValue: 1))
    }
  }

  @Test func `a summary counts the tasks of a session`() async throws {
    let world = RegistryWorld()
    try await world.attach(1)
    world.task(1, .completed)
    world.task(2, .running)
    let summary = try #require(world.registry.summaries.first)
    #expect(summary.id == app)
    #expect(summary.counts == ["completed": 1, "running": 1])
    #expect(summary.unreportedCount == 1)
    #expect(summary.launch == LaunchCommand(executablePath: "/opt/app"))
  }

  @Test func `the last-seen time of a connected program is the current time`() async throws {
    let world = RegistryWorld()
    try await world.attach(1)
    world.clock.advance(milliseconds: 5000)
    #expect(world.registry.summaries.first?.lastSeenAt == world.clock.now().wall)
    world.registry.disconnect(ClientID(rawValue: 1))
    let left = world.clock.now().wall
    world.clock.advance(milliseconds: 5000)
    #expect(world.registry.summaries.first?.lastSeenAt == left)
  }

  // MARK: Removal

  @Test func `only its program may remove a connected session`()
    async throws
  {
    let world = RegistryWorld()
    try await world.attach(1)
    let removing: @Sendable () async -> [TransferID] = { [TransferID(rawValue: 4)] }
    await #expect(throws: ControlError(.sessionInUse, "77")) {
      try await world.registry.remove(app, by: ClientID(rawValue: 2), removing)
    }
    let ids = try await world.registry.remove(app, by: ClientID(rawValue: 1), removing)
    #expect(ids == [TransferID(rawValue: 4)])
    await #expect(throws: ControlError(.unknownSession, app.rawValue)) {
      try await world.registry.remove(app, by: ClientID(rawValue: 1), removing)
    }
    #expect(await world.end().last == .removed(app))
  }

  @Test func `a program that attaches during a removal gets a new session`() async throws {
    let world = RegistryWorld()
    try await world.attach(1)
    let (gate, opening) = AsyncStream<Void>.makeStream()
    let (begun, begin) = AsyncStream<Void>.makeStream()
    async let removed = world.registry.remove(app, by: ClientID(rawValue: 1)) {
      begin.finish()
      for await _ in gate {}
      return []
    }
    for await _ in begun {}
    async let attached: Void = world.attach(2)
    opening.finish()
    _ = try await removed
    try await attached
    let effects = await world.end()
    guard case .recorded = effects.last else {
      Issue.record("the new session is not the last on record: \(effects)")
      return
    }
    #expect(effects.dropLast().last == .removed(app))
  }

  // MARK: Real programs

  private func launcher() -> (ProgramLauncher, directory: String) {
    let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try? FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    return (
      ProgramLauncher(
        environment: ["PATH": "/usr/bin:/bin", "KEPT": "yes"],
        logPath: directory.appending(path: "log").path),
      directory.path
    )
  }

  @Test func `a launched program receives its session, and its output is in the log`() async throws
  {
    let (launcher, directory) = launcher()
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let world = RegistryWorld(launcher: launcher)
    let script = "pwd; echo \"$KETTLE_SESSION_EVENTS $KEPT $0 $1\"; exit 7"
    try await world.attach(
      launch: LaunchCommand(
        executablePath: "/bin/sh", arguments: ["-c", script, "--events", "a b"],
        directory: directory))
    world.registry.disconnect(ClientID(rawValue: 1))
    world.task(1, .completed)
    let end = await world.first { if case .reported(.ended) = $0 { true } else { false } }
    #expect(end == .reported(.ended("exit 7")))
    let said = try String(contentsOfFile: launcher.logPath, encoding: .utf8)
    #expect(said == "\(directory)\norg.example.app yes --events a b\n")
    let notice = world.registry.summaries.first?.notice
    #expect(notice?.problem == .ended && notice?.detail == "exit 7")
    // The same news launches nothing again.
    try await world.attach(2)
    world.registry.disconnect(ClientID(rawValue: 2))
    await world.drainQueue()
    let effects = await world.end()
    #expect(!effects.contains { if case .launched = $0 { true } else { false } })
  }

  @Test func `a missing program is recorded with its errno`() async throws {
    let (launcher, directory) = launcher()
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let world = RegistryWorld(launcher: launcher)
    try await world.attach(launch: LaunchCommand(executablePath: directory + "/gone"))
    world.registry.disconnect(ClientID(rawValue: 1))
    world.task(1, .completed)
    let end = await world.first { if case .reported = $0 { true } else { false } }
    #expect(end == .reported(.notRun("ENOENT")))
    #expect(world.registry.summaries.first?.notice?.problem == .notRun)
  }

  @Test func `a program that hangs is recorded after 30 seconds and not killed`() async throws {
    let (launcher, directory) = launcher()
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let pipe = directory + "/pipe"
    try #require(mkfifo(pipe, 0o600) == 0)
    let world = RegistryWorld(launcher: launcher)
    try await world.attach(
      launch: LaunchCommand(
        executablePath: "/bin/sh", arguments: ["-c", "read word < \(pipe); exit 3"]))
    world.registry.disconnect(ClientID(rawValue: 1))
    world.task(1, .completed)
    _ = await world.first { if case .reported(.started) = $0 { true } else { false } }
    await world.drainQueue()
    world.clock.advance(milliseconds: 30_000)
    #expect(world.registry.summaries.first?.notice?.problem == .silent)
    // It is still alive and reads the word.
    try Data("go\n".utf8).write(to: URL(filePath: pipe))
    let end = await world.first { if case .reported(.ended) = $0 { true } else { false } }
    #expect(end == .reported(.ended("exit 3")))
  }
}
