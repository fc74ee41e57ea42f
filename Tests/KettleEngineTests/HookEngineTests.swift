import KettleModel
import KettleScheduler
import TestSupport
import Testing

@testable import KettleEngine

/// Hooks are recorded with what they are for.
@Suite(.timeLimit(.minutes(5)))
struct HookEngineTests {
  private func world(after: EngineWorld? = nil) async throws -> EngineWorld {
    let command = try HookCommand.make(["notify-me"]).get()
    return try await EngineWorld(after: after) { configuration in
      configuration.hooks.commands[.completed] = command
      configuration.hooks.commands[.allDone] = command
    }
  }

  /// Returns the committed changes that contain a hook for the event.
  private func commit(of event: HookEvent, in world: EngineWorld) -> [JournalChange]? {
    world.journal.commits.first { changes in
      changes.contains { change in
        if case .hook(.add(let run, _)) = change { run.event == event } else { false }
      }
    }
  }

  private func complete(in world: EngineWorld) async throws -> TransferID {
    let (id, attempt) = try await world.flowing(total: 3)
    world.transport.body(attempt, [1, 2, 3])
    world.transport.end(attempt, .complete)
    await world.told.wait(for: .completed, of: id)
    return id
  }

  @Test func `a hook is in the commit that completes its transfer, and is reported after it`()
    async throws
  {
    let world = try await world()
    let id = try await complete(in: world)
    let ids = [HookRunID(rawValue: 1), HookRunID(rawValue: 2)]
    await world.told.wait { $0.contains(.hooksDue(ids)) }
    let changes = try #require(commit(of: .completed, in: world))
    #expect(
      changes.contains { change in
        if case .put(let record) = change {
          record.id == id && record.state == .completed
        } else {
          false
        }
      })
    let runs = await world.engine.hookRuns(of: id)
    #expect(runs.map(\.event) == [.completed])
    let found = try #require(try await world.engine.hook(ids[0]))
    guard case .transfer(let row) = found.occasion else {
      Issue.record("It is about \(found.occasion)")
      return
    }
    #expect(row.state == .completed && row.path == "/home/u/Downloads/a.iso")
    #expect(row.bytesReceived == 3)
    #expect(
      try await world.engine.hook(ids[1])?.occasion == .allDone(HookTally(completed: 1)))
  }

  @Test func `a removed transfer that is restored has its runs`() async throws {
    let world = try await world()
    let id = try await complete(in: world)
    await world.told.wait { $0.contains(.hooksDue([1, 2].map(HookRunID.init(rawValue:)))) }
    var run = try #require(await world.engine.hookRuns(of: id).first)
    run.standing = .ended(HookEnd(.exited(code: 0), at: run.dueAt))
    try world.journal.commit([.hook(.update(run))])
    _ = await world.engine.control(.remove(.stays), [id])
    #expect(try await world.engine.undo(nil)?.restored == [id])
    #expect(await world.engine.hookRuns(of: id) == [run])
  }

  @Test func `a crash loses no hook and makes none due twice`() async throws {
    let first = try await world()
    _ = try await complete(in: first)
    let second = try await world(after: first)
    let left = second.recovered.hooks
    #expect(left.pending == [HookRunID(rawValue: 1), HookRunID(rawValue: 2)])
    #expect(left.started.isEmpty && left.lastID == 2)
    #expect(second.journal.hooks.count == 2)
    // The numbers continue.
    _ = try await complete(in: second)
    await second.told.wait { events in
      events.contains(.hooksDue([HookRunID(rawValue: 3), HookRunID(rawValue: 4)]))
    }
  }

  @Test func `new rules hold for what ends later`() async throws {
    let world = try await world()
    await world.engine.setHooks(HookRules())
    let id = try await complete(in: world)
    #expect(await world.engine.hookRuns(of: id).isEmpty)
  }
}
