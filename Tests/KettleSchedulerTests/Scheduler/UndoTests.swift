import KettleModel
import Testing

@testable import KettleScheduler

/// What stop, remove, reset and clear discard, and what undo restores.
struct UndoTests {
  /// A script whose store keeps the bin.
  private struct World {
    var script = SchedulerScript()

    /// Applies a discarding control and completes the deletions that it begins.
    @discardableResult
    mutating func discard(
      _ control: TransferScheduler.Control, _ ids: TransferID...
    ) throws -> BinAction {
      let opened = script.scheduler.openBinAction(for: control, at: script.now)
      let action = try #require(opened)
      let (_, output) = script.scheduler.control(control, ids, into: action, at: script.now)
      script.run(output)
      return action
    }

    /// The entries of an action as the store has them.
    func entries(of action: BinAction) -> [BinEntry] {
      var entries: [TransferID: BinEntry] = [:]
      for change in script.changes {
        switch change {
        case .bin(.putEntry(let entry)) where entry.action == action.number:
          entries[entry.record.id] = entry
        case .bin(.setBytes(let bytes, let id, action.number)):
          if entries[id]?.record.resumeData != nil { entries[id]?.record.resumeData = bytes }
        case .put, .progress, .remove, .putSession, .removeSession, .clearFinished, .uncover, .bin,
          .hostServed, .rememberHost, .hook, .digests, .forgetDigests, .members, .syncMembers,
          .leaveOutMembers:
          break
        }
      }
      return entries.values.sorted { $0.record.id < $1.record.id }
    }

    @discardableResult
    mutating func undo(_ action: BinAction) -> [TransferID] {
      let records = entries(of: action).map(\.record).filter { script.scheduler.canRestore($0.id) }
      let (added, output) = script.scheduler.restore(records, of: action, at: script.now)
      script.run(output)
      return added
    }

    /// A download with so many durable bytes, still running.
    mutating func running(durable byteCount: Int64) throws -> TransferID {
      let id = script.add(spec())
      let attempt = try #require(script.attempt)
      script.head(attempt, 200, ["Content-Length": "1000", "ETag": "\"v1\""])
      script.opened(attempt, partial(total: 1000))
      script.synced(id, byteCount)
      return id
    }
  }

  @Test func `a stopped download keeps its bytes in the bin and continues from them`() throws {
    var world = World()
    let id = try world.running(durable: 400)
    let action = try world.discard(.stop, id)
    let attempt = try #require(world.script.attempt)
    world.script.settled(attempt, .cancelled, durable: 450)
    world.script.discards()
    #expect(world.script.state(id) == .idle)
    #expect(world.script.record(id)?.resumeData == nil)
    #expect(world.script.discarded.map(\.binAction) == [action.number])
    let entry = try #require(world.entries(of: action).first)
    #expect(entry.record.resumeData?.durable == ByteRangeSet(prefix: 450))
    #expect(entry.record.resumeData?.binAction == nil)

    world.undo(action)
    #expect(world.script.state(id) == .running)
    #expect(world.script.record(id)?.resumeData?.durable == ByteRangeSet(prefix: 450))
    #expect(world.script.plan?.requested?.lower == 450)
  }

  @Test func `a failed transfer that was stopped keeps its reason, and undo restores its state`()
    throws
  {
    var world = World()
    let id = try world.running(durable: 400)
    let attempt = try #require(world.script.attempt)
    world.script.settled(attempt, .failed(TransferFailure(.httpStatus, on: "u", detail: "410")))
    world.script.control(.pause, id)
    var record = try #require(world.script.record(id))
    record.state = .failed
    record.failure = TransferFailure(.httpStatus, on: "u", detail: "410")
    record.finishedAt = world.script.now.wall
    world.script.scheduler = TransferScheduler(lastID: id)
    world.script.run(world.script.scheduler.recover([record], at: world.script.now))
    let action = try world.discard(.stop, id)
    world.script.discards()
    #expect(world.script.state(id) == .idle)
    #expect(world.script.record(id)?.failure?.detail == "410")
    world.undo(action)
    #expect(world.script.state(id) == .failed)
    #expect(world.script.record(id)?.resumeData?.durable == record.resumeData?.durable)
    #expect(world.script.record(id)?.finishedAt == record.finishedAt)
  }

  @Test func `a removed transfer returns to its place in the list`() throws {
    var world = World()
    var paused = spec()
    paused.beginning = .paused
    let ids = (1...3).map { _ in world.script.add(paused) }
    let place = world.script.record(ids[1])?.queuePosition
    let action = try world.discard(.remove(.stays), ids[1])
    world.script.discards()
    #expect(world.script.scheduler.machines[ids[1]] == nil)
    #expect(world.undo(action) == [ids[1]])
    #expect(world.script.state(ids[1]) == .paused)
    #expect(world.script.record(ids[1])?.queuePosition == place)
    let changes = world.script.changes.suffix(2)
    #expect(changes.last == .bin(.removeEntries([ids[1]], action: action.number)))
  }

