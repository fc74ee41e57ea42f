import KettleEngine
import KettleModel
import KettleScheduler
import TestSupport
import Testing

/// The bin with files: bytes move there, come back, and are deleted in the end.
@Suite(.timeLimit(.minutes(5)))
struct BinEngineTests {
  private let path = EngineWorld.documents + "/a.iso.part"

  /// A download stopped after its first bytes, and the world in which that happened.
  private func stopped() async throws -> (EngineWorld, TransferID) {
    let world = try await EngineWorld()
    let (id, attempt) = try await world.flowing(total: 4)
    world.transport.body(attempt, [1, 2])
    async let results = world.engine.control(.stop, [id])
    await world.transport.called { $0.contains(.cancel(attempt)) }
    world.transport.end(attempt, .cancelled)
    #expect(await results == [.applied])
    return (world, id)
  }

  @Test func `undo of a stop continues with the bytes that were there`() async throws {
    let (world, id) = try await stopped()
    let action = try #require(try await world.engine.binContents().first)
    #expect(action.kind == .stop)
    #expect(action.transferCount == 1)
    #expect(action.byteCount == 2)
    let kept = await world.engine.details(of: id)?.snapshot.kept
    #expect(kept == KeptBytes(byteCount: 2, until: action.expiresAt))
    #expect(action.title == "a.iso")
    let binned = EngineWorld.documents + "/" + BinEntry.fileName(of: id, in: action.number)
    #expect(world.files.paths == [binned])
    let undone = try #require(try await world.engine.undo(nil))
    #expect(undone.restored == [id])
    #expect(await world.engine.details(of: id)?.snapshot.kept == nil)
    #expect(world.files.paths == [path])
    let request = await world.transport.request(2)
    #expect(request.headers.contains(HeaderField(received: "Range", "bytes=2-")))
    #expect(try await world.engine.binContents().isEmpty)
    #expect(try await world.engine.undo(nil) == nil)
  }

  @Test func `an undo right after a stop waits for the last bytes`() async throws {
    let world = try await EngineWorld()
    let (id, attempt) = try await world.flowing(total: 4)
    world.transport.body(attempt, [1, 2])
    world.files.holdSyncs()
    async let stopped = world.engine.control(.stop, [id])
    await world.transport.called { $0.contains(.cancel(attempt)) }
    world.transport.end(attempt, .cancelled)
    async let undone = world.engine.undo(nil)
    // Both requests have been processed as far as possible after a few of these calls.
    for _ in 0..<200 { _ = await world.engine.details(of: id) }
    world.files.releaseSyncs()
    #expect(await stopped == [.applied])
    #expect(try await undone?.restored == [id])
    let request = await world.transport.request(2)
    #expect(request.headers.contains(HeaderField(received: "Range", "bytes=2-")))
  }

  @Test func `a removed transfer is listed again after a restart`() async throws {
    let (world, id) = try await stopped()
    _ = await world.engine.control(.remove(.stays), [id])
    let after = try await EngineWorld(after: world)
    #expect(await after.engine.details(of: id) == nil)
    let first = try #require(try await after.engine.undo(nil))
    #expect(first.action.kind == .remove)
    #expect(await after.engine.details(of: id)?.snapshot.state == .idle)
    let second = try #require(try await after.engine.undo(nil))
    #expect(second.action.kind == .stop)
    #expect(await after.engine.details(of: id)?.record.resumeData?.durable.byteCount == 2)
  }

  @Test func `one undo restores all that one command stopped`() async throws {
    let world = try await EngineWorld { $0.limits.runningMax = 1 }
    let (first, attempt) = try await world.flowing(total: 4)
    let others = try await world.engine.add(
      (1...9).map { EngineWorld.spec("http://files.example/\($0)") })
    async let stopped = world.engine.controlAll(.stop)
    await world.transport.called { $0.contains(.cancel(attempt)) }
    world.transport.end(attempt, .cancelled)
    #expect(await stopped == [first] + others)
    let undone = try #require(try await world.engine.undo(nil))
    #expect(undone.restored.sorted() == [first] + others)
    for id in others {
      #expect(await world.engine.details(of: id)?.snapshot.state == .queued)
    }
  }

