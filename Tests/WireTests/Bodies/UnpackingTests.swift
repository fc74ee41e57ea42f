import Foundation
import KettleEngine
import KettleModel
import Testing
import TestSupport

/// `--decode`: compressed responses are unpacked when they are complete.
struct UnpackingTests {
  private static let path = "/data.json"
  private static let line =
    (0..<6).flatMap {
      Array("line \($0) of a file that a server compresses although nobody asked for it\n".utf8)
    }
  /// `line`, by gzip(1).
  private static let member =
    Data(
      base64Encoded:
        "H4sIAAAAAAACA63MyxGAIAwFwLtVvBL8FhQlCCMSJ0Fn7F6tQW572hQzo4V4EHxMjBKovDbWixWL7Iey"
        + "GRsolSDnGpBlFneDbGMHL4pYmvQ1XZ2mr9MMdZqxTjP9bh70cm+lqgEAAA=="
    ).map { [UInt8]($0) } ?? []
  private static let count = 5000
  /// Many members of gzip are one file.
  private static let packed = [[UInt8]](repeating: member, count: count).flatMap(\.self)
  private static let plain = [[UInt8]](repeating: line, count: count).flatMap(\.self)

  /// The response to a request, of which at most `countMax` bytes are sent.
  private static func reply(
    _ request: OriginRequest, of bytes: [UInt8] = packed, countMax: Int = .max
  ) -> OriginBehavior {
    var head = "Content-Encoding: gzip\r\nETag: \"g1\"\r\nContent-Type: application/json\r\n"
    var part = bytes[...]
    if let range = request.value(of: "Range"), request.value(of: "If-Range") == "\"g1\"" {
      let bounds = range.dropFirst("bytes=".count).split(
        separator: "-", omittingEmptySubsequences: false
      ).map { Int($0) }
      let lower = bounds.first.flatMap { $0 } ?? 0
      let upper = min(bounds.last.flatMap { $0 } ?? bytes.count - 1, bytes.count - 1) + 1
      guard lower < upper else { return .status(416) }
      part = bytes[lower..<upper]
      head =
        "HTTP/1.1 206 Partial Content\r\n" + head
        + "Content-Range: bytes \(lower)-\(upper - 1)/\(bytes.count)\r\n"
    } else {
      head = "HTTP/1.1 200 OK\r\n" + head
    }
    head += "Content-Length: \(part.count)\r\n\r\n"
    return .raw(Array(head.utf8) + part.prefix(countMax))
  }

  private static func decode(_ spec: inout TransferSpec) {
    spec.options.unpacks = true
    spec.connections = 1
  }

  private func sha256(_ bytes: [UInt8]) throws -> Checksum {
    let hex = try #require(TestDigest.hex(of: bytes, .sha256))
    return try #require(Checksum(algorithm: .sha256, hex: hex))
  }

  @Test func `an interrupted response is resumed compressed, and unpacked at the end`() async throws
  {
    let world = try await WireWorld()
    world.origin.serve(at: Self.path) { request in
      Self.reply(request, countMax: request.numberForPath == 1 ? 200_000 : .max)
    }
    let sum = try sha256(Self.plain)
    let row = try await world.download(Self.path) {
      Self.decode(&$0)
      $0.checksum = sum
    }
    #expect(row.state == .completed)
    #expect(row.contentCoding == nil)
    #expect(row.verifiedBy == .sha256)
    #expect(row.freshStart == nil)
    #expect(world.home.names == ["data.json"])
    #expect(world.home.bytes(of: "data.json") == Self.plain)
    let ranges = world.origin.requests.compactMap { $0.value(of: "Range") }
    #expect(ranges == ["bytes=200000-"])
  }

  @Test func `without the option it is stored as it was sent`() async throws {
    let world = try await WireWorld()
    world.origin.serve(at: Self.path) { Self.reply($0) }
    let row = try await world.download(Self.path)
    #expect(row.contentCoding == "gzip")
    #expect(world.home.bytes(of: "data.json") == Self.packed)
  }

  // Fault 34
  @Test func `a damaged response fails, and its bytes are kept`() async throws {
    let world = try await WireWorld()
    var damaged = Self.packed
    damaged[300_000] ^= 0xff
    let bytes = damaged
    world.origin.serve(at: Self.path) { Self.reply($0, of: bytes) }
    let row = try await world.download(Self.path, Self.decode)
    #expect(row.state == .failed)
    #expect(row.error?.code == .unpackingFailed)
    #expect(row.error?.subject == "data.json")
    #expect(row.error?.detail?.hasPrefix("it is damaged at byte 30") == true)
    #expect(world.home.names == ["data.json.part"])
    #expect(world.home.bytes(of: "data.json.part") == damaged)
  }

  @Test func `a checksum of other bytes than the unpacked ones does not match`() async throws {
    let world = try await WireWorld()
    world.origin.serve(at: Self.path) { Self.reply($0) }
    let sum = try sha256(Self.packed)
    let row = try await world.download(Self.path) {
      Self.decode(&$0)
      $0.checksum = sum
    }
    #expect(row.error?.code == .checksumMismatch)
    #expect(world.home.finalNames == [])
  }

  /// Whichever step the crash meets.
  @Test(arguments: [WireWorld.End.crash, .shutDown])
  func `a restart after the last byte fetches nothing again`(end: WireWorld.End) async throws {
    let world = try await WireWorld()
    world.origin.serve(at: Self.path) { Self.reply($0) }
    let id = try await world.add(Self.path, Self.decode)
    try await world.wait("the last byte", for: id) {
      $0.state == .verifying || $0.state == .completed
    }
    try await world.restart(after: end)
    // A row that was completed before is not reported again.
    if try await world.record(of: id).state != .completed {
      try await world.wait("completion", for: id) { $0.state == .completed }
    }
    #expect(world.home.bytes(of: "data.json") == Self.plain)
    #expect(world.home.finalNames == ["data.json"])
    // A crash may precede the commit of the last byte; UnpackingEngineTests crash after it.
    let mostRequests = end == .crash ? 2 : 1
    #expect(world.origin.requests(at: Self.path).count <= mostRequests)
  }
}
