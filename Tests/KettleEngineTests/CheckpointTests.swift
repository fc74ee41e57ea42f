import KettleEngine
import KettleModel
import KettleScheduler
import Testing
import TestSupport

/// Checkpoints, which the engine records once and then leaves to the thread that makes them.
struct CheckpointTests {
  /// A transfer of which the first checkpoint is on record.
  private struct Flow {
    let world: EngineWorld
    let id: TransferID
    let attempt: AttemptID
    /// What is committed next.
    private var commits: AsyncStream<[JournalChange]>.AsyncIterator

    init(_ spec: TransferSpec = EngineWorld.spec()) async throws {
      let world = try await EngineWorld()
      self.world = world
      id = try await world.engine.add([spec])[0]
      let attempt = await world.transport.request(1).id
      self.attempt = attempt
      world.transport.head(attempt, 200, ["Content-Length": "\(64 << 20)", "ETag": "\"v1\""])
      await world.transport.called { $0.contains(.accept(attempt)) }
      commits = world.journal.attempts.makeAsyncIterator()
      for _ in world.journal.commits { _ = await commits.next() }
      // It waits for its checkpoint: when it goes on, that is on record.
      world.journal.hold()
      _ = try await goOn()
      world.journal.release()
      await resumed(1)
    }

    /// Brings what makes a further checkpoint, and answers what that holds.
    mutating func goOn() async throws -> ByteRangeSet {
      let piece = [UInt8](repeating: 7, count: 1 << 20)
      while world.transport.body(attempt, piece) == .taken {}
      guard case .progress(id, let held)? = await nextChange() else { throw Unexpected() }
      return held
    }

    mutating func nextChange() async -> JournalChange? { await commits.next()?.first }

    func resumed(_ count: Int) async {
      let attempt = attempt
      await world.transport.called { calls in
        calls.count { $0 == .resumeReceiving(attempt) } >= count
      }
    }

    var record: TransferRecord? { world.journal.records[id] }
  }

  private struct Unexpected: Error {}

  @Test func `checkpoints after the first are put under its stamp`() async throws {
    var flow = try await Flow()
    #expect(flow.world.journal.stamped == [])
    let second = try await flow.goOn()
    await flow.resumed(2)
    let third = try await flow.goOn()
    await flow.resumed(3)
    #expect(flow.world.journal.stamped.starts(with: [second, third]))
  }

  @Test func `a record that is made meanwhile says no less than what is on record`() async throws {
    var flow = try await Flow()
    let second = try await flow.goOn()
    await flow.resumed(2)
    #expect(flow.world.journal.stamped.first == second)
    _ = await flow.world.engine.limit([flow.id], toBytesPerSecond: 1 << 30)
    #expect(flow.record?.spec.limitBytesPerSecond == 1 << 30)
    let recorded = try #require(flow.record?.resumeData?.held)
    #expect(recorded.byteCount >= second.byteCount)
  }

  @Test func `a checkpoint that a record overtakes is recorded by the engine`() async throws {
    var flow = try await Flow()
    let (world, id) = (flow.world, flow.id)
    world.journal.hold()
    let second = try await flow.goOn()
    async let limited = world.engine.limit([id], toBytesPerSecond: 1 << 30)
    // Both are under way; the record says how far it was before.
    guard case .put(let record)? = await flow.nextChange() else { throw Unexpected() }
    #expect(record.resumeData.map { $0.held.byteCount < second.byteCount } == true)
    world.journal.release()
    _ = await limited
    await flow.resumed(2)
    let recorded = try #require(flow.record?.resumeData?.held)
    #expect(recorded.byteCount >= second.byteCount)
  }

  @Test func `a pause keeps what was put under a stamp`() async throws {
    var flow = try await Flow()
    let second = try await flow.goOn()
    _ = await flow.world.engine.control(.pause, [flow.id])
    let paused = try #require(flow.record)
    #expect(paused.state == .paused)
    #expect((paused.resumeData?.held.byteCount ?? 0) >= second.byteCount)
  }

  @Test func `who asks for details sees what was put under a stamp`() async throws {
    var flow = try await Flow()
    let second = try await flow.goOn()
    await flow.resumed(2)
    let details = try #require(await flow.world.engine.details(of: flow.id))
    #expect((details.record.resumeData?.held.byteCount ?? 0) >= second.byteCount)
  }

  @Test func `a failure's record has what was put under a stamp`() async throws {
    var flow = try await Flow()
    let second = try await flow.goOn()
    await flow.resumed(2)
    let failure = TransferFailure(.connectionLost, on: "files.example")
    flow.world.transport.end(flow.attempt, .failed(failure))
    while let change = await flow.nextChange() {
      guard case .put(let record) = change else { continue }
      #expect((record.resumeData?.held.byteCount ?? 0) >= second.byteCount)
      if record.state == .waiting { break }
    }
  }

  @Test func `where a digest follows the engine hears of every checkpoint`() async throws {
    var spec = EngineWorld.spec()
    spec.checksum = Checksum(algorithm: .sha256, hex: String(repeating: "0", count: 64))
    #expect(spec.checksum != nil)
    var flow = try await Flow(spec)
    _ = try await flow.goOn()
    await flow.resumed(2)
    #expect(flow.world.journal.stamped == [])
  }
}
