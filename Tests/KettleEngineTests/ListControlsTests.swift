import KettleEngine
import KettleModel
import KettleScheduler
import TestSupport
import Testing

/// Operations of users on the list itself, through the engine.
@Suite(.timeLimit(.minutes(5)))
struct ListControlsTests {
  private func paused(_ count: Int, in world: EngineWorld) async throws -> [TransferID] {
    var spec = EngineWorld.spec()
    spec.beginning = .paused
    return try await world.engine.add(Array(repeating: spec, count: count))
  }

  private func row(_ id: TransferID, in world: EngineWorld) async -> TransferSnapshot? {
    await world.engine.details(of: id)?.snapshot
  }

  @Test func `a transfer starts with its own speed limit, or with none`()
    async throws
  {
    let world = try await EngineWorld()
    var limited = EngineWorld.spec("http://files.example/limited")
    limited.limitBytesPerSecond = 512
    _ = try await world.engine.add([limited, EngineWorld.spec("http://files.example/free")])
    #expect(await world.transport.request(1).limitBytesPerSecond == 512)
    #expect(await world.transport.request(2).limitBytesPerSecond == nil)
  }

  @Test func `a move stores the new order in one commit before it returns`()
    async throws
  {
    let world = try await EngineWorld()
    let ids = try await paused(3, in: world)
    let before = world.journal.commits.filter { !$0.isEmpty }.count
    #expect(
      await world.engine.move([ids[2], TransferID(rawValue: 99)], .toTop)
        == [.applied, .refused(.unknown)])
    #expect(world.journal.commits.filter { !$0.isEmpty }.count == before + 1)
    #expect(world.journal.commits.last { !$0.isEmpty }?.count == 1)
    let after = try await EngineWorld(after: world)
    var positions: [Int64] = []
    for id in ids { positions.append(try #require(await row(id, in: after)?.queuePosition)) }
    #expect(positions[2] < positions[0] && positions[0] < positions[1])
  }

  @Test
  func `clearing is reported once, survives a restart and is undone by a reset`()
    async throws
  {
    let world = try await EngineWorld()
    let (id, attempt) = try await world.flowing(total: 1)
    world.transport.body(attempt, [1])
    world.transport.end(attempt, .complete)
    await world.told.wait(for: .completed, of: id)
    #expect(await row(id, in: world)?.isCleared == nil)
    #expect(await world.engine.clearFinished() == 1)
    #expect(await world.engine.clearFinished() == 0)
    #expect(world.told.all.filter { $0 == .cleared(upTo: 1) }.count == 1)
    let after = try await EngineWorld(after: world)
    #expect(await row(id, in: after)?.isCleared == true)
    _ = await after.engine.reset()
    #expect(await row(id, in: after)?.isCleared == nil)
    #expect(await row(id, in: after)?.state == .idle)
  }

  @Test func `a snapshot has the transfer's limit, and a change of the global limit is reported`()
    async throws
  {
    let world = try await EngineWorld()
    let id = try await paused(1, in: world)[0]
    _ = await world.engine.limit([id], toBytesPerSecond: 512)
    #expect(await row(id, in: world)?.limitBytesPerSecond == 512)
    for limit in [nil, 1024, 1024, nil] as [Int64?] {
      await world.engine.limitAll(toBytesPerSecond: limit)
    }
    let told = world.told.all.compactMap { event -> Int64?? in
      if case .limited(let limit) = event { limit.bytesPerSecond } else { nil }
    }
    #expect(told == [1024, nil])
  }

  @Test func `the details list the connections, the redirects and the directory`() async throws {
    let world = try await EngineWorld { $0.limits.division.speedMilliseconds = 0 }
    var spec = EngineWorld.spec()
    spec.connections = 2
    let id = try await world.engine.add([spec])[0]
    let first = await world.transport.request(1).id
    world.transport.head(first, 302, ["Location": "http://cdn.example/b.iso"])
    world.transport.end(first, .complete)
    let opener = await world.transport.request(2).id
    world.transport.head(opener, 200, ["Content-Length": "\(8 << 20)", "ETag": "\"v1\""])
    await world.transport.called { $0.contains(.accept(opener)) }
    _ = await world.transport.request(3)
    world.transport.body(opener, [UInt8](repeating: 7, count: 1000))
    let details = try #require(await world.engine.details(of: id))
    #expect(details.directory == EngineWorld.documents)
    #expect(details.redirects.map(\.text) == ["http://cdn.example/b.iso"])
    #expect(details.history.contains { $0.text == "Redirected to http://cdn.example/b.iso" })
    let opened = try #require(details.connections.first)
    #expect(opened.range?.lower == 0)
    #expect((opened.range?.upper ?? 0) > 1000)
    #expect(opened.receivedUpTo == 1000)
    #expect(opened.url.text == "http://cdn.example/b.iso")
    // Connections without a response yet follow it.
    #expect(details.connections.count > 1)
    #expect(details.connections.dropFirst().allSatisfy { $0.range == nil })
    _ = await world.engine.control(.pause, [id])
    #expect(await world.engine.details(of: id)?.connections.isEmpty == true)
  }

  @Test func `recent speeds are kept per second until the transfer completes`() async throws {
    let world = try await EngineWorld()
    let (id, attempt) = try await world.flowing(total: 40)
    for round in 1...9 {
      world.transport.body(attempt, [1, 2, 3, 4])
      await world.advance(milliseconds: 250)
      await world.told.wait { Self.progressCount(in: $0, of: id) >= round }
    }
    // The world starts on a full second, and the first sample is only the baseline.
    #expect(await world.engine.details(of: id)?.recentSpeeds == [8, 16])
    world.transport.body(attempt, [1, 2, 3, 4])
    world.transport.end(attempt, .complete)
    await world.told.wait(for: .completed, of: id)
    #expect(await world.engine.details(of: id)?.recentSpeeds.isEmpty == true)
  }

  @Test func `how a file arrived survives a restart`() async throws {
    let world = try await EngineWorld()
    let (id, attempt) = try await world.flowing(total: 40)
    _ = await world.engine.limit([id], toBytesPerSecond: 1 << 20)
    for round in 1...9 {
      world.transport.body(attempt, [UInt8](repeating: 1, count: round < 5 ? 2 : 6))
      await world.advance(milliseconds: 250)
      await world.told.wait { Self.progressCount(in: $0, of: id) >= round }
    }
    world.transport.body(attempt, [1, 2])
    world.transport.end(attempt, .complete)
    await world.told.wait(for: .completed, of: id)
    let before = try #require(await row(id, in: world))
    // 36 bytes in the two seconds after the first tick.
    #expect(before.averageBytesPerSecond == 18)
    let after = try await EngineWorld(after: world)
    let details = try #require(await after.engine.details(of: id))
    #expect(details.snapshot.averageBytesPerSecond == 18)
    #expect(details.snapshot.ridge == before.ridge)
    #expect(
      details.history.map(\.text)
        == ["Added", "Running", "Speed limit: 1 MiB/s", "Verifying", "Done"])
  }

