import KettleEngine
import KettleModel
import KettleScheduler
import Testing
import TestSupport

/// The machine loses the network and gets it back.
struct NetworkLossTests {
  let body = SeededBody(seed: 64, byteCount: 4 << 20)
  var truth: OriginBehavior { OriginBehavior(body).with { $0.bytesPerSecond = 16 << 20 } }

  /// The loopback needs no network, so the URL has the unspecified address, which leads to the
  /// loopback as well.
  private func begin(_ world: WireWorld, connections: Int = 1) async throws -> TransferID {
    let url = try TransferURL.parse("http://0.0.0.0:\(world.origin.port)\(WireWorld.path)").get()
      .url
    return try await world.begin(truth, connections: connections) {
      $0.source = ChainedURL(given: url)
    }
  }

  // Fault 66
  @Test(arguments: [1, 8])
  func `a transfer waits without a network and resumes when the network returns`(
    connections: Int
  ) async throws {
    let world = try await WireWorld()
    let id = try await begin(world, connections: connections)
    await world.engine.networkChanged(.absent)
    world.origin.cutConnections(.reset)
    try await world.wait("no network", for: id) { $0.reason == .network }
    try await world.origin.waitUntilIdle()
    let before = world.origin.requests.count
    world.origin.serve(truth, at: WireWorld.path)
    #expect(try await world.record(of: id).retryCount == 0)
    #expect(world.row(of: id)?.bytesReceived ?? 0 >= WireWorld.firstByteCount)
    await world.engine.networkChanged(.present)
    let row = try await world.end(of: id, budgetMilliseconds: 10_000)
    world.expectFile(of: row, is: body)
    #expect(row.freshStart == nil)
    let first = world.origin.requests[before]
    #expect(first.value(of: "Range") != nil)
  }

  // Fault 66
  @Test func `a transfer added without a network waits for one`() async throws {
    let world = try await WireWorld { $0.retryPolicy.retryCountMaxUnanswered = 1 }
    await world.engine.networkChanged(.absent)
    let id = try await world.add(try TransferURL.parse("http://nothing.invalid/a").get().url)
    let row = try await world.wait("no network", for: id) {
      $0.reason == .network || $0.state.isFinished
    }
    #expect(row.state == .waiting)
    #expect(try await world.record(of: id).retryCount == 0)
  }

  // Fault 66
  @Test func `brief network losses mid-transfer consume no retries`() async throws {
    let world = try await WireWorld { $0.retryPolicy.retryCountMax = 1 }
    let id = try await begin(world)
    for _ in 1...4 {
      let count = world.origin.requests.count
      await world.engine.networkChanged(.absent)
      world.origin.cutConnections(.reset)
      try await world.wait("no network", for: id) { $0.reason == .network }
      await world.engine.networkChanged(.present)
      try await world.origin.waitForRequests(count + 1)
    }
    world.origin.serve(truth, at: WireWorld.path)
    await world.engine.networkChanged(.absent)
    world.origin.cutConnections(.reset)
    try await world.wait("no network", for: id) { $0.reason == .network }
    await world.engine.networkChanged(.present)
    world.expectFile(of: try await world.end(of: id), is: body)
  }
}
