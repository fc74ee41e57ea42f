import KettleCurl
import KettleEngine
import KettleModel
import KettleScheduler
import Testing
import TestSupport

/// Files whose pieces have digests in a Metalink or a torrent, from servers that lie.
struct PieceTests {
  private static let body = SeededBody(seed: 81, byteCount: 12 << 20)
  private static let other = SeededBody(seed: 82, byteCount: body.byteCount)
  private static let path = "/disk.iso"
  private static let pieceByteCount: Int64 = 256 << 10

  private let second: ScriptedOrigin

  init() throws { second = try ScriptedOrigin(lastByte: 2) }

  private static func digests() throws -> [Checksum] {
    try stride(from: 0, to: body.byteCount, by: Int(pieceByteCount)).map { lower in
      let upper = min(lower + pieceByteCount, body.byteCount)
      let hex = try #require(TestDigest.hex(of: body.bytes(in: lower..<upper), .sha1))
      return try #require(Checksum(algorithm: .sha1, hex: hex))
    }
  }

  private static func serving(
    _ body: SeededBody, _ change: (inout OriginBehavior) -> Void = { _ in }
  ) -> OriginBehavior {
    OriginBehavior(body).with {
      $0.bytesPerSecond = 6 << 20
      change(&$0)
    }
  }

  private func metalink(_ urls: [TransferURL]) throws -> OriginBehavior {
    let hashes = try Self.digests().map { "<hash>\($0.hex)</hash>" }.joined()
    let list = urls.enumerated().map { "<url priority=\"\($0 + 1)\">\($1.text)</url>" }.joined()
    return .status(
      200,
      text: """
        <metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="disk.iso">\
        <size>\(Self.body.byteCount)</size>\
        <pieces length="\(Self.pieceByteCount)" type="sha-1">\(hashes)</pieces>\
        \(list)</file></metalink>
        """)
  }

  private func torrent(_ seed: TransferURL) throws -> [UInt8] {
    let pieces = try Self.digests().flatMap(\.bytes)
    let head =
      "d4:infod6:lengthi\(Self.body.byteCount)e4:name8:disk.iso12:piece length"
      + "i\(Self.pieceByteCount)e6:pieces\(pieces.count):"
    return Array(head.utf8) + pieces
      + Array("e8:url-list\(seed.text.utf8.count):\(seed.text)e".utf8)
  }

  private func urls(_ world: WireWorld) throws -> [TransferURL] {
    [try world.origin.url(Self.path), try second.url(Self.path)]
  }

  @Test(arguments: [true, false])
  func `a file ends right although one of two mirrors serves other bytes`(isOpener: Bool)
    async throws
  {
    let world = try await WireWorld()
    world.origin.serve(Self.serving(isOpener ? Self.other : Self.body), at: Self.path)
    second.serve(Self.serving(isOpener ? Self.body : Self.other), at: Self.path)
    world.origin.serve(try metalink(urls(world)), at: "/disk.meta4")
    let row = try await world.download("/disk.meta4") { $0.connections = 4 }
    world.expectFile(of: row, is: Self.body)
    #expect(row.verifiedBy == .sha1)
    #expect(row.freshStart == nil)
  }

  @Test func `a torrent is fetched from its web seed`() async throws {
    let world = try await WireWorld()
    world.origin.serve(Self.serving(Self.body), at: Self.path)
    world.origin.serve(
      .whole(try torrent(world.origin.url(Self.path)), mediaType: "application/x-bittorrent"),
      at: "/get")
    let row = try await world.download("/get")
    world.expectFile(of: row, is: Self.body)
    #expect(row.path?.hasSuffix("/disk.iso") == true)
    #expect(row.verifiedBy == .sha1)
  }

  @Test func `a torrent without a web seed says so`() async throws {
    let world = try await WireWorld()
    world.origin.serve(
      .whole(
        Array(
          "d4:infod6:lengthi1e4:name1:a12:piece lengthi4e6:pieces20:aaaaaaaaaaaaaaaaaaaaee".utf8),
        mediaType: "application/x-bittorrent"), at: "/a.torrent")
    let row = try await world.download("/a.torrent")
    #expect(row.error?.code == .torrentUnusable)
    #expect(row.error?.detail == "it names no web server, and Kettle has no peers")
  }

  @Test func `a single source of wrong bytes fails, and names them and the source`() async throws {
    let world = try await WireWorld()
    world.origin.serve(Self.serving(Self.other), at: Self.path)
    world.origin.serve(try metalink([world.origin.url(Self.path)]), at: "/disk.meta4")
    let row = try await world.download("/disk.meta4")
    #expect(row.state == .failed)
    #expect(row.error?.code == .wrongPiece)
    #expect(row.error?.subject == (try world.origin.url(Self.path).text))
    #expect(row.error?.detail?.hasPrefix("bytes ") == true)
  }

  @Test func `after a crash the file continues without a validator`() async throws {
    let world = try await WireWorld()
    let nameless: (inout OriginBehavior) -> Void = {
      $0.entityTag = .none
      $0.lastModified = nil
    }
    world.origin.serve(
      Self.serving(Self.body) {
        nameless(&$0)
        $0.withheldOffset = 10 << 20
      }, at: Self.path)
    world.origin.serve(try metalink([world.origin.url(Self.path)]), at: "/disk.meta4")
    let id = try await world.add("/disk.meta4")
    try await world.wait("some bytes", for: id) { $0.bytesReceived >= 4 << 20 }
    try await world.restart(after: .crash) {
      world.origin.serve(Self.serving(Self.body, nameless), at: Self.path)
    }
    let row = try await world.end(of: id, budgetMilliseconds: 40_000)
    world.expectFile(of: row, is: Self.body)
    #expect(row.freshStart == nil)
    #expect(row.verifiedBy == .sha1)
    let resumed = try #require(world.origin.requests(at: Self.path).last)
    #expect(resumed.value(of: "Range") != nil)
    #expect(resumed.value(of: "If-Range") == nil)
  }
}
