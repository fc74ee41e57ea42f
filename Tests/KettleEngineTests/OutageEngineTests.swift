import KettleEngine
import KettleModel
import KettleScheduler
import TestSupport
import Testing

/// Hosts that cannot be reached, and pages in place of files, through the engine.
struct OutageEngineTests {
  private static let refused = AttemptEnd.failed(
    TransferFailure(.connectionRefused, on: "files.example"))

  @Test func `all transfers of a host continue when one of them gets an answer`() async throws {
    let world = try await EngineWorld { $0.limits.runningMax = 2 }
    let ids = try await world.engine.add(
      (0..<6).map { EngineWorld.spec("http://files.example/\($0)") })
    for number in 1...2 {
      world.transport.end(await world.transport.request(number).id, Self.refused)
    }
    for id in ids.prefix(2) { await world.told.wait(for: .waiting, of: id) }
    let host = try #require(await world.engine.hosts().first)
    #expect(host.outage?.error.code == .connectionRefused)
    #expect(host.queuedCount == 4)
    #expect(world.transport.requests.count == 2)
    await world.advance(milliseconds: 1250)
    let probe = await world.transport.request(3)
    #expect(probe.url.path == "/0")
    world.transport.head(probe.id, 200, ["Content-Length": "5", "ETag": "\"v1\""])
    let next = await world.transport.request(4)
    #expect(next.url.path == "/1")
    #expect(await world.engine.hosts().first?.outage == nil)
  }

  @Test func `the last answer of a host is stored and found at the next start`() async throws {
    let world = try await EngineWorld()
    _ = try await world.flowing(total: 1000)
    let origin = EngineWorld.spec().url.origin
    #expect(try world.journal.load().servedHosts[origin] != nil)
    let again = try await EngineWorld(after: world)
    #expect(try again.journal.load().servedHosts[origin] != nil)
  }

  @Test func `a reset lets the host be tried now`() async throws {
    let world = try await EngineWorld()
    _ = try await world.engine.add([EngineWorld.spec()])
    world.transport.end(await world.transport.request(1).id, Self.refused)
    await world.told.wait { events in
      events.contains {
        if case .changed(let row) = $0 { row.reason == .hostUnreachable } else { false }
      }
    }
    #expect(await world.engine.resetHosts(named: "files.example") == ["http://files.example"])
    _ = await world.transport.request(2)
  }
}
