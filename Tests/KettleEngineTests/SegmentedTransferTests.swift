import KettleEngine
import KettleModel
import KettleScheduler
import TestSupport
import Testing

/// The engine over fake ports with several attempts of one transfer.
@Suite(.timeLimit(.minutes(5)))
struct SegmentedTransferTests {
  private static let total = 4 << 20
  private static let content = (0..<total).map { UInt8(truncatingIfNeeded: $0 &* 7 / 5) }

  /// A world in which further attempts do not wait for the speed of the first.
  private func world() async throws -> EngineWorld {
    try await EngineWorld { $0.limits.division.speedMilliseconds = 0 }
  }

  private func begunCount(_ world: EngineWorld) -> Int {
    world.transport.calls.count { if case .begin = $0 { true } else { false } }
  }

  private func spec(connections: Int = 2) -> TransferSpec {
    var spec = EngineWorld.spec()
    spec.connections = connections
    return spec
  }

  /// A transfer with two attempts, both of them accepted.
  private func flowing(
    _ world: EngineWorld, _ spec: TransferSpec
  ) async throws -> (id: TransferID, opener: AttemptID, second: AttemptRequest) {
    let id = try await world.engine.add([spec])[0]
    let opener = await world.transport.request(1).id
    world.transport.head(
      opener, 200, ["Content-Length": "\(Self.total)", "ETag": "\"v1\""])
    let second = await world.transport.request(2)
    world.transport.head(
      second.id, 206,
      [
        "Content-Range": "bytes \(Self.total / 2)-\(Self.total - 1)/\(Self.total)",
        "Content-Length": "\(Self.total - Self.total / 2)", "ETag": "\"v1\"",
      ])
    await world.transport.called { $0.contains(.accept(second.id)) }
    return (id, opener, second)
  }

