import KettleControl
import KettleModel
import TestSupport
import Testing

@testable import KettleDaemon

/// The request of a dashboard for what happened before it was opened.
@Suite(.timeLimit(.minutes(5)))
struct NewsRequestsTests {
  private func news(
    _ world: HandlerWorld, _ client: ConnectedClient
  ) async throws -> TransferNews? {
    try await world.send(ReportNews.self, .news, as: client).news
  }

  @Test func `the news are of the time without a dashboard`() async throws {
    let world = try await HandlerWorld()
    let (first, second) = (world.connect(), world.connect())
    #expect(try await news(world, first) == nil)
    var record = try ListWorld.record(1, name: "", .completed)
    record.finishedAt = world.clock.now().wall.advanced(byMilliseconds: 2000)
    try world.journal.commit([.put(record)])
    #expect(try await news(world, second) == nil)
    world.handler.presence.leave(first.id)
    #expect(try await news(world, first) == nil)
    world.handler.presence.leave(first.id)
    world.clock.advance(milliseconds: 1000)
    let left = world.clock.now().wall
    world.handler.presence.leave(second.id)
    world.clock.advance(milliseconds: 5000)
    var expected = TransferNews(since: left)
    expected.completedCount = 1
    #expect(try await news(world, world.connect()) == expected)
  }

  @Test func `a dashboard that is opened right after another has no news`() async throws {
    let world = try await HandlerWorld()
    let first = world.connect()
    _ = try await news(world, first)
    world.handler.presence.leave(first.id)
    #expect(try await news(world, world.connect())?.isEmpty == true)
  }

  @Test func `the completed transfers since a time are summed`() async throws {
    let world = try await HandlerWorld()
    var record = try ListWorld.record(1, name: "", .completed)
    record.finishedAt = world.clock.now().wall
    try world.journal.commit([.put(record)])
    let client = world.connect()
    func count(after milliseconds: Int64) async throws -> Int {
      let since = world.clock.now().wall.advanced(byMilliseconds: milliseconds)
      return try await world.send(SumFinished.self, .sum(.init(since: since)), as: client)
        .completedCount
    }
    #expect(try await count(after: 0) == 1)
    #expect(try await count(after: 1) == 0)
  }
}
