import KettleEngine
import KettleModel
import Testing
import TestSupport

/// Stalls, very slow replies, and one connection that is much slower than the others.
struct StallTests {
  let body = SeededBody(seed: 24, byteCount: 6 << 20)
  var truth: OriginBehavior { OriginBehavior(body).with { $0.bytesPerSecond = 8 << 20 } }

  // Fault 38
  @Test func `a server that accepts the connection but never responds is retried`() async throws {
    let world = try await WireWorld { $0.timeouts.idleMilliseconds = 400 }
    let silent = truth.with { $0.headWaitsFor = "never" }
    world.origin.serve([silent, truth], at: WireWorld.path)
    let row = try await world.download(WireWorld.path)
    world.expectFile(of: row, is: body)
    try await expectAbandoned(1, world)
  }

  // Fault 38
  @Test(arguments: [1, 8])
  func `a stalled body continues over another connection`(
    connections: Int
  ) async throws {
    let world = try await WireWorld { $0.timeouts.idleMilliseconds = 400 }
    let (truth, silent) = (
      truth, truth.with { $0.stall = .init(after: 300_000, until: "never") }
    )
    world.origin.serve(at: WireWorld.path) { $0.numberForPath == 1 ? silent : truth }
    let row = try await world.download(WireWorld.path) { $0.connections = connections }
    world.expectFile(of: row, is: body)
    #expect(row.freshStart == nil)
    try await expectAbandoned(1, world)
  }

  // Fault 38
  @Test func `one stalled connection of several is replaced`() async throws {
    let world = try await WireWorld { $0.timeouts.idleMilliseconds = 400 }
    let (truth, silent) = (
      truth, truth.with { $0.stall = .init(after: 100_000, until: "never") }
    )
    world.origin.serve(at: WireWorld.path) { $0.numberForPath == 3 ? silent : truth }
    let row = try await world.download(WireWorld.path) { $0.connections = 8 }
    world.expectFile(of: row, is: body)
    #expect(world.origin.requests.count > 3, "\(world.wire)")
    #expect(row.freshStart == nil)
  }

  // Fault 37
  @Test func `a response head that trickles in is abandoned`() async throws {
    let world = try await WireWorld { $0.timeouts.idleMilliseconds = 600 }
    let dripping = truth.with { $0.headBytesPerSecond = 4 }
    world.origin.serve([dripping, truth], at: WireWorld.path)
    let row = try await world.download(WireWorld.path)
    world.expectFile(of: row, is: body)
    try await expectAbandoned(1, world)
  }

  // Fault 37
  @Test func `a body that trickles in is also fetched over another connection`() async throws {
    let world = try await WireWorld()
    let (truth, dripping) = (truth, truth.with { $0.bytesPerSecond = 40 })
    world.origin.serve(at: WireWorld.path) { $0.numberForPath == 1 ? dripping : truth }
    let row = try await world.download(WireWorld.path) { $0.connections = 4 }
    world.expectFile(of: row, is: body)
    #expect(world.origin.requests[0].progress != .answered)
  }

  // Fault 39
  @Test(arguments: [1, 2, 3])
  func `a connection twenty times slower than the others does not delay completion`(
    slowOne: Int
  ) async throws {
    let world = try await WireWorld()
    let body = SeededBody(seed: 25, byteCount: 16 << 20)
    let fast = OriginBehavior(body).with { $0.bytesPerSecond = 2 << 20 }
    let slow = fast.with { $0.bytesPerSecond = (2 << 20) / 20 }
    world.origin.serve(at: WireWorld.path) { $0.numberForPath == slowOne ? slow : fast }
    let row = try await world.download(WireWorld.path) { $0.connections = 8 }
    world.expectFile(of: row, is: body)
    let taken = try #require(world.origin.requests.first { $0.numberForPath == slowOne })
    // It never reached the end of its range: other connections fetched that.
    try await expectAbandoned(taken.number, world)
    #expect(taken.bytesSent < 1 << 20, "\(world.wire)")
    #expect(world.origin.bytesSent < body.byteCount * 5 / 4, "\(world.wire)")
  }

  /// The client closed the connection early; the origin may notice that a moment later.
  private func expectAbandoned(_ number: Int, _ world: WireWorld) async throws {
    try await world.origin.waitForRequest("request \(number) to be abandoned") {
      $0.number == number && $0.progress == .abandoned
    }
  }
}
