import KettleCurl
import KettleEngine
import KettleModel
import KettleScheduler
import Testing
import TestSupport

/// Redirects from a public server to this machine. 127.0.0.2 counts as public here.
struct InnerRedirectTests {
  let inner: ScriptedOrigin
  let outer: ScriptedOrigin
  let body = SeededBody(seed: 55, byteCount: 300_000)

  init() throws {
    inner = try ScriptedOrigin()
    outer = try ScriptedOrigin(lastByte: 2)
    inner.serve(OriginBehavior(body), at: "/file.bin")
  }

  private func world(_ names: [String: String] = [:]) async throws -> WireWorld {
    var network = WireWorld.plainNetwork
    network.knownScopes = [try #require(IPAddress("127.0.0.2")): .global]
    network.knownAddresses = names.map { "\($0.key):\(inner.port):\($0.value)" }
    return try await WireWorld(network: network)
  }

  private func innerURL(_ host: String) -> String { "http://\(host):\(inner.port)/file.bin" }

  // Fault 54
  @Test(arguments: [
    "127.0.0.1", "0ｘ7f.1", "x.ｌｏｃａｌｈｏｓｔ", "localhost", "localhost.localdomain", "nas.home.arpa.",
    "rebound.example", "[::ffff:127.0.0.1]", "2130706433",
  ])
  func `a public server cannot redirect to this machine under any spelling`(
    host: String
  ) async throws {
    let names = ["localhost.localdomain", "nas.home.arpa.", "rebound.example"]
    let world = try await world(
      Dictionary(uniqueKeysWithValues: names.map { ($0, "127.0.0.1") }))
    outer.serve(.redirect(to: innerURL(host)), at: "/a.bin")
    let row = try await world.end(of: world.add(outer.url("/a.bin")))
    #expect(row.state == .failed)
    #expect(row.error?.code == .redirectRefused)
    #expect(row.error?.subject == (try outer.url("/a.bin").text))
    #expect(inner.connectionCount == 0)
    #expect(outer.requests.count == 1)
    #expect(world.home.names == [])
  }

  // Fault 54
  @Test func `a redirect chain through a public server cannot reach this machine`() async throws {
    let world = try await world()
    let second = try ScriptedOrigin(lastByte: 2)
    outer.serve(.redirect(to: try second.url("/b.bin").text), at: "/a.bin")
    second.serve(.redirect(to: innerURL("127.0.0.1")), at: "/b.bin")
    let row = try await world.end(of: world.add(outer.url("/a.bin")))
    #expect(row.error?.code == .redirectRefused)
    #expect(inner.connectionCount == 0)
  }

  // Fault 54
  @Test func `a local URL and its redirect to a local server are fetched`() async throws {
    let world = try await world()
    world.origin.serve(.redirect(to: innerURL("127.0.0.1")), at: "/a.bin")
    let row = try await world.download("/a.bin")
    world.expectFile(of: row, is: body)
  }

  // Fault 54
  @Test(arguments: [307, 308])
  func `an upload does not follow a public server's redirect to this machine`(status: Int)
    async throws
  {
    let world = try await world()
    outer.serve(.redirect(status, to: innerURL("127.0.0.1")), at: "/up")
    let id = try await world.add(outer.url("/up")) {
      $0.request = RequestContent(
        method: "POST", body: .bytes(Base64Bytes(Array("secret".utf8))))
    }
    let row = try await world.end(of: id)
    #expect(row.error?.code == .redirectRefused)
    #expect(inner.connectionCount == 0)
  }

  // Fault 54
  @Test(arguments: [WireWorld.End.shutDown, .crash])
  func `a redirect to this machine after a restart is refused`(
    end: WireWorld.End
  ) async throws {
    let world = try await world()
    let mirror = try ScriptedOrigin(lastByte: 2)
    let body = SeededBody(seed: 56, byteCount: 4 << 20)
    // It is gone after the restart, so that the user's URL is asked again.
    mirror.serve(
      [OriginBehavior(body).stuck(after: 2 << 20), .status(410)], at: "/m.bin")
    outer.serve(
      [
        .redirect(to: try mirror.url("/m.bin").text), .redirect(to: innerURL("127.0.0.1")),
      ], at: "/a.bin")
    let id = try await world.add(outer.url("/a.bin")) { $0.connections = 1 }
    try await world.wait("a megabyte", for: id) { $0.bytesReceived >= 1 << 20 }
    try await world.restart(after: end)
    let row = try await world.end(of: id)
    #expect(row.error?.code == .redirectRefused)
    #expect(inner.connectionCount == 0)
    try await world.expectNoFile(of: id, only: body)
  }
}
