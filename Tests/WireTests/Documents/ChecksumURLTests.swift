import KettleCurl
import KettleEngine
import KettleModel
import KettleScheduler
import Testing
import TestSupport

/// `--checksum-url`: the digest comes from a list on a server.
struct ChecksumURLTests {
  private static let body = SeededBody(seed: 31, byteCount: 300_000)
  private static let path = "/dir/file.bin"
  private static let listPath = "/dir/SHA256SUMS"
  private static let digest = TestDigest.hex(of: body.bytes(in: 0..<body.byteCount), .sha256) ?? ""

  private func download(
    in world: WireWorld, _ list: OriginBehavior, _ change: (inout TransferSpec) -> Void = { _ in }
  ) async throws -> TransferSnapshot {
    world.origin.serve(OriginBehavior(Self.body), at: Self.path)
    world.origin.serve(list, at: Self.listPath)
    let url = try world.origin.url(Self.listPath)
    return try await world.download(Self.path) {
      $0.options.checksumURL = url
      change(&$0)
    }
  }

  private func list(_ text: String) -> OriginBehavior {
    .status(200, text: text)
  }

  @Test func `the file is compared with its line`() async throws {
    let world = try await WireWorld()
    let digest = Self.digest
    let other = String(repeating: "0", count: 64)
    let row = try await download(in: world, list("\(other)  other.bin\n\(digest) *file.bin\n"))
    world.expectFile(of: row, is: Self.body)
    #expect(row.verifiedBy == .sha256)
    // The list comes first: a wrong one shows before the file is fetched.
    #expect(world.origin.requests.map(\.path) == [Self.listPath, Self.path])
  }

  @Test func `a list behind a redirect is followed`() async throws {
    let world = try await WireWorld()
    world.origin.serve(list("\(Self.digest)  file.bin\n"), at: "/moved")
    let row = try await download(in: world, .redirect(302, to: "/moved"))
    world.expectFile(of: row, is: Self.body)
    #expect(row.verifiedBy == .sha256)
  }

  @Test func `another digest fails, and the next start reads the list again`() async throws {
    let world = try await WireWorld()
    let wrong = String(repeating: "0", count: 64)
    let row = try await download(in: world, list("\(wrong)  file.bin\n"))
    #expect(row.error?.code == .checksumMismatch)
    #expect(world.home.finalNames == [])
    world.origin.serve(list("\(Self.digest)  file.bin\n"), at: Self.listPath)
    await world.start(row.id)
    let second = try await world.wait("the end", for: row.id) { $0.state == .completed }
    world.expectFile(of: second, is: Self.body)
  }

  @Test(arguments: [
    ("0123  file.bin", "it has no checksum"),
    (String(repeating: "a", count: 64) + "  other.bin", "it has no line for \"file.bin\""),
  ])
  func `a list without the file fails before anything is fetched`(
    text: String, detail: String
  ) async throws {
    let world = try await WireWorld()
    let row = try await download(in: world, list(text))
    #expect(row.error?.code == .checksumListUnusable)
    #expect(row.error?.detail == detail)
    #expect(world.origin.requests(at: Self.path).isEmpty)
    #expect(world.home.names == [])
  }

  @Test func `a missing list is named in the failure`() async throws {
    let world = try await WireWorld()
    let row = try await download(
      in: world, .status(404))
    #expect(row.error?.code == .httpStatus)
    #expect(row.error?.subject.hasSuffix(Self.listPath) == true)
  }

  @Test func `a server in trouble is asked for the list again`() async throws {
    let world = try await WireWorld()
    let good = list("\(Self.digest)  file.bin\n")
    world.origin.serve(OriginBehavior(Self.body), at: Self.path)
    world.origin.serve(
      [.status(503), good],
      at: Self.listPath)
    let url = try world.origin.url(Self.listPath)
    let row = try await world.download(Self.path) { $0.options.checksumURL = url }
    world.expectFile(of: row, is: Self.body)
  }

  @Test func `a list without an end is not read to its end`() async throws {
    let world = try await WireWorld()
    let long = SeededBody(seed: 1, byteCount: Int64(ChecksumList.byteCountMax) * 2)
    let row = try await download(
      in: world, OriginBehavior(long).with { $0.framing = .chunked })
    #expect(row.error?.code == .tooLong)
    #expect(world.origin.requests(at: Self.path).isEmpty)
  }
}
