import KettleCurl
import KettleEngine
import KettleModel
import KettleScheduler
import Testing
import TestSupport

/// A URL that leads to a Metalink (RFC 5854) in place of the file.
struct MetalinkURLTests {
  private static let body = SeededBody(seed: 41, byteCount: 4 << 20)
  private static let path = "/mirror/disk.iso"
  private static let digest = TestDigest.hex(of: body.bytes(in: 0..<body.byteCount), .sha256) ?? ""

  private func metalink(_ files: String) -> OriginBehavior {
    .status(
      200, text: "<metalink xmlns=\"urn:ietf:params:xml:ns:metalink\">\(files)</metalink>")
  }

  private func file(_ url: TransferURL, name: String = "disk.iso") -> String {
    """
    <file name="\(name)"><hash type="sha-256">\(Self.digest)</hash>
    <url>\(url.text)</url></file>
    """
  }

  private func world() async throws -> WireWorld {
    let world = try await WireWorld()
    world.origin.serve(OriginBehavior(Self.body), at: Self.path)
    return world
  }

  @Test func `the file is fetched that the Metalink describes`() async throws {
    let world = try await world()
    let described = file(try world.origin.url(Self.path))
    world.origin.serve(metalink(described), at: "/disk.iso.meta4")
    let row = try await world.download("/disk.iso.meta4") { $0.directory = world.home.documents }
    world.expectFile(of: row, is: Self.body)
    #expect(row.path?.hasSuffix("/disk.iso") == true)
    #expect(row.verifiedBy == .sha256)
  }

  @Test func `the media type shows it too`() async throws {
    let world = try await world()
    let text =
      "<metalink xmlns=\"urn:ietf:params:xml:ns:metalink\">\(file(try world.origin.url(Self.path)))"
      + "</metalink>"
    world.origin.serve(
      .whole(Array(text.utf8), mediaType: "application/metalink4+xml"), at: "/get")
    let row = try await world.download("/get")
    world.expectFile(of: row, is: Self.body)
  }

  /// Without one, they are a collection.
  @Test func `several files fail where the checksum of one is given`() async throws {
    let world = try await world()
    let url = try world.origin.url(Self.path)
    world.origin.serve(metalink(file(url) + file(url, name: "b.iso")), at: "/all.meta4")
    let row = try await world.download("/all.meta4") { spec in
      spec.checksum = Checksum("sha256:" + String(repeating: "a", count: 64))
    }
    #expect(row.error?.code == .metalinkUnusable)
    #expect(row.error?.detail == "it describes 2 files")
    #expect(world.origin.requests(at: Self.path).isEmpty)
  }

  @Test func `with asIs the Metalink itself is the file`() async throws {
    let world = try await world()
    world.origin.serve(
      .whole(Array("<metalink/>".utf8), mediaType: "application/metalink4+xml"), at: "/disk.meta4")
    let row = try await world.download("/disk.meta4") { $0.options.isAsIs = true }
    #expect(row.state == .completed)
    #expect(row.path?.hasSuffix("/disk.meta4") == true)
    #expect(world.origin.requests(at: Self.path).isEmpty)
  }

  @Test func `the login for the Metalink does not go to another server`() async throws {
    let world = try await world()
    let other = try ScriptedOrigin(lastByte: 2)
    other.serve(OriginBehavior(Self.body), at: Self.path)
    world.origin.serve(metalink(file(try other.url(Self.path))), at: "/disk.meta4")
    let row = try await world.download("/disk.meta4") {
      $0.login = Login(user: "anna", password: "secret")
      $0.headers = [HeaderField(received: "X-Secret", "1")]
    }
    world.expectFile(of: row, is: Self.body)
    #expect(other.requests.allSatisfy { $0.value(of: "Authorization") == nil })
    #expect(other.requests.allSatisfy { $0.value(of: "X-Secret") == nil })
  }
}
