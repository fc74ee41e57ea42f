import FoundationEssentials
import KettleEngine
import KettleModel
import KettleScheduler
import Testing
import TestSupport

/// A playlist that changes while it is fetched: the file is of one recording.
struct PlaylistChangeTests {
  private static let high = bodies(seed: 300)
  /// Of the same lengths.
  private static let low = bodies(seed: 400)

  private static func bodies(seed: UInt64) -> [SeededBody] {
    (0..<4).map { SeededBody(seed: seed + $0, byteCount: 100_000 + Int64($0)) }
  }

  private static func joined(_ bodies: [SeededBody]) -> [UInt8] {
    bodies.flatMap { $0.bytes(in: 0..<$0.byteCount) }
  }

  private static func master(_ names: String...) -> OriginBehavior {
    let lines = names.enumerated().map { "#EXT-X-STREAM-INF:BANDWIDTH=\(9 - $0)\n\($1)/v.m3u8\n" }
    return .status(200, text: "#EXTM3U\n" + lines.joined())
  }

  private static func media(_ segments: String) -> OriginBehavior {
    .status(
      200, text: "#EXTM3U\n#EXT-X-TARGETDURATION:6\n\(segments)#EXT-X-ENDLIST\n")
  }

  private static let segments = (0..<4).map { "#EXTINF:6,\n\($0).ts\n" }.joined()
  private static let stalled = OriginBehavior(high[2]).with {
    $0.stall = .init(after: 50_000, until: "never")
  }

  /// Serves two variants of the same shape.
  private func world() async throws -> WireWorld {
    let world = try await WireWorld()
    world.origin.serve(Self.master("high", "low"), at: "/show.m3u8")
    for (name, bodies) in [("high", Self.high), ("low", Self.low)] {
      world.origin.serve(Self.media(Self.segments), at: "/\(name)/v.m3u8")
      for (index, body) in bodies.enumerated() {
        world.origin.serve(OriginBehavior(body), at: "/\(name)/\(index).ts")
      }
    }
    return world
  }

