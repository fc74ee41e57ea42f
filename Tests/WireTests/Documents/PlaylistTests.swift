import FoundationEssentials
import KettleCurl
import KettleEngine
import KettleModel
import KettleScheduler
import Testing
import TestSupport

/// An HLS playlist (RFC 8216): its segments become one file.
struct PlaylistTests {
  private static let bodies = (0..<4).map {
    SeededBody(seed: 50 + $0, byteCount: 200_000 + Int64($0))
  }
  private static var joined: [UInt8] { bodies.flatMap { $0.bytes(in: 0..<$0.byteCount) } }
  private static let path = "/show/episode.m3u8"

  private static func playlist(_ lines: [String]) -> OriginBehavior {
    .status(
      200,
      text: (["#EXTM3U", "#EXT-X-TARGETDURATION:6"] + lines + ["#EXT-X-ENDLIST", ""])
        .joined(separator: "\n"))
  }

  private static let lines = (0..<4).flatMap { ["#EXTINF:6,", "seg/\($0).ts"] }

  /// Serves four segments and their playlist.
  private func world() async throws -> WireWorld {
    let world = try await WireWorld()
    world.origin.serve(Self.playlist(Self.lines), at: Self.path)
    for (index, body) in Self.bodies.enumerated() {
      world.origin.serve(OriginBehavior(body), at: "/show/seg/\(index).ts")
    }
    return world
  }

  private func contents(_ row: TransferSnapshot) throws -> [UInt8] {
    let path = try #require(row.path)
    return [UInt8](try #require(FileManager.default.contents(atPath: path)))
  }

  @Test func `the segments are joined in their order`() async throws {
    let world = try await world()
    let row = try await world.download(Self.path)
    #expect(row.state == .completed, "\(world.wire)")
    #expect(row.path?.hasSuffix("/episode.ts") == true)
    #expect(try contents(row) == Self.joined)
    #expect(world.home.names == ["episode.ts"])
    #expect(
      world.origin.requests.map(\.path).dropFirst().map { $0.suffix(4) } == [
        "0.ts", "1.ts", "2.ts", "3.ts",
      ])
  }

