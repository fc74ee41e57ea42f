import KettleModel
import Testing

@testable import KettleScheduler

/// Which changes of transfers make hooks due.
struct HookTriggersTests {
  private static func command(_ name: String) throws -> HookCommand {
    try HookCommand.make([name]).get()
  }

  /// A scheduler with a hook for every event.
  private struct World {
    var script: SchedulerScript

    var due: [HookDue] { script.hooks }
    var events: [HookEvent] { due.map(\.event) }

    init(limits: TransferQueue.Limits = TransferQueue.Limits(), appliesToRPC: Bool = false) throws {
      script = SchedulerScript(limits: limits)
      var rules = HookRules()
      rules.appliesToRPC = appliesToRPC
      for event in HookEvent.allCases {
        rules.commands[event] = try HookTriggersTests.command(event.rawValue)
      }
      script.scheduler.setHooks(rules)
    }

    @discardableResult
    mutating func add(_ spec: TransferSpec) -> TransferID { script.add(spec) }

    /// Ends the attempt that began last.
    mutating func fail(_ failure: TransferFailure) throws {
      script.settled(try #require(script.attempt), .failed(failure))
    }

    /// Completes the running transfer that began last.
    mutating func complete() throws {
      let attempt = try #require(script.attempt)
      let id = try #require(script.scheduler.owner(of: attempt))
      script.head(attempt, 200, ["Content-Length": "1000", "ETag": "\"v1\""])
      script.opened(attempt, partial())
      script.settled(attempt, .complete, durable: 1000)
      let placing = script.actions.compactMap { action -> OperationID? in
        if case .placeFile(id, let operation, _, _) = action { operation } else { nil }
      }
      let operation = try #require(placing.last)
      let file = FinishedFile(
        path: "/downloads/a.iso",
        identity: FileIdentity(
          device: 1, inode: 7, byteCount: 1000, modifiedNanoseconds: 5))
      script.handle(.file(id, .placed(.success(file), by: operation)))
      #expect(script.state(id) == .completed)
    }
  }

  private static let gone = TransferFailure(.httpStatus, on: "http://files.example/a.iso")

  private func task() -> TransferSpec {
    var task = spec()
    task.session = SessionID(rawValue: "org.example.app")
    task.task = TaskOptions(kind: .download)
    return task
  }

  private func ofRPC() -> TransferSpec {
    var added = spec()
    added.options.rpc = RPCOptions()
    return added
  }

  @Test func `a completed transfer runs its own command and that of the settings`() throws {
    var world = try World()
    var first = spec()
    first.options.then = try Self.command("own")
    let id = world.add(first)
    try world.complete()
    #expect(world.events == [.completed, .completed, .allDone])
    #expect(world.due.map(\.source) == [.transfer, .settings, .settings])
    #expect(world.due[0].command.program == "own")
    #expect(world.due[0].subject == .transfer(id))
    #expect(world.due[2].subject == .allDone(HookTally(completed: 1)))
  }

  @Test func `a failed transfer runs its hook each time it fails`() throws {
    var world = try World()
    let id = world.add(spec())
    try world.fail(Self.gone)
    #expect(world.script.state(id) == .failed)
    #expect(world.events == [.failed, .allDone])
    world.script.control(.start, id)
    try world.fail(Self.gone)
    #expect(world.events == [.failed, .allDone, .failed, .allDone])
    #expect(world.due.last?.subject == .allDone(HookTally(failed: 1)))
  }

  @Test func `a transfer that needs the user runs its hook once`() throws {
    var world = try World()
    let id = world.add(spec("https://nas.local/a.iso"))
    var failure = TransferFailure(.tlsRefused, on: "nas.local", detail: "self-signed certificate")
    let challenge = ServerChallenge(
      kind: .serverTrust, origin: "https://nas.local", failureCount: 0)
    try world.fail(failure)
    #expect(world.due.isEmpty)
    failure.certificate = ServerCertificate(
      origin: "https://nas.local", fingerprint: String(repeating: "cd", count: 32),
      key: String(repeating: "ab", count: 32), subject: "nas.local", issuer: "nas.local")
    world.script.settled(try #require(world.script.attempt), .untrusted(failure, challenge))
    #expect(world.script.record(id)?.reason == .needsDecision)
    #expect(world.events == [.needsUser, .allDone])
    world.script.advance(milliseconds: 3_600_000)
    world.script.timePasses()
    world.script.control(.limit(1000), id)
    #expect(world.events == [.needsUser, .allDone])
  }

  @Test func `the end of all transfers comes once, after the last one`() throws {
    var limits = TransferQueue.Limits()
    limits.runningMax = 1
    var world = try World(limits: limits)
    world.add(spec())
    world.add(spec("http://files.example/b.iso"))
    try world.complete()
    #expect(world.events == [.completed])
    try world.fail(Self.gone)
    #expect(world.events == [.completed, .failed, .allDone])
    #expect(world.due.last?.subject == .allDone(HookTally(completed: 1, failed: 1)))
    // Nothing more ends.
    world.script.timePasses()
    #expect(world.events.count == 3)
  }

  @Test func `putting the last transfer aside is not the end of all`() throws {
    var world = try World()
    let id = world.add(spec())
    world.script.control(.pause, id)
    #expect(world.due.isEmpty)
  }

  @Test func `tasks of programs have no hooks`() throws {
    var world = try World()
    world.add(task())
    try world.fail(Self.gone)
    #expect(world.due.isEmpty)
  }

  @Test func `transfers of the RPC have hooks only if they may`() throws {
    var world = try World()
    world.add(ofRPC())
    try world.complete()
    #expect(world.due.isEmpty)
    var allowed = try World(appliesToRPC: true)
    allowed.add(ofRPC())
    try allowed.complete()
    #expect(allowed.events == [.completed, .allDone])
  }

  @Test func `the end of all waits for transfers of the RPC`() throws {
    var limits = TransferQueue.Limits()
    limits.runningMax = 1
    var world = try World(limits: limits)
    world.add(spec())
    world.add(ofRPC())
    try world.complete()
    #expect(world.events == [.completed])
    try world.complete()
    #expect(world.events == [.completed, .allDone])
    #expect(world.due.last?.subject == .allDone(HookTally(completed: 1)))
  }

  @Test func `a recovered transfer that had ended runs nothing`() throws {
    var world = try World()
    let id = world.add(spec())
    try world.complete()
    let record = try #require(world.script.record(id))
    var after = try World()
    after.script.run(after.script.scheduler.recover([record], at: after.script.now))
    #expect(after.script.state(id) == .completed)
    #expect(after.due.isEmpty)
  }
}