  @Test func `a start within ten minutes continues with the bytes in the bin`() async throws {
    let (world, id) = try await stopped()
    let started = await world.engine.perform(.start, [id])
    #expect(started.results == [.applied])
    #expect(started.bin == BinBytes(transferCount: 1, byteCount: 2))
    #expect(world.files.paths == [path])
    let request = await world.transport.request(2)
    #expect(request.headers.contains(HeaderField(received: "Range", "bytes=2-")))
    #expect(try await world.engine.binContents().map(\.kind) == [.start])
  }

  @Test func `a start right after a stop waits for the last bytes`() async throws {
    let world = try await EngineWorld()
    let (id, attempt) = try await world.flowing(total: 4)
    world.transport.body(attempt, [1, 2])
    world.files.holdSyncs()
    async let stopped = world.engine.perform(.stop, [id])
    await world.transport.called { $0.contains(.cancel(attempt)) }
    world.transport.end(attempt, .cancelled)
    async let started = world.engine.perform(.start, [id])
    // Both requests have been processed as far as possible after a few of these calls.
    for _ in 0..<200 { _ = await world.engine.details(of: id) }
    world.files.releaseSyncs()
    #expect(await stopped.results == [.applied])
    #expect(await started.bin?.byteCount == 2)
    let request = await world.transport.request(2)
    #expect(request.headers.contains(HeaderField(received: "Range", "bytes=2-")))
  }

  @Test func `a stop says how much is kept, and until when`() async throws {
    let world = try await EngineWorld()
    let (id, attempt) = try await world.flowing(total: 4)
    world.transport.body(attempt, [1, 2])
    async let stopped = world.engine.perform(.stop, [id])
    await world.transport.called { $0.contains(.cancel(attempt)) }
    world.transport.end(attempt, .cancelled)
    let bin = try #require(await stopped.bin)
    #expect(bin.transferCount == 1 && bin.byteCount == 2)
    #expect(bin.until == (try await world.engine.binContents().first?.expiresAt))
    #expect(await world.engine.perform(.stop, [id]).bin == nil)
  }

  @Test func `a fresh start leaves the bytes in the bin`() async throws {
    let world = try await EngineWorld()
    let (id, attempt) = try await world.flowing(total: 4)
    world.transport.body(attempt, [1, 2])
    async let started = world.engine.startFresh([id])
    await world.transport.called { $0.contains(.cancel(attempt)) }
    world.transport.end(attempt, .cancelled)
    #expect(await started.bin?.byteCount == 2)
    let request = await world.transport.request(2)
    #expect(!request.headers.contains { $0.name == "Range" })
    #expect(try await world.engine.binContents().map(\.kind) == [.stop])
  }

  @Test func `one undo resumes all that one command paused, also what only the store has`()
    async throws
  {
    let world = try await EngineWorld { $0.limits.runningMax = 1 }
    let (first, attempt) = try await world.flowing(total: 4)
    let others = try await world.engine.add(
      (1...9).map { EngineWorld.spec("http://files.example/\($0)") })
    async let paused = world.engine.controlAll(.pause)
    await world.transport.called { $0.contains(.cancel(attempt)) }
    world.transport.end(attempt, .cancelled)
    #expect(await paused == [first] + others)
    let listed = try #require(try await world.engine.binContents().first)
    #expect(listed.kind == .pause && listed.transferCount == 10 && listed.title == "a.iso")
    _ = await world.engine.control(.remove(.stays), [others[8]])
    let removal = try #require(try await world.engine.binContents().first)
    let undone = try #require(try await world.engine.undo(listed.number))
    #expect(undone.restored.sorted() == [first] + others.dropLast())
    #expect(undone.changedCount == 1)
    #expect(try await world.engine.undo(listed.number) == nil)
    #expect(try await world.engine.undo(nil)?.action.number == removal.number)
  }