  @Test func `the best variant is fetched, or the one that the user wants`() async throws {
    let world = try await world()
    let master = """
      #EXTM3U
      #EXT-X-STREAM-INF:BANDWIDTH=100000,RESOLUTION=640x360
      low.m3u8
      #EXT-X-STREAM-INF:BANDWIDTH=900000,RESOLUTION=1920x1080
      show/episode.m3u8
      """
    world.origin.serve(.status(200, text: master), at: "/master.m3u8")
    world.origin.serve(Self.playlist(["#EXTINF:6,", "show/seg/1.ts"]), at: "/low.m3u8")
    let best = try await world.download("/master.m3u8")
    #expect(try contents(best) == Self.joined)
    let small = try await world.download("/master.m3u8") { $0.options.variant = .lines(400) }
    #expect(
      try contents(small) == Self.bodies[1].bytes(in: 0..<Self.bodies[1].byteCount))
  }

  enum Stop: CaseIterable, Sendable { case pause, shutDown, crash }

  @Test(arguments: Stop.allCases)
  func `it resumes at the segment`(stop: Stop) async throws {
    let world = try await world()
    world.origin.serve(
      OriginBehavior(Self.bodies[2]).with { $0.stall = .init(after: 90_000, until: "never") },
      at: "/show/seg/2.ts")
    let id = try await world.add(Self.path)
    let before = Self.bodies[0].byteCount + Self.bodies[1].byteCount
    try await world.wait("two segments and a half", for: id) { $0.bytesReceived > before }
    switch stop {
    case .pause:
      await world.pause(id)
      world.origin.serve(OriginBehavior(Self.bodies[2]), at: "/show/seg/2.ts")
      await world.start(id)
    case .shutDown, .crash:
      try await world.restart(after: stop == .crash ? .crash : .shutDown) {
        world.origin.serve(OriginBehavior(Self.bodies[2]), at: "/show/seg/2.ts")
      }
    }
    let row = try await world.end(of: id)
    #expect(row.state == .completed, "\(world.wire)")
    #expect(try contents(row) == Self.joined)
    #expect(world.origin.requests(at: "/show/seg/0.ts").count == 1)
    // The last joined one is compared.
    #expect(world.origin.requests(at: "/show/seg/1.ts").count == 2)
    #expect(world.origin.requests(at: "/show/seg/2.ts").count == 2)
  }

  @Test func `a segment that breaks off is fetched again`() async throws {
    let world = try await world()
    let whole = OriginBehavior(Self.bodies[1])
    world.origin.serve(
      [whole.with { $0.ending = .cut(after: 100_000, .fin) }, whole], at: "/show/seg/1.ts")
    let row = try await world.download(Self.path)
    #expect(row.state == .completed, "\(world.wire)")
    #expect(try contents(row) == Self.joined)
  }

  @Test func `links that expire meanwhile are renewed with the playlist`() async throws {
    let world = try await world()
    let old = (0..<4).flatMap { ["#EXTINF:6,", "seg/\($0).ts?token=1"] }
    let new = (0..<4).flatMap { ["#EXTINF:6,", "seg/\($0).ts?token=2"] }
    world.origin.serve([Self.playlist(old), Self.playlist(new)], at: Self.path)
    for (index, body) in Self.bodies.enumerated() {
      world.origin.serve(
        index < 2 ? OriginBehavior(body) : .status(403), at: "/show/seg/\(index).ts?token=1")
      world.origin.serve(OriginBehavior(body), at: "/show/seg/\(index).ts?token=2")
    }
    let row = try await world.download(Self.path)
    #expect(row.state == .completed, "\(world.wire)")
    #expect(try contents(row) == Self.joined)
  }

  @Test func `a segment that is gone fails and keeps the others`() async throws {
    let world = try await world()
    world.origin.serve(.status(404), at: "/show/seg/2.ts")
    let row = try await world.download(Self.path)
    #expect(row.error?.code == .httpStatus)
    world.origin.serve(OriginBehavior(Self.bodies[2]), at: "/show/seg/2.ts")
    await world.start(row.id)
    let second = try await world.wait("the end", for: row.id) { $0.state == .completed }
    #expect(try contents(second) == Self.joined)
    #expect(world.origin.requests(at: "/show/seg/0.ts").count == 1)
  }

  @Test func `parts of one resource are segments too`() async throws {
    let world = try await WireWorld()
    let body = SeededBody(seed: 60, byteCount: 300_000)
    world.origin.serve(OriginBehavior(body), at: "/all.mp4")
    world.origin.serve(
      Self.playlist([
        "#EXT-X-MAP:URI=\"all.mp4\",BYTERANGE=\"1000@0\"",
        "#EXTINF:6,", "#EXT-X-BYTERANGE:150000@1000", "all.mp4",
        "#EXTINF:6,", "#EXT-X-BYTERANGE:149000", "all.mp4",
      ]), at: "/movie.m3u8")
    let row = try await world.download("/movie.m3u8")
    #expect(row.path?.hasSuffix("/movie.mp4") == true)
    world.expectFile(of: row, is: body)
  }

  @Test func `after another program took its file, it begins again and leaves that one alone`()
    async throws
  {
    let world = try await world()
    world.origin.serve(
      OriginBehavior(Self.bodies[2]).with { $0.stall = .init(after: 90_000, until: "never") },
      at: "/show/seg/2.ts")
    let id = try await world.add(Self.path)
    let before = Self.bodies[0].byteCount + Self.bodies[1].byteCount
    try await world.wait("two segments and a half", for: id) { $0.bytesReceived > before }
    await world.pause(id)
    let partial = try #require(try await world.record(of: id).resumeData?.partialPath)
    try FileManager.default.removeItem(atPath: partial)
    let name = String(partial.split(separator: "/").last ?? "")
    try world.home.put(Array("not yours".utf8), as: name)
    world.origin.serve(OriginBehavior(Self.bodies[2]), at: "/show/seg/2.ts")
    await world.start(id)
    let row = try await world.end(of: id)
    #expect(row.state == .completed, "\(world.wire)")
    #expect(try contents(row) == Self.joined)
    #expect(world.home.bytes(of: name) == Array("not yours".utf8))
  }

  @Test func `a part that is longer than its range is refused`() async throws {
    let world = try await WireWorld()
    world.origin.serve(
      Self.playlist(["#EXTINF:6,", "#EXT-X-BYTERANGE:4@0", "all.ts"]), at: "/movie.m3u8")
    world.origin.serve(
      .raw(
        "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-3/100\r\n"
          + "Transfer-Encoding: chunked\r\n\r\n8\r\nabcdefgh\r\n0\r\n\r\n"), at: "/all.ts")
    let row = try await world.download("/movie.m3u8")
    #expect(row.error?.code == .tooLong)
    #expect(world.home.finalNames == [])
  }

  // MARK: Encryption

  private static let key = [UInt8](0..<16)
  /// Encrypted by openssl(1) with this key, and the number 7 and 0xABCD as vectors.
  private static let encrypted = [
    "d083fde77b23860981f1f55dfbe8f568f4cc84a78da8ababee15cd384b07537c0bb29d563bf6dffdecef59bf138d2f9b",
    "b571dbb2c97815b2ac56239d2de266cf2348dfd5cc9bee419a933619600c1b8d4cdbfba8978dd2d29287bbbec443c384",
  ]
  private static let plain =
    "The first segment of forty-one bytes hereand the second one, with a vector of its own"

  private static func bytes(_ hex: String) -> [UInt8] {
    let digits = Array(hex)
    return stride(from: 0, to: digits.count, by: 2).compactMap {
      UInt8(String(digits[$0...($0 + 1)]), radix: 16)
    }
  }

  private func encryptedWorld(key: [UInt8]) async throws -> WireWorld {
    let world = try await WireWorld()
    world.origin.serve(
      Self.playlist([
        "#EXT-X-MEDIA-SEQUENCE:7", "#EXT-X-KEY:METHOD=AES-128,URI=\"key\"", "#EXTINF:6,", "a.ts",
        "#EXT-X-KEY:METHOD=AES-128,URI=\"key\",IV=0xABCD", "#EXTINF:6,", "b.ts",
      ]), at: Self.path)
    world.origin.serve(.whole(key), at: "/show/key")
    world.origin.serve(.whole(Self.bytes(Self.encrypted[0])), at: "/show/a.ts")
    world.origin.serve(.whole(Self.bytes(Self.encrypted[1])), at: "/show/b.ts")
    return world
  }

  @Test func `encrypted segments are decrypted with their key, which is fetched once`()
    async throws
  {
    let world = try await encryptedWorld(key: Self.key)
    let row = try await world.download(Self.path)
    #expect(row.state == .completed, "\(world.wire)")
    #expect(try String(decoding: contents(row), as: UTF8.self) == Self.plain)
    #expect(world.origin.requests(at: "/show/key").count == 1)
  }

  @Test(arguments: [[UInt8](repeating: 1, count: 16), [UInt8](repeating: 1, count: 15)])
  func `a wrong key fails and leaves no file`(key: [UInt8]) async throws {
    let world = try await encryptedWorld(key: key)
    let row = try await world.download(Self.path)
    #expect(row.error?.code == .playlistUnusable)
    #expect(world.home.finalNames == [])
  }

  // Fault 160
  @Test func `an encrypted part that ends too early is not joined, although it can be decrypted`()
    async throws
  {
    let world = try await encryptedWorld(key: Self.key)
    world.origin.serve(
      Self.playlist([
        "#EXT-X-MEDIA-SEQUENCE:7", "#EXT-X-KEY:METHOD=AES-128,URI=\"key\"", "#EXTINF:6,",
        "#EXT-X-BYTERANGE:64@0", "a.ts",
      ]), at: Self.path)
    let head =
      "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-63/64\r\n"
      + "Transfer-Encoding: chunked\r\n\r\n30\r\n"
    world.origin.serve(
      .raw(Array(head.utf8) + Self.bytes(Self.encrypted[0]) + Array("\r\n0\r\n\r\n".utf8)),
      at: "/show/a.ts")
    let row = try await world.download(Self.path) { $0.options.attemptsMax = 2 }
    #expect(row.error?.code == .truncated)
    #expect(world.home.finalNames == [])
  }

  // MARK: What is no recording

  @Test func `a live stream is refused`() async throws {
    let world = try await WireWorld()
    world.origin.serve(
      .status(200, text: "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\n0.ts\n"), at: Self.path)
    let row = try await world.download(Self.path)
    #expect(row.error?.code == .liveStream)
    #expect(world.origin.requests.count == 1)
  }

  @Test func `a list of songs is a file like any other`() async throws {
    let world = try await WireWorld()
    world.origin.serve(
      .whole(Array("#EXTM3U\nsong.mp3\n".utf8), mediaType: "audio/x-mpegurl"), at: "/list")
    let row = try await world.download("/list")
    #expect(row.state == .completed)
    #expect(try String(decoding: contents(row), as: UTF8.self) == "#EXTM3U\nsong.mp3\n")
  }

  @Test func `with asIs the playlist itself is the file`() async throws {
    let world = try await world()
    let row = try await world.download(Self.path) { $0.options.isAsIs = true }
    #expect(row.path?.hasSuffix("/episode.m3u8") == true)
    #expect(world.origin.requests.count == 1)
  }

  @Test func `a server cannot direct a segment to this machine`() async throws {
    let world = try await WireWorld()
    world.origin.serve(Self.playlist(["#EXTINF:6,", "file:///etc/passwd"]), at: Self.path)
    let row = try await world.download(Self.path)
    #expect(row.error?.code == .redirectRefused)
  }
}
