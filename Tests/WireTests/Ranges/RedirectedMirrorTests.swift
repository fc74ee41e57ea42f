import KettleEngine
import KettleModel
import Testing
import TestSupport

/// One URL whose redirects name another mirror for each request. The mirrors have the same bytes,
/// each with a tag of its own.
struct RedirectedMirrorTests {
  static let body = SeededBody(seed: 74, byteCount: 6 << 20)
  static let path = "/file.bin"

  let mirrors: [ScriptedOrigin]

  init() throws {
    mirrors = try [2, 3, 4].map { try ScriptedOrigin(lastByte: $0) }
  }

  private static func truth(_ number: Int) -> OriginBehavior {
    OriginBehavior(body).with {
      $0.entityTag = .fixed("\"mirror \(number)\"")
      $0.bytesPerSecond = 16 << 20
    }
  }

  /// Serves redirects to each mirror in turn.
  private func redirect(_ world: WireWorld) throws {
    let targets = try mirrors.map { try $0.url(Self.path).text }
    world.origin.serve(at: "/get") {
      .redirect(to: targets[($0.numberForPath - 1) % targets.count])
    }
  }

  private var bytesSent: Int64 { mirrors.reduce(0) { $0 + $1.bytesSent } }

  // Fault 138
  @Test(arguments: [1, 8])
  func `mirrors that cut each connection after a third still complete the file`(
    connections: Int
  ) async throws {
    let world = try await WireWorld()
    try redirect(world)
    for (number, mirror) in mirrors.enumerated() {
      mirror.serve(
        Self.truth(number).with { $0.ending = .cut(after: 2_100_000, .fin) }, at: Self.path)
    }
    let row = try await world.end(of: world.add("/get") { $0.connections = connections })
    world.expectFile(of: row, is: Self.body)
    #expect(row.freshStart == nil)
    #expect(bytesSent < Self.body.byteCount * 2, "\(world.wire)")
  }

  // Fault 138
  @Test(arguments: Interruption.allCases)
  func `another mirror continues in place of one that is gone`(
    interruption: Interruption
  ) async throws {
    let world = try await WireWorld()
    try redirect(world)
    for (number, mirror) in mirrors.enumerated() {
      mirror.serve(
        Self.truth(number).with { $0.stall = .init(after: 1_500_000, until: "never") },
        at: Self.path)
    }
    let id = try await world.add("/get") { $0.connections = 1 }
    try await world.wait("the first bytes", for: id) { $0.bytesReceived >= 1_500_000 }
    let before = bytesSent
    func change() {
      mirrors[0].serve(.status(404), at: Self.path)
      for number in [1, 2] { mirrors[number].serve(Self.truth(number), at: Self.path) }
    }
    switch interruption {
    case .cut:
      change()
      mirrors[0].cutConnections(.reset)
    case .pause:
      await world.pause(id)
      change()
      await world.start(id)
    case .restart: try await world.restart(after: .shutDown) { change() }
    }
    let row = try await world.end(of: id)
    world.expectFile(of: row, is: Self.body)
    #expect(row.freshStart == nil)
    let overlap = WireWorld.overlapByteCount
    #expect(bytesSent - before <= Self.body.byteCount - 1_500_000 + overlap + 1000)
  }

  // Fault 138
  @Test func `a mirror with another version is not joined to the bytes of the first`() async throws
  {
    let world = try await WireWorld()
    try redirect(world)
    let new = SeededBody(seed: 75, byteCount: Self.body.byteCount)
    mirrors[0].serve(
      Self.truth(0).with { $0.stall = .init(after: 1_500_000, until: "never") }, at: Self.path)
    for number in [1, 2] {
      mirrors[number].serve(
        OriginBehavior(new).with { $0.bytesPerSecond = 16 << 20 }, at: Self.path)
    }
    let id = try await world.add("/get") { $0.connections = 1 }
    try await world.wait("the first bytes", for: id) { $0.bytesReceived >= 1_500_000 }
    await world.pause(id)
    mirrors[0].serve(.status(410), at: Self.path)
    await world.start(id)
    let row = try await world.end(of: id)
    world.expectFile(of: row, is: new)
    #expect(row.freshStart == .resourceChanged)
  }
}