  private static func progressCount(in events: [EngineEvent], of id: TransferID) -> Int {
    events.count { if case .progress(let row, _) = $0 { row.id == id } else { false } }
  }

  @Test func `the history has the number, the delay and the reason of every retry`()
    async throws
  {
    let world = try await EngineWorld()
    let id = try await world.engine.add([EngineWorld.spec()])[0]
    for number in 1...2 {
      let attempt = await world.transport.request(number).id
      world.transport.head(attempt, 500)
      world.transport.end(attempt, .complete)
      await world.told.wait { events in
        events.count { if case .changed(let row) = $0 { row.state == .waiting } else { false } }
          >= number
      }
      await world.advance(milliseconds: 600_000)
    }
    _ = await world.transport.request(3)
    let texts = try #require(await world.engine.details(of: id)).history.map(\.text)
    let waits = texts.filter { $0.hasPrefix("Waiting") }
    #expect(waits.count == 2)
    #expect(waits[0].wholeMatch(of: /Waiting \d+ s before retry 1: .*500.*/) != nil, "\(waits)")
    #expect(waits[1].wholeMatch(of: /Waiting \d+ s before retry 2: .*500.*/) != nil, "\(waits)")
  }

  @Test func `the history has the connection limit learned from the server`()
    async throws
  {
    let world = try await EngineWorld { $0.limits.division.speedMilliseconds = 0 }
    let (id, _) = try await world.flowing(total: 8 << 20, connections: 2)
    let second = await world.transport.request(2).id
    world.transport.head(second, 503)
    await world.transport.called { $0.contains(.cancel(second)) }
    let texts = try #require(await world.engine.details(of: id)).history.map(\.text)
    #expect(texts.contains { $0.hasPrefix("The server takes no more than") }, "\(texts)")
  }

  @Test func `the history has the changes made by the user`() async throws {
    let world = try await EngineWorld()
    let ids = try await paused(2, in: world)
    _ = await world.engine.limit([ids[1]], toBytesPerSecond: 3 << 19)
    _ = await world.engine.limit([ids[1]], toBytesPerSecond: nil)
    _ = await world.engine.control(.prioritize(.high), [ids[1]])
    _ = await world.engine.move([ids[1]], .up)
    _ = await world.engine.move([ids[1]], .up)
    let link = EngineWorld.spec("http://other.example/a.iso").url
    _ = await world.engine.start(ids[1], with: link)
    let texts = try #require(await world.engine.details(of: ids[1])).history.map(\.text)
    #expect(
      texts.filter { $0 != "Added" && $0 != "Paused" && $0 != "Queued" && $0 != "Running" }
        == [
          "Speed limit: 1.5 MiB/s", "No speed limit", "Priority: high", "Moved up",
          "Fresh link: http://other.example/a.iso",
        ])
    // The transfer that made room has no move in its history.
    let other = try #require(await world.engine.details(of: ids[0])).history
    #expect(other.allSatisfy { !$0.text.hasPrefix("Moved") })
  }
}
