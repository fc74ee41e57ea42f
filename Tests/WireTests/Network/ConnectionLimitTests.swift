import KettleEngine
import KettleModel
import KettleScheduler
import Testing
import TestSupport

/// Hosts that accept a limited number of connections.
struct ConnectionLimitTests {
  static let body = SeededBody(seed: 60, byteCount: 16 << 20)
  static var truth: OriginBehavior { OriginBehavior(body).with { $0.bytesPerSecond = 3 << 20 } }

  enum Refusal: Sendable, CaseIterable {
    case unavailable, tooMany, forbidden, reset

    var behavior: OriginBehavior {
      switch self {
      case .unavailable: .status(503)
      case .tooMany: .status(429)
      case .forbidden: .status(403, text: "Too many connections.")
      case .reset: .nothing(.reset)
      }
    }
  }

  // Fault 70
  @Test(arguments: Refusal.allCases)
  func `a download learns a host's connection limit from refusals without failing`(
    refusal: Refusal
  ) async throws {
    let world = try await WireWorld()
    world.origin.serve(at: WireWorld.path) {
      $0.underWayCount > 4 ? refusal.behavior : Self.truth
    }
    let row = try await world.download(WireWorld.path) { $0.connections = 8 }
    world.expectFile(of: row, is: Self.body)
    let states = world.told.read { Set($0.history.map(\.state)) }
    #expect(states.isDisjoint(with: [.failed, .waiting, .paused]), "\(states)")
    #expect(row.freshStart == nil)

    let requests = world.origin.requests
    #expect(requests.contains { $0.underWayCount == 4 }, "four were never reached")
    // The requests that were already in flight when the first one was refused.
    let refused = requests.filter { $0.underWayCount > 4 }
    let first = try #require(refused.first).arrivedAtMilliseconds
    let times = refused.map { $0.arrivedAtMilliseconds - first }
    // A 403 may concern the link instead, so it is not remembered for as long.
    let isOver = refusal == .forbidden ? times.count < 20 : times.allSatisfy { $0 < 300 }
    #expect(isOver, "\(times) of \(requests.map(\.underWayCount))")
  }

  // Fault 70
  @Test func `a learned connection limit applies to the next transfer from that host`() async throws
  {
    let world = try await WireWorld()
    for path in ["/a", "/b"] {
      world.origin.serve(at: path) { $0.underWayCount > 4 ? .status(503) : Self.truth }
    }
    let first = try await world.download("/a") { $0.connections = 8 }
    #expect(first.state == .completed)
    let before = world.origin.requests.count
    let second = try await world.download("/b") { $0.connections = 8 }
    #expect(second.state == .completed)
    let later = world.origin.requests[before...]
    #expect(later.allSatisfy { $0.underWayCount <= 4 }, "\(later.map(\.underWayCount))")
  }

  // Fault 70
  @Test(arguments: [1, 2, 8])
  func `a transfer opens no more connections than requested`(connections: Int) async throws {
    let world = try await WireWorld()
    world.origin.serve(Self.truth, at: WireWorld.path)
    let id = try await world.add(WireWorld.path) { $0.connections = connections }
    let row = try await world.end(of: id)
    world.expectFile(of: row, is: Self.body)
    let most = world.origin.requests.map(\.underWayCount).max()
    #expect(most == connections, "\(world.wire)")
  }

  // Fault 70
  @Test func `the per-host connection limit covers all transfers together, also after a resume`()
    async throws
  {
    let world = try await WireWorld { $0.limits.connectionsPerHostMax = 3 }
    let paths = ["/a", "/b", "/c", "/d"]
    let small = OriginBehavior(SeededBody(seed: 61, byteCount: 4 << 20)).with {
      $0.bytesPerSecond = 4 << 20
    }
    for path in paths { world.origin.serve(small, at: path) }
    var ids: [TransferID] = []
    for path in paths { ids.append(try await world.add(path)) }
    try await world.origin.waitForBytesSent(1 << 20, at: "/a")
    for id in ids { await world.pause(id) }
    try await world.origin.waitUntilIdle()
    for id in ids { await world.start(id) }
    for id in ids { #expect(try await world.end(of: id).state == .completed) }
    #expect(world.origin.requests.allSatisfy { $0.underWayCount <= 3 }, "\(world.wire)")
  }

  // Fault 69
  @Test(arguments: [OriginBehavior.Cut.reset, .fin])
  func `a host that resets every connection is retried only a few times`(cut: OriginBehavior.Cut)
    async throws
  {
    let world = try await WireWorld { $0.retryPolicy.retryCountMax = 4 }
    world.origin.serve(.nothing(cut), at: WireWorld.path)
    let row = try await world.download(WireWorld.path) { $0.connections = 8 }
    #expect(row.state == .failed)
    #expect(row.error?.code == .connectionLost)
    #expect(world.origin.connectionCount <= 5)
  }

  // Fault 69
  @Test(arguments: [1, 8])
  func `constant resets mid-transfer cause few retries and lose no bytes`(
    connections: Int
  ) async throws {
    let world = try await WireWorld { $0.retryPolicy.retryCountMax = 4 }
    let row = try await world.interruptedDownload(Self.truth, connections: connections) { _ in
      .nothing(.reset)
    }
    #expect(row.state == .failed)
    #expect(row.bytesReceived >= WireWorld.firstByteCount)
    #expect(world.origin.requests.count <= 8 + 5 * connections)
    try await world.expectNoFile(of: row.id, only: Self.body)
  }
}
