import Glibc
import KettleEngine
import KettleModel
import KettleScheduler
import TestSupport
import Testing

@testable import KettleDaemon

/// The order of records, starts and ends.
@Suite(.timeLimit(.minutes(5)))
struct HookRegistryTests {
  @Test func `a start is recorded before it happens, and its end after`() async throws {
    let world = HookWorld()
    try world.due([try HookWorld.run(1)])
    let id = HookRunID(rawValue: 1)
    let begun = await world.effects { $0 == .started(id) }
    guard case .committed(let run) = begun[0], case .running = run.standing else {
      Issue.record("\(begun)")
      return
    }
    world.end(1, .exited(code: 3), ["one", "two"])
    #expect(await world.end(of: 1) == .exited(code: 3))
    #expect(world.journal.hooks[id]?.run.end?.lastLine == "two")
    #expect(world.journal.hooks[id]?.occasion == nil)
  }

  @Test func `as many run at once as may`() async throws {
    let world = HookWorld(runningMax: 1)
    try world.due([try HookWorld.run(1), try HookWorld.run(2)])
    await world.started(1)
    world.end(1)
    await world.started(2)
    #expect(world.journal.hooks[HookRunID(rawValue: 1)]?.run.end?.outcome == .exited(code: 0))
  }

  // Fault 114
  @Test func `a program that hangs is asked to end, and then ended`() async throws {
    let world = HookWorld(timeLimitSeconds: 5)
    try world.due([try HookWorld.run(1)])
    await world.started(1)
    let id = HookRunID(rawValue: 1)
    world.clock.advance(milliseconds: 5000)
    _ = await world.effects { $0 == .signalled(id, SIGTERM) }
    world.clock.advance(milliseconds: 10_000)
    _ = await world.effects { $0 == .signalled(id, SIGKILL) }
    world.end(1, .killed(signal: 9))
    #expect(await world.end(of: 1) == .timedOut(seconds: 5))
  }

  @Test func `a program that is missing is recorded and reported`() async throws {
    let world = HookWorld()
    world.lose("no-such-program")
    try world.due([try HookWorld.run(1, "no-such-program"), try HookWorld.run(2)])
    let seen = await world.effects { effect in
      if case .committed(let run) = effect { run.end != nil } else { false }
    }
    guard case .committed(let missing)? = seen.last else {
      Issue.record("\(seen)")
      return
    }
    #expect(missing.end?.outcome == .notStarted(errno: "ENOENT"))
    let reported = seen.compactMap { effect -> HookRun? in
      if case .reported(let run) = effect { run } else { nil }
    }
    #expect(reported.last == missing)
    #expect(reported.first?.id.rawValue == 2 && reported.first?.end == nil)
  }

  @Test func `a store that cannot be written delays the start`() async throws {
    let world = HookWorld()
    try world.due([])
    world.setBroken(true)
    try world.due([try HookWorld.run(1)])
    while world.clock.deadline == nil { await Task.yield() }
    world.setBroken(false)
    world.clock.advance(milliseconds: 60_000)
    await world.started(1)
  }

  @Test func `an end is recorded once the store can be written`() async throws {
    let world = HookWorld(runningMax: 1)
    try world.due([try HookWorld.run(1)])
    await world.started(1)
    world.setBroken(true)
    world.end(1, .exited(code: 3))
    await world.refusedEnd(of: 1)
    world.setBroken(false)
    #expect(await world.end(of: 1) == .exited(code: 3))

    try world.due([try HookWorld.run(2)])
    await world.started(2)
    _ = await world.end()
    let second = HookWorld(after: world)
    second.setBroken(true)
    second.registry.recover(try second.journal.load().hooks)
    await second.refusedEnd(of: 2)
    second.setBroken(false)
    #expect(await second.end(of: 2) == .interrupted)
  }

  @Test func `a run that the store cannot read is removed, and the next one starts`() async throws {
    let world = HookWorld(runningMax: 1)
    let unreadable = HookRunID(rawValue: 1)
    world.registry.observe(.hooksDue([unreadable]))
    _ = await world.effects { $0 == .removed(unreadable) }
    try world.due([try HookWorld.run(2)])
    await world.started(2)
  }

  @Test func `the next service starts what was pending and interrupts what ran`() async throws {
    let first = HookWorld(runningMax: 1)
    try first.due([try HookWorld.run(1), try HookWorld.run(2)])
    await first.started(1)
    #expect(await first.end().contains(.started(HookRunID(rawValue: 2))) == false)
    // Its program goes on; how it ends is no longer recorded.
    first.end(1)

    let second = HookWorld(after: first)
    second.registry.recover(try second.journal.load().hooks)
    #expect(await second.end(of: 1) == .interrupted)
    await second.started(2)
  }

  @Test func `how a run ended is reported, also to the next service`() async throws {
    let first = HookWorld()
    try first.due([try HookWorld.run(1)])
    await first.started(1)
    first.end(1, .exited(code: 3))
    #expect(await first.end(of: 1) == .exited(code: 3))
    #expect(first.endedRuns.map(\.end?.outcome) == [.exited(code: 3)])
    let second = HookWorld()
    var recovered = UnfinishedHooks()
    recovered.failed = first.endedRuns
    second.registry.recover(recovered)
    #expect(second.endedRuns == first.endedRuns)
  }

  @Test func `new limits start more`() async throws {
    let world = HookWorld(runningMax: 1)
    try world.due([try HookWorld.run(1), try HookWorld.run(2)])
    await world.started(1)
    var limits = HookQueue.Limits()
    limits.runningMax = 2
    world.registry.setLimits(limits)
    await world.started(2)
  }
}
