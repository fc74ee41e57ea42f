import KettleModel
import KettleScheduler
import TestSupport
import Testing

@testable import KettleEngine

/// What the engine fills in for rows that clients display.
@Suite(.timeLimit(.minutes(5)))
struct OutlookTests {
  private func rows(
    _ world: EngineWorld, _ ids: [TransferID]
  ) async throws -> [TransferSnapshot] {
    var rows: [TransferSnapshot] = []
    for id in ids { rows.append(try #require(await world.engine.details(of: id)).snapshot) }
    return await world.engine.explained(rows, .current).rows
  }

  // Fault 150
  @Test func `a running transfer tells since when its server has sent nothing`() async throws {
    let world = try await EngineWorld()
    let id = try await world.engine.add([EngineWorld.spec()])[0]
    _ = await world.transport.request(1)
    let began = world.clock.now().wall
    await world.advance(milliseconds: 4999)
    #expect(await world.engine.details(of: id)?.snapshot.heldBack == nil)
    await world.advance(milliseconds: 7001)
    let heldBack = try #require(await world.engine.details(of: id)?.snapshot.heldBack)
    #expect(heldBack.cause == .unknown)
    #expect(heldBack.subject == "files.example")
    let since = try #require(heldBack.since)
    #expect(since <= began && since > began.advanced(byMilliseconds: -1000))
    #expect(heldBack.until == since.advanced(byMilliseconds: 60_000))
  }

  @Test func `queued rows have their place and what they wait for`() async throws {
    let world = try await EngineWorld { $0.limits.runningMax = 1 }
    let ids = try await world.engine.add(
      ["a", "b", "c"].map { EngineWorld.spec("http://\($0).example/") })
    let rows = try await rows(world, ids)
    #expect(rows.map(\.heldBack?.cause) == [nil, .slot, .slot])
    #expect(rows.map(\.heldBack?.rank) == [nil, 1, 2])
    #expect(rows[1].heldBack?.used == 1)
    #expect(rows[1].heldBack?.allowed == 1)
  }

  @Test func `a waiting row knows since when, until when and why`() async throws {
    let world = try await EngineWorld()
    let id = try await world.engine.add([EngineWorld.spec()])[0]
    let attempt = await world.transport.request(1).id
    world.transport.head(attempt, 503, ["Retry-After": "90"])
    world.transport.end(attempt, .cancelled)
    await world.told.wait(for: .waiting, of: id)
    let now = world.clock.now().wall
    let row = try #require(try await rows(world, [id]).first)
    #expect(row.heldBack?.cause == .retryAfter)
    #expect(row.heldBack?.since == now)
    #expect(row.heldBack?.until == now.advanced(byMilliseconds: 90_000))
    #expect(row.heldBack?.until == row.goesOnAt)
  }

  @Test func `transfers that only the store has have a rank and an obstacle`() async throws {
    let world = try await EngineWorld {
      $0.limits.runningMax = 1
      $0.hold.evictableCountMax = 4
      $0.hold.queuedPerHostCount = 2
      $0.hold.queuedCountMax = 2
    }
    let ids = try await world.engine.add(
      (0..<40).map { EngineWorld.spec("http://files.example/\($0)") })
    let archive = world.journal
    let maker = RowMaker(documentsDirectory: EngineWorld.documents)
    let stored = try archive.records([ids[30]]).map(maker.row)
    let rows = await world.engine.explained(stored, .current).rows
    #expect(rows.first?.heldBack?.cause == .slot)
    #expect(rows.first?.heldBack?.rank == 30)
  }

  @Test func `an outlook is made at most once a second`() async throws {
    let world = try await EngineWorld()
    _ = try await world.engine.add([EngineWorld.spec()])
    let first = await world.engine.explained([], .current).outlook
    await world.advance(milliseconds: 900)
    #expect(await world.engine.explained([], .current).outlook.madeAt == first.madeAt)
    await world.advance(milliseconds: 200)
    #expect(await world.engine.explained([], .current).outlook.madeAt == world.clock.now())
  }

  @Test func `the size of complete files is assumed for the next ones of their host`()
    async throws
  {
    let world = try await EngineWorld { $0.limits.runningMax = 1 }
    let (first, attempt) = try await world.flowing(total: 3)
    let second = try await world.engine.add([EngineWorld.spec("http://files.example/b.iso")])[0]
    world.transport.body(attempt, [1, 2, 3])
    world.transport.end(attempt, .complete)
    await world.told.wait(for: .completed, of: first)
    let tally = await world.engine.measurements.files(of: EngineWorld.spec().url.origin)
    #expect(tally.mean == 3)
    #expect(await world.engine.details(of: second)?.snapshot.state == .running)
  }

  @Test func `a transfer that was paused is not expected to be complete`() async throws {
    let world = try await EngineWorld()
    let (id, attempt) = try await world.flowing(total: 64 << 20)
    for _ in 0..<4 {
      world.transport.body(attempt, [UInt8](repeating: 7, count: 1 << 20))
      await world.advance(milliseconds: 1000)
      _ = await world.engine.details(of: id)
    }
    #expect(try await rows(world, [id]).first?.readyAt != nil)
    // The outlook of this second still contains it.
    _ = await world.engine.control(.pause, [id])
    #expect(try await rows(world, [id]).first?.readyAt == nil)
  }

  @Test func `a start is told from the durable bytes that the request used`() async throws {
    let world = try await EngineWorld()
    let (id, attempt) = try await world.flowing(total: 6)
    world.transport.body(attempt, [1, 2, 3])
    #expect(await world.engine.details(of: id)?.resumedFromByteCount == 0)
  }
}
