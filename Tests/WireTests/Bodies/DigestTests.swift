import FoundationEssentials
import KettleEngine
import KettleModel
import Testing
import TestSupport

/// Wrong bytes of the right length, which only a digest detects.
struct DigestTests {
  static let body = SeededBody(seed: 26, byteCount: 3 << 20)
  /// What a broken cache sends instead, with the same ETag.
  static let wrong = SeededBody(seed: 27, byteCount: 3 << 20)

  static func serving(_ body: SeededBody, _ headers: [HeaderField] = []) -> OriginBehavior {
    OriginBehavior(body).with {
      $0.bytesPerSecond = 16 << 20
      $0.entityTag = .fixed("\"same\"")
      $0.headers = headers
    }
  }

  private func checksum(_ algorithm: Checksum.Algorithm) throws -> Checksum {
    let hex = try #require(TestDigest.hex(of: Self.body.bytes, algorithm))
    return try #require(Checksum(algorithm: algorithm, hex: hex))
  }

  /// `sha-256=:BASE64:` (RFC 9530, section 2).
  private func field(
    _ name: String, _ key: String, _ algorithm: Checksum.Algorithm, _ form: (String) -> String
  ) throws -> HeaderField {
    let hex = Array(try checksum(algorithm).hex)
    let bytes = try stride(from: 0, to: hex.count, by: 2).map {
      try #require(UInt8(String(hex[$0...$0 + 1]), radix: 16))
    }
    return HeaderField(received: name, key + "=" + form(Data(bytes).base64EncodedString()))
  }

  @Test func `a row says what proves its file`() async throws {
    let world = try await WireWorld()
    world.origin.serve(Self.serving(Self.body), at: WireWorld.path)
    let tagged = try await world.download(WireWorld.path)
    #expect(tagged.verifiedBy == nil && tagged.hasOneEntityTag == true)
    let checksum = try checksum(.sha256)
    let checked = try await world.download(WireWorld.path) { $0.checksum = checksum }
    #expect(checked.verifiedBy == .sha256)
    let sent = try field("Repr-Digest", "sha-512", .sha512) { ":\($0):" }
    world.origin.serve(Self.serving(Self.body, [sent]), at: WireWorld.path)
    #expect(try await world.download(WireWorld.path).verifiedBy == .sha512)
    let weak = Self.serving(Self.body).with { $0.entityTag = .fixed("W/\"w\"") }
    world.origin.serve(weak, at: WireWorld.path)
    let unproved = try await world.download(WireWorld.path)
    #expect(unproved.verifiedBy == nil && unproved.hasOneEntityTag == nil)
  }

  enum ServerDigest: Sendable, CaseIterable {
    case repr, reprOfSHA512, legacy, amongOthers
  }

  private func header(_ digest: ServerDigest) throws -> HeaderField {
    switch digest {
    case .repr: return try field("Repr-Digest", "sha-256", .sha256) { ":\($0):" }
    case .reprOfSHA512: return try field("Repr-Digest", "sha-512", .sha512) { ":\($0):" }
    case .legacy: return try field("Digest", "SHA-256", .sha256) { $0 }
    case .amongOthers:
      return try field("Repr-Digest", "crc32c=:AAAAAA==:, sha-256", .sha256) { ":\($0):, x=1" }
    }
  }

  // Fault 40
  @Test(arguments: Checksum.Algorithm.allCases, [1, 8])
  func `a file with the wrong checksum never gets the final name`(
    algorithm: Checksum.Algorithm, connections: Int
  ) async throws {
    let world = try await WireWorld()
    let checksum = try checksum(algorithm)
    world.origin.serve(Self.serving(Self.wrong), at: WireWorld.path)
    let row = try await world.download(WireWorld.path) {
      $0.connections = connections
      $0.checksum = checksum
    }
    #expect(row.state == .failed)
    #expect(row.error?.code == .checksumMismatch)
    #expect(world.home.finalNames == [])
  }

  // Fault 40
  @Test(arguments: Checksum.Algorithm.allCases, Interruption.allCases)
  func `a file with the right checksum gets the final name, also after an interruption`(
    algorithm: Checksum.Algorithm, interruption: Interruption
  ) async throws {
    let world = try await WireWorld()
    let checksum = try checksum(algorithm)
    let row = try await world.interruptedDownload(
      Self.serving(Self.body), connections: 8, by: interruption, { $0.checksum = checksum }
    ) { _ in Self.serving(Self.body) }
    world.expectFile(of: row, is: Self.body)
  }

  // Fault 40
  @Test(arguments: [1, 8])
  func `the checksum detects wrong bytes in the resumed part`(connections: Int) async throws {
    let world = try await WireWorld()
    let checksum = try checksum(.sha256)
    let row = try await world.interruptedDownload(
      Self.serving(Self.body), connections: connections, { $0.checksum = checksum }
    ) { _ in Self.serving(Self.wrong) }
    #expect(row.state == .failed)
    #expect(world.home.finalNames == [])
  }

  // Fault 40
  @Test(arguments: ServerDigest.allCases, [1, 8])
  func `a file that does not match the server's digest never gets the final name`(
    digest: ServerDigest, connections: Int
  ) async throws {
    let world = try await WireWorld()
    world.origin.serve(Self.serving(Self.wrong, [try header(digest)]), at: WireWorld.path)
    let row = try await world.download(WireWorld.path) { $0.connections = connections }
    #expect(row.state == .failed)
    #expect(row.error?.code == .checksumMismatch)
    #expect(world.home.finalNames == [])
  }

  // Fault 40
  @Test(arguments: ServerDigest.allCases, Interruption.allCases)
  func `the server's digest is remembered across an interruption`(
    digest: ServerDigest, interruption: Interruption
  ) async throws {
    let world = try await WireWorld()
    let truth = Self.serving(Self.body, [try header(digest)])
    let row = try await world.interruptedDownload(
      truth, connections: 8, by: interruption
    ) { _ in Self.serving(Self.wrong) }
    if row.freshStart == .resourceChanged {
      // Bytes that were fetched twice differed: then it is a different file without a known digest.
      world.expectFile(of: row, is: Self.wrong)
    } else {
      #expect(row.state == .failed)
      #expect(row.error?.code == .checksumMismatch)
    }
  }

  // Fault 40
  @Test(arguments: ServerDigest.allCases, [1, 8])
  func `a file that matches the server's digest completes`(
    digest: ServerDigest, connections: Int
  ) async throws {
    let world = try await WireWorld()
    world.origin.serve(Self.serving(Self.body, [try header(digest)]), at: WireWorld.path)
    let row = try await world.download(WireWorld.path) { $0.connections = connections }
    world.expectFile(of: row, is: Self.body)
  }

  // Fault 40
  @Test(arguments: [
    HeaderField(received: "Repr-Digest", "sha-256=:AAAA:"),
    HeaderField(received: "Repr-Digest", "sha-256=rubbish"),
    HeaderField(received: "Digest", "unixsum=1,adler=2"),
    // It is the digest of the message, which is only a part for a range (RFC 9530, section 2).
    HeaderField(
      received: "Content-Digest", "sha-256=:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=:"),
  ])
  func `a digest that cannot apply to the file is ignored`(
    header: HeaderField
  ) async throws {
    let world = try await WireWorld()
    let truth = Self.serving(Self.body, [header])
    let row = try await world.interruptedDownload(truth, connections: 8) { _ in truth }
    world.expectFile(of: row, is: Self.body)
  }
}