  @Test func `a transfer started again keeps its new bytes, and an earlier action is undone`()
    async throws
  {
    let (world, id) = try await stopped()
    let other = try await world.engine.add([EngineWorld.spec("http://files.example/b")])[0]
    _ = await world.engine.control(.remove(.stays), [other])
    _ = await world.engine.startFresh([id])
    let undone = try #require(try await world.engine.undo(nil))
    #expect(undone.restored == [other])
    let busy = try #require(try await world.engine.undo(nil))
    #expect(busy.busy == [id])
    #expect(busy.busyByteCount == 2)
    #expect(busy.restored.isEmpty)
    #expect(try await world.engine.binContents().map(\.kind) == [.stop])
  }

  @Test func `after ten minutes the bytes are deleted`() async throws {
    let (world, id) = try await stopped()
    let number = try #require(try await world.engine.binContents().first?.number)
    await world.advance(milliseconds: BinAction.keptMilliseconds)
    for await changes in world.journal.attempts where changes.contains(.bin(.removeAction(number)))
    {
      break
    }
    #expect(world.files.paths.isEmpty)
    #expect(await world.engine.details(of: id)?.snapshot.state == .idle)
    #expect(try await world.engine.undo(nil) == nil)
  }

  /// Downloads files of one byte, one after the other.
  private func finished(_ count: Int, in world: EngineWorld) async throws -> [TransferID] {
    let ids = try await world.engine.add(
      (1...count).map { EngineWorld.spec("http://files.example/\($0)") })
    for (index, id) in ids.enumerated() {
      let attempt = await world.transport.request(index + 1).id
      world.transport.head(attempt, 200, ["Content-Length": "1"])
      await world.transport.called { $0.contains(.accept(attempt)) }
      world.transport.body(attempt, [1])
      world.transport.end(attempt, .complete)
      await world.told.wait(for: .completed, of: id)
    }
    return ids
  }

  // Fault 202
  @Test func `a reset and its undo sync the directory once, and the undo before it is recorded`()
    async throws
  {
    let world = try await EngineWorld { $0.limits.runningMax = 1 }
    let ids = try await finished(8, in: world)
    let paths = world.files.paths
    var syncs = world.files.directorySyncs.makeAsyncIterator()
    #expect(await world.engine.reset().discardedPaths.count == 8)
    #expect(await syncs.next() == [EngineWorld.documents])
    #expect(world.files.paths.allSatisfy { !paths.contains($0) })
    world.files.holdSyncs()
    async let undone = world.engine.undo(nil)
    #expect(await syncs.next() == [EngineWorld.documents])
    #expect(world.files.paths == paths)
    #expect(world.journal.records.values.allSatisfy { $0.state == .idle })
    world.files.releaseSyncs()
    #expect(try await undone?.restored.sorted() == ids)
    #expect(world.journal.records.values.allSatisfy { $0.state == .completed })
  }

  @Test func `undo shows cleared transfers again`() async throws {
    let world = try await EngineWorld()
    let (id, attempt) = try await world.flowing(total: 1)
    world.transport.body(attempt, [1])
    world.transport.end(attempt, .complete)
    await world.told.wait(for: .completed, of: id)
    #expect(await world.engine.clearFinished() == 1)
    let undone = try #require(try await world.engine.undo(nil))
    #expect(undone.uncoveredCount == 1)
    #expect(world.journal.clearedUpTo == nil)
    #expect(
      world.told.all.contains(.uncovered(clearedUpTo: nil, clearedCount: 0, residents: [])))
    #expect(await world.engine.details(of: id)?.snapshot.isCleared == nil)
  }
}
