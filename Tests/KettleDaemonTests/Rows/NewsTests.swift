import KettleControl
import KettleEngine
import KettleModel
import Testing

@testable import KettleDaemon

/// What happened while no dashboard was open.
struct NewsTests {
  private static let since = WallTime(millisecondsSince1970: 1000)

  private func record(
    _ id: Int64, _ state: TransferState, finishedAt time: Int64
  ) throws -> TransferRecord {
    var record = try ListWorld.record(id, name: "", state)
    record.finishedAt = WallTime(millisecondsSince1970: time)
    return record
  }

  /// - Parameter began: When it began to wait; nil if that was before the service started.
  private func waiting(
    _ id: Int64, _ reason: WaitingReason, since began: Int64?
  ) throws -> TransferSnapshot {
    let record = try ListWorld.record(id, name: "", .waiting)
    var row = RowMaker(documentsDirectory: "/d").row(of: record)
    row.reason = reason
    let time = began.map { WallTime(millisecondsSince1970: $0) }
    row.heldBack = HeldBack(HeldBack.Cause(reason), since: time)
    return row
  }

  private func news(
    of world: ListWorld, startedAt time: Int64 = 0
  ) async throws -> TransferNews {
    try await world.list.news(
      since: Self.since, startedAt: WallTime(millisecondsSince1970: time))
  }

  @Test func `each end is counted once: dormant, loaded, evicted or cleared`() async throws {
    let world = try ListWorld(dormant: [
      record(1, .completed, finishedAt: 999), record(2, .completed, finishedAt: 1000),
      record(3, .completed, finishedAt: 2000), record(4, .failed, finishedAt: 3000),
      record(5, .failed, finishedAt: 10), ListWorld.record(6),
    ])
    var expected = TransferNews(since: Self.since)
    (expected.completedCount, expected.failedCount) = (2, 1)
    #expect(try await news(of: world) == expected)
    for id in [Int64(2), 4, 6] { try world.load(id) }
    #expect(try await news(of: world) == expected)
    world.archive.whenAsked {
      world.list.update { $0.evict([TransferID(rawValue: 2), TransferID(rawValue: 4)]) }
    }
    #expect(try await news(of: world) == expected)
    world.list.update { $0.clear(upTo: 3) }
    #expect(try await news(of: world) == expected)
  }

  @Test func `transfers that wait for the user are counted if they began to since then`()
    async throws
  {
    let world = try ListWorld(awake: [
      waiting(1, .needsLogin, since: 1000), waiting(2, .needsLogin, since: 2000),
      waiting(3, .needsLink, since: 1500), waiting(4, .needsDecision, since: 999),
      waiting(5, .retry, since: 1500), waiting(6, .needsDecision, since: nil),
    ])
    var expected = TransferNews(since: Self.since)
    (expected.needsLoginCount, expected.needsLinkCount) = (2, 1)
    #expect(try await news(of: world, startedAt: 999) == expected)
    // It waited already when the service started, since an unknown time.
    expected.needsDecisionCount = 1
    #expect(try await news(of: world, startedAt: 1000) == expected)
    var answered = try waiting(2, .needsLogin, since: 2000)
    (answered.state, answered.reason, answered.heldBack) = (.queued, nil, nil)
    let row = answered
    world.list.update { $0.update(row) }
    expected.needsLoginCount = 1
    #expect(try await news(of: world, startedAt: 1000) == expected)
  }

  @Test func `a store that cannot be read is an error`() async throws {
    let world = try ListWorld(dormant: [])
    world.archive.fail(true)
    await #expect(throws: ControlError.self) { try await news(of: world) }
  }
}
