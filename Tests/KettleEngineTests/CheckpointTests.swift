import KettleModel
import KettleScheduler
import TestSupport
import Testing

@testable import KettleEngine

/// Checkpoints of a running download.
struct CheckpointTests {
  private static let piece = [UInt8](repeating: 7, count: 1 << 20)

  /// A download of 64 MiB whose body is being received, and the commits from then on.
  private struct Flow {
    let world: EngineWorld
    let id: TransferID
    let attempt: AttemptID
    private var commits: AsyncStream<[JournalChange]>.AsyncIterator

    init() async throws {
      world = try await EngineWorld()
      (id, attempt) = try await world.flowing(total: 64 << 20)
      commits = world.journal.attempts.makeAsyncIterator()
      for _ in world.journal.commits { _ = await commits.next() }
    }

    func receive(mebibytes: Int) {
      for _ in 0..<mebibytes { _ = world.transport.body(attempt, CheckpointTests.piece) }
    }

    /// Advances the clock and returns the next change for the store.
    mutating func change(after milliseconds: Int64) async -> JournalChange? {
      await world.advance(milliseconds: milliseconds)
      return await commits.next()?.first
    }

    var durable: ByteRangeSet? { world.journal.records[id]?.resumeData?.durable }
  }

  @Test func `bytes received within a second are synced and recorded as progress`() async throws {
    var flow = try await Flow()
    flow.receive(mebibytes: 9)
    let change = await flow.change(after: 1000)
    #expect(change == .progress(flow.id, ByteRangeSet(prefix: 9 << 20)))
    #expect(flow.world.files.callCount(.sync) > 0)
    flow.receive(mebibytes: 10)
    let next = await flow.change(after: 1000)
    #expect(next == .progress(flow.id, ByteRangeSet(prefix: 19 << 20)))
  }

  @Test func `a small number of bytes is recorded only after five seconds`() async throws {
    var flow = try await Flow()
    flow.receive(mebibytes: 1)
    let syncCount = flow.world.files.callCount(.sync)
    await flow.world.advance(milliseconds: 4000)
    _ = await flow.world.engine.details(of: flow.id)
    #expect(flow.world.files.callCount(.sync) == syncCount)
    let change = await flow.change(after: 1000)
    #expect(change == .progress(flow.id, ByteRangeSet(prefix: 1 << 20)))
  }

  @Test func `a checkpoint made during the commit of a record is committed after it`() async throws
  {
    var flow = try await Flow()
    let (world, id) = (flow.world, flow.id)
    flow.receive(mebibytes: 9)
    world.journal.hold()
    async let limited = world.engine.limit([id], toBytesPerSecond: 1 << 30)
    guard case .put? = await flow.change(after: 0) else {
      Issue.record("the record is not committed first")
      return world.journal.release()
    }
    await world.advance(milliseconds: 1000)
    world.journal.release()
    _ = await limited
    let next = await flow.change(after: 0)
    #expect(next == .progress(id, ByteRangeSet(prefix: 9 << 20)))
  }

  @Test func `bytes are cut only when the store does not count them as durable`() async throws {
    let world = try await EngineWorld()
    let id = try await world.engine.add([EngineWorld.spec()])[0]
    let page = await world.transport.request(1).id
    world.transport.head(page, 200, ["Content-Length": "5", "Content-Type": "text/html"])
    await world.transport.called { $0.contains(.accept(page)) }
    world.transport.body(page, [1, 2, 3, 4, 5])
    world.transport.end(page, .complete)
    await world.told.wait(for: .waiting, of: id)
    #expect(world.journal.records[id]?.resumeData?.durable.byteCount == 5)
    let path = EngineWorld.documents + "/a.iso.part"
    world.journal.hold()
    async let started = world.engine.control(.start, [id])
    let file = await world.transport.request(2).id
    world.transport.head(file, 200, ["Content-Length": "9"])
    _ = await world.engine.details(of: id)
    await world.engine.files.alone { _ in }
    #expect(world.files.bytes(at: path)?.count == 5)
    world.journal.release()
    await world.transport.called { $0.contains(.accept(file)) }
    #expect(world.files.bytes(at: path)?.count == 0)
    _ = await started
  }

  @Test func `a checkpoint starts only after the previous one is committed`() async throws {
    var flow = try await Flow()
    let (world, id) = (flow.world, flow.id)
    world.journal.hold()
    flow.receive(mebibytes: 9)
    let first = await flow.change(after: 1000)
    #expect(first == .progress(id, ByteRangeSet(prefix: 9 << 20)))
    let syncCount = world.files.callCount(.sync)
    for count in 2...4 {
      flow.receive(mebibytes: 9)
      await world.advance(milliseconds: 1000)
      // The tick that reports these bytes would begin a checkpoint of them.
      await world.told.wait { events in
        events.contains {
          if case .progress(let row, _) = $0 { row.bytesReceived == count * 9 << 20 } else { false }
        }
      }
    }
    // A checkpoint that began all the same would reach the disk within these turns.
    for _ in 0..<5000 where world.files.callCount(.sync) == syncCount { await world.engine.turn() }
    #expect(world.files.callCount(.sync) == syncCount)
    world.journal.release()
    await world.engine.kept()
    flow.receive(mebibytes: 9)
    let next = await flow.change(after: 1000)
    #expect(next == .progress(id, ByteRangeSet(prefix: 45 << 20)))
  }

  @Test(.timeLimit(.minutes(5)))
  func `blocks are written while a checkpoint is synced`() async throws {
    let flow = try await Flow()
    let (world, attempt) = (flow.world, flow.attempt)
    // On a busy machine the writer holds the attempt back already here.
    var resumedCount = 0
    for _ in 0..<9 where world.transport.body(attempt, Self.piece) != .taken {
      resumedCount += 1
      await world.transport.resumed(attempt, count: resumedCount)
    }
    let sync = world.files.holdSyncs()
    defer { world.files.releaseSyncs() }
    await world.advance(milliseconds: 1000)
    await sync.reached()
    // As much as may be queued, so that the attempt continues only when some of it is written.
    let writes = world.files.holdWrites()
    while world.transport.body(attempt, Self.piece) == .taken {}
    writes.open()
    await world.transport.resumed(attempt, count: resumedCount + 1)
  }

  @Test func `a pause records every byte`() async throws {
    let flow = try await Flow()
    flow.receive(mebibytes: 3)
    _ = await flow.world.engine.control(.pause, [flow.id])
    #expect(flow.world.journal.records[flow.id]?.state == .paused)
    #expect(flow.durable == ByteRangeSet(prefix: 3 << 20))
  }

  // Fault 74
  @Test func `after a failed sync nothing is recorded and the attempts end`() async throws {
    let flow = try await Flow()
    flow.receive(mebibytes: 9)
    flow.world.files.fail(
      .sync, with: TransferFailure(.fileProblem, on: "the partial file", detail: "EIO"))
    await flow.world.advance(milliseconds: 1000)
    let attempt = flow.attempt
    await flow.world.transport.called { $0.contains(.cancel(attempt)) }
    #expect(flow.durable == ByteRangeSet())
  }
}
