import KettleEngine
import KettleModel
import KettleScheduler
import Testing
import TestSupport

/// Links that worked and have expired.
struct ExpiredLinkTests {
  let body = SeededBody(seed: 41, byteCount: 4 << 20)
  var truth: OriginBehavior { OriginBehavior(body).with { $0.bytesPerSecond = 16 << 20 } }

  // Fault 44
  @Test(arguments: [404, 410, 403])
  func `a link that never worked fails immediately`(status: Int) async throws {
    let world = try await WireWorld()
    world.origin.serve(.status(status, text: "<html>No.</html>"), at: WireWorld.path)
    let row = try await world.download(WireWorld.path) { $0.connections = 8 }
    #expect(row.state == .failed)
    #expect(world.origin.requests.count == 1)
    #expect(world.home.names == [])
  }

  // Fault 44
  // Fault 45
  @Test(arguments: [400, 403, 404, 410], [1, 8])
  func `a transfer with an expired link keeps its bytes and waits for a fresh link`(
    status: Int, connections: Int
  ) async throws {
    let world = try await WireWorld()
    let row = try await world.interruptedDownload(truth, connections: connections) { _ in
      .status(status, text: "<html>Gone.</html>")
    }
    #expect(row.state == .waiting)
    #expect(row.reason == .needsLink)
    #expect(row.bytesReceived >= WireWorld.firstByteCount)
    try await world.expectNoFile(of: row.id, only: body)
  }

  // Fault 45
  @Test(arguments: [1, 8], Interruption.allCases)
  func `an expired link behind a redirect is requested again through the redirect`(
    connections: Int, interruption: Interruption
  ) async throws {
    let world = try await WireWorld()
    world.origin.serve(.redirect(to: "/signed/1"), at: "/get")
    let stalling = truth.with { $0.stall = .init(after: 200_000, until: "never") }
    world.origin.serve(stalling, at: "/signed/1")
    let id = try await world.add("/get") { $0.connections = connections }
    try await world.wait("the first bytes", for: id) { $0.bytesReceived >= 200_000 }
    world.origin.serve(.redirect(to: "/signed/2"), at: "/get")
    world.origin.serve(truth, at: "/signed/2")
    try await world.goOn(id, after: interruption, at: "/signed/1") { _ in .status(403) }
    let row = try await world.end(of: id)
    world.expectFile(of: row, is: body)
    #expect(row.freshStart == nil)
    #expect(world.origin.requests(at: "/signed/2").allSatisfy { $0.value(of: "Range") != nil })
  }

  // Fault 45
  @Test func `a link that expires under eight connections is requested again`() async throws {
    let world = try await WireWorld()
    let body = SeededBody(seed: 42, byteCount: 16 << 20)
    let truth = OriginBehavior(body).with { $0.bytesPerSecond = 4 << 20 }
    world.origin.serve([.redirect(to: "/signed/1"), .redirect(to: "/signed/2")], at: "/get")
    // The first three requests succeed, and one of them is cut off midway.
    world.origin.serve(at: "/signed/1") { request in
      if request.numberForPath > 3 { return .status(403) }
      guard request.numberForPath == 2 else { return truth }
      return truth.with { $0.ending = .cut(after: 300_000, .fin) }
    }
    world.origin.serve(truth, at: "/signed/2")
    let row = try await world.download("/get") { $0.connections = 8 }
    world.expectFile(of: row, is: body)
    #expect(row.freshStart == nil)
  }

  // Fault 53
  @Test(arguments: [1, 8], Interruption.allCases)
  func `a transfer whose login stops working waits for the user and keeps its bytes`(
    connections: Int, interruption: Interruption
  ) async throws {
    let world = try await WireWorld()
    let row = try await world.interruptedDownload(
      truth, connections: connections, by: interruption
    ) { _ in .status(401) }
    #expect(row.state == .waiting)
    #expect(row.reason == .needsLogin)
    #expect(row.bytesReceived >= WireWorld.firstByteCount)
    try await world.expectNoFile(of: row.id, only: body)
    world.origin.serve(truth, at: WireWorld.path)
    await world.start(row.id)
    try await world.wait("completion", for: row.id) { $0.state == .completed }
    let finished = try #require(world.row(of: row.id))
    world.expectFile(of: finished, is: body)
    #expect(finished.freshStart == nil)
  }
}
