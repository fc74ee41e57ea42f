import KettleEngine
import KettleModel
import KettleScheduler
import Testing
import TestSupport

/// A fresh link in place of an expired one.
struct FreshLinkTests {
  let body = SeededBody(seed: 47, byteCount: 4 << 20)
  var truth: OriginBehavior { OriginBehavior(body).with { $0.bytesPerSecond = 16 << 20 } }

  /// A transfer that has received bytes and waits for a link.
  private func waiting(_ world: WireWorld, connections: Int) async throws -> TransferID {
    let row = try await world.interruptedDownload(truth, connections: connections) { _ in
      .status(410)
    }
    try #require(row.reason == .needsLink)
    return row.id
  }

  // Fault 45
  @Test(arguments: [1, 8])
  func `a fresh link resumes from the received bytes`(connections: Int) async throws {
    let world = try await WireWorld()
    let id = try await waiting(world, connections: connections)
    world.origin.serve(truth, at: "/fresh")
    let before = world.origin.bytesSent
    #expect(await world.engine.start(id, with: try world.origin.url("/fresh")) == .applied)
    try await world.wait("completion", for: id) { $0.state == .completed }
    let row = try #require(world.row(of: id))
    world.expectFile(of: row, is: body)
    #expect(row.freshStart == nil)
    world.expectNothingHeldIsAskedAgain(
      world.origin.requests(at: "/fresh")[...], exceptLast: WireWorld.overlapByteCount)
    // With several connections, one may be cut short after it has sent its part.
    if connections == 1 {
      let slack: Int64 = 500_000
      #expect(
        world.origin.bytesSent - before < body.byteCount - WireWorld.firstByteCount + slack,
        "\(world.wire)")
    }
  }

  // Fault 139
  @Test(arguments: [1, 8])
  func `a fresh link with the old length and tag to other bytes discards nothing`(
    connections: Int
  ) async throws {
    let world = try await WireWorld()
    let id = try await waiting(world, connections: connections)
    let held = try #require(world.row(of: id)).bytesReceived
    // The origin makes the tag of a body from its seed and length.
    let tag = "\"\(String(body.seed, radix: 16))-\(body.byteCount)\""
    let other = OriginBehavior(SeededBody(seed: 48, byteCount: body.byteCount)).with {
      $0.entityTag = .fixed(tag)
    }
    world.origin.serve(other, at: "/other")
    _ = await world.engine.start(id, with: try world.origin.url("/other"))
    try await world.wait("an answer", for: id) { $0.error?.code == .otherFile }
    #expect(world.row(of: id)?.bytesReceived == held)
    world.origin.serve(truth, at: "/right")
    _ = await world.engine.start(id, with: try world.origin.url("/right"))
    try await world.wait("completion", for: id) { $0.state == .completed }
    world.expectFile(of: try #require(world.row(of: id)), is: body)
  }

  // Fault 45
  @Test(arguments: [1, 8])
  func `a fresh link at another host also resumes if the bytes match`(
    connections: Int
  ) async throws {
    let world = try await WireWorld()
    let other = try ScriptedOrigin(lastByte: 3)
    let id = try await waiting(world, connections: connections)
    // Another server of the same file, with a tag of its own.
    other.serve(truth.with { $0.entityTag = .fixed("\"other\"") }, at: "/fresh")
    _ = await world.engine.start(id, with: try other.url("/fresh"))
    try await world.wait("completion", for: id) { $0.state == .completed }
    let row = try #require(world.row(of: id))
    world.expectFile(of: row, is: body)
    #expect(row.freshStart == nil)
    #expect(other.requests.contains { $0.value(of: "Range") != nil })
  }

  // Fault 45
  @Test(arguments: [1, 8])
  func `a fresh link to a different file discards nothing, and the right link resumes`(
    connections: Int
  ) async throws {
    let world = try await WireWorld()
    let id = try await waiting(world, connections: connections)
    let held = try #require(world.row(of: id)).bytesReceived
    let another = SeededBody(seed: 48, byteCount: 4 << 20)
    world.origin.serve(OriginBehavior(another), at: "/wrong")
    _ = await world.engine.start(id, with: try world.origin.url("/wrong"))
    try await world.wait("an answer", for: id) { $0.error?.code == .otherFile }
    let row = try #require(world.row(of: id))
    #expect(row.reason == .needsLink)
    #expect(row.bytesReceived == held)
    world.origin.serve(truth, at: "/right")
    _ = await world.engine.start(id, with: try world.origin.url("/right"))
    try await world.wait("completion", for: id) { $0.state == .completed }
    world.expectFile(of: try #require(world.row(of: id)), is: body)
    #expect(world.row(of: id)?.freshStart == nil)
  }

  // Fault 45
  @Test func `a fresh link survives a restart`() async throws {
    let world = try await WireWorld()
    let id = try await waiting(world, connections: 1)
    world.origin.serve(truth.with { $0.stall = .init(after: 100_000, until: "on") }, at: "/fresh")
    _ = await world.engine.start(id, with: try world.origin.url("/fresh"))
    try await world.origin.waitForRequests(1, at: "/fresh")
    try await world.restart(after: .crash) { world.origin.release("on") }
    try await world.wait("completion", for: id) { $0.state == .completed }
    world.expectFile(of: try #require(world.row(of: id)), is: body)
  }

  // Fault 49
  @Test(arguments: CredentialCase.Kind.allCases)
  func `credentials for the old link's host are not sent to the fresh link's host`(
    kind: CredentialCase.Kind
  ) async throws {
    let world = try await WireWorld()
    let other = try ScriptedOrigin(lastByte: 3)
    let stalling = truth.with { $0.stall = .init(after: 200_000, until: "never") }
    world.origin.serve(stalling, at: WireWorld.path)
    var spec = TransferSpec(url: try world.origin.url(WireWorld.path))
    try Secret.give(kind, to: &spec)
    let id = try #require(await world.engine.add([spec]).first)
    try await world.wait("the first bytes", for: id) { $0.bytesReceived >= 200_000 }
    await world.pause(id)
    let challenge = HeaderField(received: "WWW-Authenticate", "Basic realm=\"kettle\"")
    other.serve(.status(401, headers: [challenge]), at: "/fresh")
    _ = await world.engine.start(id, with: try other.url("/fresh"))
    try await other.waitForRequests(1, at: "/fresh")
    let row = try await world.wait("the answer", for: id) { $0.reason == .needsLogin }
    #expect(row.bytesReceived >= 200_000)
    #expect(!other.requests.contains(where: Secret.isIn))
  }
}
