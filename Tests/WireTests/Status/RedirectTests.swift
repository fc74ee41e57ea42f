import KettleEngine
import KettleModel
import KettleScheduler
import Testing
import TestSupport

/// Which redirects are followed, and how many in a row.
struct RedirectTests {
  let body = SeededBody(seed: 43, byteCount: 1 << 20)

  // Fault 46
  @Test func `twenty redirects are followed and a twenty-first is not`() async throws {
    let world = try await WireWorld()
    world.origin.serve(OriginBehavior(body), at: "/file.bin")
    world.origin.serveRedirects(20, from: "/twenty.bin", to: "/file.bin")
    world.origin.serveRedirects(21, from: "/more.bin", to: "/file.bin")
    let row = try await world.download("/twenty.bin")
    world.expectFile(of: row, is: body)
    let refused = try await world.download("/more.bin")
    #expect(refused.state == .failed)
    #expect(refused.error?.code == .tooManyRedirects)
  }

  // Fault 46
  @Test(arguments: [1, 8])
  func `a redirect loop fails after twenty redirects`(connections: Int) async throws {
    let world = try await WireWorld()
    world.origin.serve(.redirect(to: "/b"), at: "/a")
    world.origin.serve(.redirect(to: "/a"), at: "/b")
    let row = try await world.download("/a") { $0.connections = connections }
    #expect(row.state == .failed)
    #expect(row.error?.code == .tooManyRedirects)
    #expect(world.origin.requests.count == 21)
  }

  // Fault 46
  @Test(arguments: [1, 8])
  func `a redirect loop mid-transfer loses no received bytes`(connections: Int) async throws {
    let world = try await WireWorld()
    let body = SeededBody(seed: 44, byteCount: 3 << 20)
    let truth = OriginBehavior(body)
    let row = try await world.interruptedDownload(truth, connections: connections) { _ in
      .redirect(to: WireWorld.path)
    }
    #expect(row.state == .failed)
    #expect(world.origin.requests.count < 80)
    try await world.expectNoFile(of: row.id, only: body)
    #expect(row.bytesReceived >= WireWorld.firstByteCount)
  }

  // Fault 47
  @Test(arguments: [
    "file:///etc/passwd", "ftp://127.0.0.1/x", "ftps://127.0.0.1/x", "sftp://127.0.0.1/x",
    "gopher://127.0.0.1:70/_x", "data:,hello",
    "javascript:alert(1)", "unix:///run/x.sock", "ldap://127.0.0.1/", "dict://127.0.0.1:2628/",
    "scp://127.0.0.1/x", "FILE:///etc/passwd", "blob:http://127.0.0.1/x",
  ])
  func `redirects to schemes other than http and https are refused`(location: String) async throws {
    let world = try await WireWorld()
    world.origin.serve(.redirect(to: location), at: WireWorld.path)
    let row = try await world.download(WireWorld.path)
    #expect(row.state == .failed)
    #expect(row.error?.code == .redirectRefused)
    #expect(world.origin.requests.count == 1)
    #expect(world.home.names == [])
  }

  // Fault 51
  @Test(arguments: [
    "", "http://", "http:////", "http:///x", "///", "http://[::1", "http://127.0.0.1:99999/",
    "http://127.0.0.1:0x50/", "//", "http://a b/", "http://127.0.0.1:-1/",
    String(repeating: "a", count: 64 << 10),
  ])
  func `a malformed redirect location is refused`(location: String) async throws {
    let world = try await WireWorld { $0.retryPolicy.retryCountMax = 1 }
    world.origin.serve(.redirect(to: location), at: WireWorld.path)
    let row = try await world.download(WireWorld.path)
    #expect(row.state == .failed)
    #expect(world.origin.requests.count <= 2)
    #expect(world.home.names == [])
  }

  // Fault 51
  @Test(arguments: ["\0", "\r", "\u{1B}[31m", "\u{7F}"])
  func `a redirect location with a control byte is neither followed nor shown raw`(
    byte: String
  ) async throws {
    let world = try await WireWorld { $0.retryPolicy.retryCountMax = 1 }
    world.origin.serve(OriginBehavior(body), at: "/x")
    world.origin.serve(
      .raw(
        "HTTP/1.1 302 Found\r\nLocation: /x\(byte)y\r\nContent-Length: 0\r\n\r\n"),
      at: WireWorld.path)
    let row = try await world.download(WireWorld.path)
    #expect(row.state == .failed)
    let shown = try #require(row.error?.sentence)
    #expect(shown.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 127 }, "\(shown)")
  }

  // Fault 51
  @Test func `a redirect with two locations is refused`() async throws {
    let world = try await WireWorld()
    world.origin.serve(OriginBehavior(body), at: "/x")
    world.origin.serve(
      OriginBehavior.redirect(to: "/x").with {
        $0.headers = [HeaderField(received: "Location", "/y")]
      }, at: WireWorld.path)
    let row = try await world.download(WireWorld.path)
    #expect(row.state == .failed)
    #expect(world.origin.requests.count == 1)
  }

  // Fault 46
  // Fault 92
  @Test(arguments: [301, 302, 303, 307, 308], [1, 8])
  func `every redirect status is followed and does not change the file name`(
    status: Int, connections: Int
  ) async throws {
    let world = try await WireWorld()
    let body = SeededBody(seed: 45, byteCount: 4 << 20)
    world.origin.serve(.redirect(status, to: "/elsewhere/evil.sh?x"), at: "/good.bin")
    world.origin.serve(
      OriginBehavior(body).with { $0.bytesPerSecond = 16 << 20 }, at: "/elsewhere/evil.sh")
    let row = try await world.download("/good.bin") { $0.connections = connections }
    world.expectFile(of: row, is: body)
    #expect(world.home.names == ["good.bin"])
  }
}