  @Test func `two attempts produce one correct file`() async throws {
    let world = try await world()
    let (id, opener, second) = try await flowing(world, spec())
    #expect(
      second.headers.contains(
        HeaderField(received: "Range", "bytes=\(Self.total / 2)-\(Self.total - 1)")))
    #expect(second.headers.contains(HeaderField(received: "If-Range", "\"v1\"")))
    world.transport.body(second.id, Array(Self.content[(Self.total / 2)...]))
    world.transport.end(second.id, .complete)
    // The end of the opener was given to the second attempt, so it accepts no more than its half.
    #expect(world.transport.body(opener, Self.content) == .satisfied)
    world.transport.end(opener, .satisfied)
    await world.told.wait(for: .completed, of: id)
    #expect(world.files.bytes(at: "/home/u/Downloads/a.iso") == Self.content)
    #expect(world.journal.records[id]?.state == .completed)
  }

  @Test func `further attempts start once the speed of the first is known`() async throws {
    let world = try await EngineWorld()
    let id = try await world.engine.add([spec()])[0]
    let opener = await world.transport.request(1).id
    world.transport.head(opener, 200, ["Content-Length": "\(Self.total)", "ETag": "\"v1\""])
    await world.transport.called { $0.contains(.accept(opener)) }
    world.transport.body(opener, Array(Self.content[..<1000]))
    // Returns when the engine has processed all earlier input.
    _ = await world.engine.control(.start, [id])
    #expect(begunCount(world) == 1)
    await world.advance(milliseconds: DivisionPolicy().speedMilliseconds)
    let second = await world.transport.request(2)
    #expect(second.headers.contains { $0.name == "Range" })
  }

  @Test func `no attempt is added when the first one will finish soon`() async throws {
    let world = try await EngineWorld()
    let id = try await world.engine.add([spec()])[0]
    let opener = await world.transport.request(1).id
    world.transport.head(opener, 200, ["Content-Length": "\(Self.total)", "ETag": "\"v1\""])
    await world.transport.called { $0.contains(.accept(opener)) }
    world.transport.body(opener, Array(Self.content[..<(Self.total / 2)]))
    // Returns when the engine has processed all earlier input.
    _ = await world.engine.control(.start, [id])
    await world.advance(milliseconds: DivisionPolicy().speedMilliseconds)
    // The next tick follows the check of the speed.
    await world.advance(milliseconds: 150)
    await world.told.wait { events in
      events.contains { if case .progress = $0 { true } else { false } }
    }
    #expect(begunCount(world) == 1)
  }

  @Test func `a pause keeps both parts and the next start requests the missing ranges`()
    async throws
  {
    let world = try await world()
    let (id, opener, second) = try await flowing(world, spec())
    world.transport.body(opener, Array(Self.content[..<1000]))
    let half = Self.total / 2
    world.transport.body(second.id, Array(Self.content[half..<(half + 500)]))
    _ = await world.engine.control(.pause, [id])
    let durable = world.journal.records[id]?.resumeData?.durable
    #expect(durable?.ranges.map(\.lower) == [0, Int64(half)])
    #expect(durable?.ranges.map(\.upper) == [1000, Int64(half) + 500])
    _ = await world.engine.control(.start, [id])
    let third = await world.transport.request(3)
    #expect(
      third.headers.contains(HeaderField(received: "Range", "bytes=1000-\(half - 1)")))
  }

  // Fault 40
  @Test func `the digest is correct when the bytes arrive out of order`() async throws {
    let world = try await world()
    var spec = spec()
    let hex = try #require(TestDigest.hex(of: Self.content, .sha256))
    spec.checksum = Checksum(algorithm: .sha256, hex: hex)
    let (id, opener, second) = try await flowing(world, spec)
    world.transport.body(second.id, Array(Self.content[(Self.total / 2)...]))
    world.transport.end(second.id, .complete)
    world.transport.body(opener, Array(Self.content[..<(Self.total / 2)]))
    world.transport.end(opener, .satisfied)
    await world.told.wait(for: .completed, of: id)
    #expect(world.files.bytes(at: "/home/u/Downloads/a.iso") == Self.content)
  }

  // Fault 12
  @Test func `a new version is downloaded beside the old one, which is deleted on completion`()
    async throws
  {
    let world = try await world()
    let id = try await world.engine.add([spec(connections: 1)])[0]
    let first = await world.transport.request(1).id
    world.transport.head(first, 200, ["Content-Length": "10", "ETag": "\"v1\""])
    await world.transport.called { $0.contains(.accept(first)) }
    world.transport.body(first, [1, 2, 3, 4])
    _ = await world.engine.control(.pause, [id])
    _ = await world.engine.control(.start, [id])
    let second = await world.transport.request(2).id
    world.transport.head(second, 200, ["Content-Length": "5", "ETag": "\"v2\""])
    await world.transport.called { $0.contains(.accept(second)) }
    #expect(world.files.bytes(at: "/home/u/Downloads/a.iso.part") == [1, 2, 3, 4])
    #expect(world.files.paths.count == 2)
    #expect(world.journal.records[id]?.freshStart == .resourceChanged)
    world.transport.body(second, [9, 8, 7, 6, 5])
    world.transport.end(second, .complete)
    await world.told.wait(for: .completed, of: id)
    #expect(world.files.paths == ["/home/u/Downloads/a.iso"])
    #expect(world.files.bytes(at: "/home/u/Downloads/a.iso") == [9, 8, 7, 6, 5])
  }

  // Fault 1
  @Test func `a server without range support does not cost the bytes already received`()
    async throws
  {
    let world = try await world()
    let id = try await world.engine.add([spec(connections: 1)])[0]
    let first = await world.transport.request(1).id
    let head = ["Content-Length": "6", "ETag": "\"v1\""]
    world.transport.head(first, 200, head)
    await world.transport.called { $0.contains(.accept(first)) }
    world.transport.body(first, [1, 2, 3])
    _ = await world.engine.control(.pause, [id])
    _ = await world.engine.control(.start, [id])
    let second = await world.transport.request(2)
    #expect(second.headers.contains { $0.name == "If-Range" })
    world.transport.head(second.id, 200, head)
    let third = await world.transport.request(3)
    #expect(!third.headers.contains { $0.name == "If-Range" })
    #expect(third.headers.contains { $0.name == "Range" })
    world.transport.head(third.id, 200, head)
    await world.transport.called { $0.contains(.accept(third.id)) }
    #expect(world.journal.records[id]?.resumeData?.durable.byteCount == 3)
    world.transport.body(third.id, [1, 2, 3, 4, 5, 6])
    world.transport.end(third.id, .complete)
    await world.told.wait(for: .completed, of: id)
    #expect(world.files.bytes(at: "/home/u/Downloads/a.iso") == [1, 2, 3, 4, 5, 6])
  }

  @Test func `limits reach the transport immediately and a transfer's limit is stored`()
    async throws
  {
    let world = try await world()
    let (id, _, _) = try await flowing(world, spec())
    #expect(await world.engine.limit([id], toBytesPerSecond: 5000) == [.applied])
    #expect(world.transport.calls.contains(.limit(id, bytesPerSecond: 5000)))
    #expect(world.journal.records[id]?.spec.limitBytesPerSecond == 5000)
    await world.engine.limitAll(toBytesPerSecond: 9000)
    #expect(world.transport.calls.contains(.limitAll(bytesPerSecond: 9000)))
  }
}