  @Test func `a reset moves the finished file to the bin, and undo completes the transfer again`()
    throws
  {
    var world = World()
    var record = TransferRecord(
      id: TransferID(rawValue: 1), taskIdentifier: 1, spec: spec(),
      createdAt: world.script.now.wall, queuePosition: 1, state: .completed)
    record.finishedFile = FinishedFile(
      path: "/downloads/a.iso",
      identity: FileIdentity(device: 1, inode: 2, byteCount: 3, modifiedNanoseconds: 4))
    record.finishNumber = 17
    record.finishedAt = world.script.now.wall
    world.script.run(world.script.scheduler.recover([record], at: world.script.now))
    let action = try world.discard(.reset, record.id)
    let file = try #require(record.finishedFile)
    #expect(
      world.script.lastAction
        == .discardFinishedFile(record.id, file, binAction: action.number))
    #expect(world.script.state(record.id) == .idle)
    world.undo(action)
    #expect(world.script.record(record.id) == record)
  }

  @Test func `a stopped download that is started continues from its bytes`() throws {
    var world = World()
    let id = try world.running(durable: 400)
    let action = try world.discard(.stop, id)
    world.script.settled(try #require(world.script.attempt), .cancelled, durable: 450)
    world.script.discards()
    #expect(world.script.scheduler.stopsToContinue == [action])
    let entry = try #require(world.entries(of: action).first)
    #expect(world.script.scheduler.canContinue(entry))
    let (results, output) = world.script.scheduler.control(
      .start, [id], continuing: [id: entry], at: world.script.now)
    world.script.run(output)
    #expect(results == [.applied])
    #expect(world.script.plan?.requested?.lower == 450)
    #expect(output.changes.contains(.bin(.removeEntries([id], action: action.number))))
    // It has bytes of its own now.
    #expect(!world.script.scheduler.canContinue(entry))
  }

  @Test func `the bytes of another file, and those before a reset, are not continued`() throws {
    var world = World()
    let id = try world.running(durable: 400)
    let action = try world.discard(.stop, id)
    world.script.settled(try #require(world.script.attempt), .cancelled, durable: 400)
    world.script.discards()
    var other = try #require(world.script.scheduler.machines[id]).spec
    other.directory = "/elsewhere"
    world.script.control(.change(other), id)
    let entry = try #require(world.entries(of: action).first)
    #expect(!world.script.scheduler.canContinue(entry))
    let second = try world.running(durable: 400)
    try world.discard(.reset, second)
    #expect(world.script.scheduler.stopsToContinue.isEmpty)
  }

  @Test func `a transfer that was started again is not restored`() throws {
    var world = World()
    let id = try world.running(durable: 400)
    let action = try world.discard(.stop, id)
    world.script.settled(try #require(world.script.attempt), .cancelled, durable: 400)
    world.script.discards()
    world.script.control(.start, id)
    #expect(!world.script.scheduler.canRestore(id))
    #expect(world.undo(action).isEmpty)
    #expect(world.script.record(id)?.resumeData == nil)
  }

  @Test func `bytes belong to the first action that discarded them`() throws {
    var world = World()
    let id = try world.running(durable: 400)
    let stop = try world.discard(.stop, id)
    let removal = try world.discard(.remove(.stays), id)
    world.script.settled(try #require(world.script.attempt), .cancelled, durable: 400)
    world.script.discards()
    #expect(world.script.discarded.map(\.binAction) == [stop.number])
    #expect(world.entries(of: removal).first?.record.resumeData == nil)
    world.undo(removal)
    #expect(world.script.state(id) == .idle)
    world.undo(stop)
    #expect(world.script.record(id)?.resumeData?.durable == ByteRangeSet(prefix: 400))
  }

  @Test func `what changes nothing is no action, and a program's task is never in the bin`() throws
  {
    var world = World()
    var idle = spec()
    idle.beginning = .idle
    let id = world.script.add(idle)
    try world.discard(.stop, id)
    #expect(world.script.scheduler.bin.actions.isEmpty)
    var task = spec()
    task.task = TaskOptions(kind: .download)
    try world.discard(.stop, world.script.add(task))
    #expect(world.script.scheduler.bin.actions.isEmpty)
  }

  @Test func `clearing is undone, also what an earlier clearing left`() throws {
    var world = World()
    let records = (Int64(1)...3).map { number in
      var record = TransferRecord(
        id: TransferID(rawValue: number), taskIdentifier: number, spec: spec(),
        createdAt: world.script.now.wall, queuePosition: number, state: .completed)
      record.finishNumber = number
      return record
    }
    world.script.run(
      world.script.scheduler.recover(records, clearedUpTo: 1, at: world.script.now))
    world.script.run(world.script.scheduler.clearFinished(at: world.script.now).1)
    #expect(world.script.scheduler.clearedCount == 3)
    let action = try #require(world.script.scheduler.bin.actions.last)
    world.script.run(world.script.scheduler.uncover(action, clearedCount: 0))
    #expect(world.script.scheduler.clearedCount == 1)
    #expect(world.script.changes.suffix(2).contains(.uncover(clearedUpTo: 1)))
    #expect(world.script.scheduler.bin.actions.isEmpty)
  }

  @Test func `a full disk empties the bin`() throws {
    var world = World()
    let stopped = try world.running(durable: 400)
    try world.discard(.stop, stopped)
    world.script.settled(try #require(world.script.attempt), .cancelled, durable: 400)
    world.script.discards()
    #expect(!world.script.scheduler.bin.actions.isEmpty)
    let id = world.script.add(spec("http://files.example/b.iso"))
    let attempt = try #require(world.script.attempt)
    world.script.head(attempt, 200, ["Content-Length": "1000"])
    let refusal = TransferFailure(.diskFull, on: "/downloads")
    world.script.handle(.attempt(attempt, .bodyRefused(refusal)))
    world.script.settled(attempt, .cancelled)
    #expect(world.script.record(id)?.reason == .diskSpace)
    #expect(world.script.scheduler.bin.actions.isEmpty)
    #expect(world.script.scheduler.takeExpired().count == 1)
  }

  @Test func `after ten minutes the files can be deleted`() throws {
    var world = World()
    let id = try world.running(durable: 400)
    try world.discard(.stop, id)
    world.script.advance(milliseconds: BinAction.keptMilliseconds)
    world.script.timePasses()
    #expect(world.script.scheduler.bin.actions.isEmpty)
    #expect(world.script.scheduler.takeExpired().count == 1)
  }
}