  private func contents(_ row: TransferSnapshot) throws -> [UInt8] {
    let path = try #require(row.path)
    return [UInt8](try #require(FileManager.default.contents(atPath: path)))
  }

  private func crash(
    _ world: WireWorld, in id: TransferID, meanwhile: () -> Void
  ) async throws -> TransferSnapshot {
    let before = Self.high[0].byteCount + Self.high[1].byteCount
    try await world.wait("two segments and a half", for: id) { $0.bytesReceived > before }
    try await world.restart(after: .crash, meanwhile: meanwhile)
    return try await world.end(of: id)
  }

  // Fault 156
  @Test func `after a crash, another variant is fetched from its beginning`() async throws {
    let world = try await world()
    world.origin.serve(Self.stalled, at: "/high/2.ts")
    let id = try await world.add("/show.m3u8")
    let row = try await crash(world, in: id) {
      world.origin.serve(Self.master("low"), at: "/show.m3u8")
    }
    #expect(row.state == .completed, "\(world.wire)")
    #expect(row.freshStart == .resourceChanged)
    #expect(try contents(row) == Self.joined(Self.low))
  }

  // Fault 156
  @Test func `new bytes at the same addresses are fetched from their beginning`() async throws {
    let world = try await world()
    world.origin.serve(Self.stalled, at: "/high/2.ts")
    let id = try await world.add("/show.m3u8")
    let row = try await crash(world, in: id) {
      for (index, body) in Self.low.enumerated() {
        world.origin.serve(OriginBehavior(body), at: "/high/\(index).ts")
      }
    }
    #expect(row.state == .completed, "\(world.wire)")
    #expect(try contents(row) == Self.joined(Self.low))
  }

  // Fault 156
  @Test func `when a segment is gone, its variant is continued and no other`() async throws {
    let world = try await world()
    world.origin.serve([.status(404), OriginBehavior(Self.high[2])], at: "/high/2.ts")
    world.origin.serve(
      [Self.master("high", "low"), Self.master("low", "high")], at: "/show.m3u8")
    let same = try await world.download("/show.m3u8")
    #expect(try contents(same) == Self.joined(Self.high), "\(world.wire)")
    world.origin.serve(.status(404), at: "/high/3.ts")
    let other = try await world.add("/show.m3u8")
    try await world.origin.waitForRequests(1, at: "/high/3.ts")
    world.origin.serve(Self.master("low"), at: "/show.m3u8")
    let row = try await world.end(of: other)
    if row.state == .completed { #expect(try contents(row) == Self.joined(Self.low)) }
  }

  // Fault 157
  @Test func `a window that has moved is fetched from its beginning`() async throws {
    let world = try await world()
    world.origin.serve(Self.stalled, at: "/high/2.ts")
    let id = try await world.add("/show.m3u8")
    let row = try await crash(world, in: id) {
      let moved = [1, 2, 3, 1].map { "#EXTINF:6,\n\($0).ts\n" }.joined()
      world.origin.serve(
        Self.media("#EXT-X-MEDIA-SEQUENCE:1\n" + moved), at: "/high/v.m3u8")
      world.origin.serve(OriginBehavior(Self.high[2]), at: "/high/2.ts")
    }
    #expect(row.state == .completed, "\(world.wire)")
    #expect(try contents(row) == Self.joined([1, 2, 3, 1].map { Self.high[$0] }))
  }

  // Fault 156
  @Test func `a link to another recording of the same length is not joined`() async throws {
    let world = try await world()
    world.origin.serve(Self.stalled, at: "/high/2.ts")
    let id = try await world.add("/show.m3u8")
    let before = Self.high[0].byteCount + Self.high[1].byteCount
    try await world.wait("two segments and a half", for: id) { $0.bytesReceived > before }
    _ = await world.engine.control(.relink(try world.origin.url("/low/v.m3u8"), nil), [id])
    let asking = try await world.end(of: id)
    #expect(asking.reason == .needsLink)
    #expect(asking.error?.code == .otherFile)
    world.origin.serve(OriginBehavior(Self.high[2]), at: "/high/2.ts")
    _ = await world.engine.control(.relink(try world.origin.url("/high/v.m3u8"), nil), [id])
    let row = try await world.wait("the end", for: id) { $0.state == .completed }
    #expect(try contents(row) == Self.joined(Self.high))
    #expect(world.origin.requests(at: "/high/0.ts").count == 1)
  }

  // Fault 159
  @Test func `parts of two versions of a resource are not joined`() async throws {
    let world = try await WireWorld()
    let parts = (0..<4).map { "#EXTINF:6,\n#EXT-X-BYTERANGE:25000@\($0 * 25_000)\nall.ts\n" }
    world.origin.serve(Self.media(parts.joined()), at: "/show.m3u8")
    let (old, new) = (Self.high[0], Self.low[0])
    world.origin.serve(at: "/all.ts") { OriginBehavior($0.numberForPath > 2 ? new : old) }
    let row = try await world.download("/show.m3u8")
    #expect(row.state == .completed, "\(world.wire)")
    #expect(try contents(row) == new.bytes(in: 0..<100_000))
  }

  // Fault 158, 160
  @Test(arguments: [
    OriginBehavior.whole(Array("<title>Sign in</title>".utf8), mediaType: "text/html"), .whole([]),
  ])
  func `what is no segment is not joined`(reply: OriginBehavior) async throws {
    let world = try await world()
    world.origin.serve([reply, reply, OriginBehavior(Self.high[1])], at: "/high/1.ts")
    let row = try await world.download("/show.m3u8")
    #expect(row.state == .completed, "\(world.wire)")
    #expect(try contents(row) == Self.joined(Self.high))
    #expect(world.origin.requests(at: "/high/1.ts").count == 3)
  }

  // Fault 160
  @Test func `a part that ends before its range does is not joined`() async throws {
    let world = try await WireWorld()
    world.origin.serve(
      Self.media("#EXTINF:6,\n#EXT-X-BYTERANGE:8@0\nall.ts\n#EXTINF:6,\n1.ts\n"), at: "/show.m3u8")
    world.origin.serve(OriginBehavior(Self.high[1]), at: "/1.ts")
    world.origin.serve(
      .raw(
        "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-7/100\r\n"
          + "Transfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n0\r\n\r\n"), at: "/all.ts")
    let row = try await world.download("/show.m3u8") { $0.options.attemptsMax = 2 }
    #expect(row.error?.code == .truncated)
    #expect(world.home.finalNames == [])
  }
}
