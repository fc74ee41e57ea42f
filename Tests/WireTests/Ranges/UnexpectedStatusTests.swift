import KettleEngine
import KettleModel
import Testing
import TestSupport

/// 416 in all its forms, and conditional responses to a request without that condition.
struct UnexpectedStatusTests {
  let body = SeededBody(seed: 8, byteCount: 3_000_000)
  /// Of unknown length: every byte arrives, but not the close that ends the body.
  var endless: OriginBehavior {
    OriginBehavior(body).with { $0.framing = .untilClose }
  }

  private func begunWhole(_ world: WireWorld) async throws -> TransferID {
    world.origin.serve(
      endless.with { $0.stall = .init(after: body.byteCount, until: "never") }, at: WireWorld.path)
    let id = try await world.add(WireWorld.path)
    let byteCount = body.byteCount
    try await world.wait("all bytes", for: id) { $0.bytesReceived == byteCount }
    await world.pause(id)
    return id
  }

  // Fault 18
  @Test func `a 416 past the last byte confirms that the file is complete`() async throws {
    let world = try await WireWorld()
    let id = try await begunWhole(world)
    world.origin.serve(OriginBehavior(body), at: WireWorld.path)
    await world.start(id)
    world.expectFile(of: try await world.end(of: id), is: body)
    // No more bytes were needed, except for a comparison of the end.
    #expect(world.origin.bytesSent <= body.byteCount + (64 << 10), "\(world.wire)")
  }

  // Fault 18
  @Test(arguments: [2_000_000, 3_000_001, 5_000_000] as [Int64])
  func `a 416 with a different total means a different file`(byteCount: Int64) async throws {
    let world = try await WireWorld()
    let id = try await begunWhole(world)
    let new = SeededBody(seed: 9, byteCount: byteCount)
    world.origin.serve(OriginBehavior(new).with { $0.ifRange = .ignored }, at: WireWorld.path)
    await world.start(id)
    let row = try await world.end(of: id)
    world.expectFile(of: row, is: new)
    #expect(row.freshStart == .resourceChanged)
  }

  // Fault 18
  @Test func `a download completes after a 416 without a total`() async throws {
    let world = try await WireWorld()
    let id = try await begunWhole(world)
    world.origin.serve(
      OriginBehavior(body).with { $0.ranges = .unsatisfiableWithoutTotal }, at: WireWorld.path)
    await world.start(id)
    world.expectFile(of: try await world.end(of: id), is: body)
  }

  // Fault 19
  @Test(arguments: [304, 412], [1, 8])
  func `an unsolicited conditional response loses no received bytes`(
    status: Int, connections: Int
  ) async throws {
    let world = try await WireWorld()
    let truth = OriginBehavior(body).with { $0.bytesPerSecond = 16 << 20 }
    let row = try await world.interruptedDownload(truth, connections: connections) { _ in
      .status(status)
    }
    #expect(row.state == .failed)
    #expect(row.bytesReceived >= WireWorld.firstByteCount)
    #expect(row.error?.code == .httpStatus)
    try await world.expectNoFile(of: row.id, only: body)
    world.origin.serve(truth, at: WireWorld.path)
    await world.start(row.id)
    try await world.wait("completion", for: row.id) { $0.state == .completed }
    let finished = try #require(world.row(of: row.id))
    world.expectFile(of: finished, is: body)
    #expect(finished.freshStart == nil)
  }
}
