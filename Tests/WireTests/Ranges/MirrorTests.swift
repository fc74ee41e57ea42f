import KettleCurl
import KettleEngine
import KettleModel
import KettleScheduler
import Testing
import TestSupport

/// Several servers of one file.
struct MirrorTests {
  static let body = SeededBody(seed: 71, byteCount: 24 << 20)
  static let path = "/file.bin"
  static var truth: OriginBehavior { OriginBehavior(body).with { $0.bytesPerSecond = 4 << 20 } }

  let second: ScriptedOrigin
  let third: ScriptedOrigin

  init() throws {
    second = try ScriptedOrigin(lastByte: 2)
    third = try ScriptedOrigin(lastByte: 3)
  }

  private func mirrors() throws -> [TransferURL] {
    [try second.url(Self.path), try third.url(Self.path)]
  }

  private static func withTag(_ tag: String) -> OriginBehavior {
    truth.with { $0.entityTag = .fixed(tag) }
  }

  // Fault 21
  @Test func `a file comes from all its mirrors, with a slow and a lying one among them`()
    async throws
  {
    let world = try await WireWorld()
    world.origin.serve(Self.withTag("\"a\""), at: Self.path)
    second.serve(
      Self.withTag("\"b\"").with {
        $0.body = SeededBody(seed: 72, byteCount: Self.body.byteCount)
      }, at: Self.path)
    third.serve(Self.withTag("\"c\"").with { $0.bytesPerSecond = 1 << 20 }, at: Self.path)
    let fourth = try ScriptedOrigin(lastByte: 4)
    fourth.serve(Self.withTag("\"d\""), at: Self.path)
    let urls = try mirrors() + [try fourth.url(Self.path)]
    let row = try await world.download(Self.path) {
      $0.options.mirrors = urls
      $0.connections = 4
    }
    world.expectFile(of: row, is: Self.body)
    #expect(row.freshStart == nil)
    // The liar has shown its sample once.
    #expect(second.requests.count == 1)
    #expect(third.bytesSent > 64 << 10)
    #expect(fourth.bytesSent > 64 << 10)
    #expect(fourth.requests.dropFirst().allSatisfy { $0.value(of: "If-Range") == "\"d\"" })
  }

  @Test func `the user's headers and login go to the first server only`() async throws {
    let world = try await WireWorld()
    world.origin.serve(Self.withTag("\"a\""), at: Self.path)
    second.serve(Self.withTag("\"b\""), at: Self.path)
    third.serve(Self.withTag("\"c\""), at: Self.path)
    let urls = try mirrors()
    let row = try await world.download(Self.path) {
      $0.options.mirrors = urls
      $0.headers = [HeaderField(received: "X-Key", "secret")]
      $0.login = Login(user: "anna", password: "secret")
    }
    world.expectFile(of: row, is: Self.body)
    let first = world.origin.requests
    #expect(first.allSatisfy { $0.value(of: "X-Key") == "secret" })
    let others = second.requests + third.requests
    #expect(!others.isEmpty)
    #expect(others.allSatisfy { $0.value(of: "X-Key") == nil })
    #expect(others.allSatisfy { $0.value(of: "Authorization") == nil })
    #expect(others.allSatisfy { $0.value(of: "Cookie") == nil })
  }

  @Test func `a mirror serves the file if the URL leads nowhere`() async throws {
    let world = try await WireWorld()
    world.origin.serve(.status(404), at: Self.path)
    second.stop()
    third.serve(Self.withTag("\"c\""), at: Self.path)
    let urls = try mirrors()
    let row = try await world.download(Self.path) { $0.options.mirrors = urls }
    world.expectFile(of: row, is: Self.body)
    let states = world.told.read { Set($0.history.map(\.state)) }
    #expect(states.isDisjoint(with: [.failed, .waiting]), "\(states)")
  }

  @Test func `when every source has failed, the transfer fails with the user's URL`() async throws {
    let world = try await WireWorld()
    world.origin.serve(.status(404), at: Self.path)
    second.serve(.status(410), at: Self.path)
    third.serve(.status(404), at: Self.path)
    let urls = try mirrors()
    let row = try await world.download(Self.path) { $0.options.mirrors = urls }
    #expect(row.state == .failed)
    #expect(row.error?.subject == (try world.origin.url(Self.path).text))
  }

  @Test(arguments: [false, true])
  func `after a crash the transfer continues from its mirrors`(isFirstGone: Bool) async throws {
    let world = try await WireWorld()
    // Without its last byte, the file cannot be complete before the crash.
    let end = Self.body.byteCount - 1
    world.origin.serve(Self.withTag("\"a\"").with { $0.withheldOffset = end }, at: Self.path)
    second.serve(Self.withTag("\"b\"").with { $0.withheldOffset = end }, at: Self.path)
    third.serve(Self.withTag("\"c\"").with { $0.withheldOffset = end }, at: Self.path)
    let urls = try mirrors()
    let id = try await world.add(Self.path) { $0.options.mirrors = urls }
    try await world.wait("bytes of two servers", for: id) { $0.bytesReceived >= 7 << 20 }
    try await second.waitForBytesSent(1 << 20, at: Self.path)
    try await world.restart(after: .crash) {
      if isFirstGone {
        world.origin.serve(.status(404), at: Self.path)
      } else {
        world.origin.serve(Self.withTag("\"a\""), at: Self.path)
      }
      second.serve(Self.withTag("\"b\""), at: Self.path)
      third.serve(Self.withTag("\"c\""), at: Self.path)
    }
    let row = try await world.end(of: id, budgetMilliseconds: 40_000)
    world.expectFile(of: row, is: Self.body)
    #expect(row.freshStart == nil)
  }

  @Test func `the copies that a response names are used`() async throws {
    let world = try await WireWorld()
    let link = "<\(try second.url(Self.path).text)>; rel=duplicate; pri=1"
    world.origin.serve(
      Self.withTag("\"a\"").with { $0.headers = [HeaderField(received: "Link", link)] },
      at: Self.path)
    second.serve(Self.withTag("\"b\""), at: Self.path)
    let row = try await world.download(Self.path)
    world.expectFile(of: row, is: Self.body)
    #expect(second.bytesSent > 1 << 20)
  }

  @Test func `a public server cannot name a copy on this machine`() async throws {
    var network = WireWorld.plainNetwork
    network.knownScopes = [try #require(IPAddress("127.0.0.2")): .global]
    let world = try await WireWorld(network: network)
    let link = "<\(try third.url(Self.path).text)>; rel=duplicate"
    second.serve(
      Self.truth.with { $0.headers = [HeaderField(received: "Link", link)] }, at: Self.path)
    third.serve(Self.truth, at: Self.path)
    let row = try await world.end(of: world.add(second.url(Self.path)))
    world.expectFile(of: row, is: Self.body)
    #expect(third.connectionCount == 0)
  }
}
