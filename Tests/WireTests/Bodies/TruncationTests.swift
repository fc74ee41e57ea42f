import KettleEngine
import KettleModel
import KettleScheduler
import Testing
import TestSupport

/// Bodies that end early, in every way that HTTP/1.1 has.
struct TruncationTests {
  let body = SeededBody(seed: 20, byteCount: 4 << 20)
  var truth: OriginBehavior { OriginBehavior(body).with { $0.bytesPerSecond = 16 << 20 } }

  // Fault 24
  // Fault 25
  @Test(arguments: [OriginBehavior.Cut.fin, .reset], [1, 8])
  func `a body cut off on every connection completes piece by piece`(
    cut: OriginBehavior.Cut, connections: Int
  ) async throws {
    let world = try await WireWorld()
    // A reset can overtake bytes that were sent; at this rate they arrive well before it.
    let broken = truth.with {
      $0.ending = .cut(after: 700_000, cut)
      $0.bytesPerSecond = 4 << 20
    }
    world.origin.serve(broken, at: WireWorld.path)
    let row = try await world.download(WireWorld.path) { $0.connections = connections }
    world.expectFile(of: row, is: body)
    #expect(row.freshStart == nil)
    // A reset also discards the bytes in flight.
    #expect(world.origin.bytesSent < body.byteCount * 2, "\(world.wire)")
  }

  // Fault 24
  @Test(arguments: [1, 8])
  func `a body that is always truncated never gets the final name`(
    connections: Int
  ) async throws {
    let world = try await WireWorld { $0.retryPolicy.retryCountMax = 3 }
    let short = truth.with {
      $0.ranges = .ignored
      $0.ending = .cut(after: 700_000, .fin)
    }
    world.origin.serve(short, at: WireWorld.path)
    let row = try await world.download(WireWorld.path) { $0.connections = connections }
    #expect(row.state == .failed)
    #expect(row.error?.code == .truncated)
    try await world.expectNoFile(of: row.id, only: body)
  }

  // Fault 26
  @Test func `a body without a length ends when the connection closes`() async throws {
    let world = try await WireWorld()
    world.origin.serve(truth.with { $0.framing = .untilClose }, at: WireWorld.path)
    let row = try await world.download(WireWorld.path) { $0.connections = 8 }
    world.expectFile(of: row, is: body)
  }

  // Fault 26
  @Test(arguments: [1, 8])
  func `a body without a length that ends in a reset is incomplete`(
    connections: Int
  ) async throws {
    let world = try await WireWorld()
    let (truth, id) = (truth, try await world.begin(truth.with { $0.framing = .untilClose }))
    try await world.goOn(id, after: .cut) { _ in truth }
    let row = try await world.end(of: id)
    world.expectFile(of: row, is: body)
    #expect(world.origin.requests.count > 1)
  }

  // Fault 27
  @Test(arguments: [1, 8])
  func `a chunked body without its last chunk is incomplete`(connections: Int) async throws {
    let world = try await WireWorld { $0.retryPolicy.retryCountMax = 3 }
    let endless = truth.with {
      $0.framing = .chunkedWithoutEnd
      $0.ranges = .ignored
    }
    world.origin.serve(endless, at: WireWorld.path)
    let row = try await world.download(WireWorld.path) { $0.connections = connections }
    #expect(row.state == .failed)
    try await world.expectNoFile(of: row.id, only: body)
  }

  // Fault 27
  @Test(arguments: ["zz", "-5", "ffffffffffffffffff", ""])
  func `an invalid chunk size is an error and loses no received bytes`(
    size: String
  ) async throws {
    let world = try await WireWorld { $0.retryPolicy.retryCountMax = 3 }
    let truth = self.truth
    let broken = truth.with { $0.framing = .chunkedMalformed(size) }
    let row = try await world.interruptedDownload(truth) { _ in broken }
    #expect(row.state == .failed)
    try await world.expectNoFile(of: row.id, only: body)
    world.origin.serve(truth, at: WireWorld.path)
    await world.start(row.id)
    try await world.wait("completion", for: row.id) { $0.state == .completed }
    world.expectFile(of: try #require(world.row(of: row.id)), is: body)
  }

  // Fault 27
  @Test(arguments: ["7fffffffffffffff", "400000000000"])
  func `a huge chunk that never completes fails the transfer`(
    size: String
  ) async throws {
    let world = try await WireWorld { $0.retryPolicy.retryCountMax = 3 }
    let huge = truth.with {
      $0.framing = .chunkedMalformed(size)
      $0.ranges = .ignored
    }
    world.origin.serve(huge, at: WireWorld.path)
    let row = try await world.download(WireWorld.path)
    #expect(row.state == .failed)
    try await world.expectNoFile(of: row.id, only: body)
  }
}
