import KettleEngine
import KettleModel
import KettleScheduler
import Testing
import TestSupport

/// Pages in place of the file, compressed responses, and unusual bytes before and after a body.
struct WrongPageTests {
  let body = SeededBody(seed: 23, byteCount: 4 << 20)
  var truth: OriginBehavior {
    OriginBehavior(body).with {
      $0.bytesPerSecond = 16 << 20
      $0.headers = [HeaderField(received: "Content-Type", "application/octet-stream")]
    }
  }

  enum Page: Sendable, CaseIterable {
    case error, login

    var behavior: OriginBehavior {
      switch self {
      case .error: .status(200, text: "<html><title>Error</title>Try again later.</html>")
      // Like a captive portal, which answers every request with a redirect to its own page.
      case .login: .redirect(to: "/portal")
      }
    }
  }

  // Fault 31
  // Fault 32
  @Test(arguments: Page.allCases, [1, 8])
  func `an HTML page with status 200 never becomes the file and loses no bytes`(
    page: Page, connections: Int
  ) async throws {
    let world = try await WireWorld { $0.retryPolicy.retryCountMax = 3 }
    world.origin.serve(.status(200, text: "<html>Log in to go on.</html>"), at: "/portal")
    let row = try await world.interruptedDownload(truth, connections: connections) { _ in
      page.behavior
    }
    #expect(row.state != .completed)
    #expect(row.bytesReceived >= WireWorld.firstByteCount)
    try await world.expectNoFile(of: row.id, only: body)
    world.origin.serve(truth, at: WireWorld.path)
    await world.start(row.id)
    try await world.wait("completion", for: row.id) { $0.state == .completed }
    let finished = try #require(world.row(of: row.id))
    world.expectFile(of: finished, is: body)
    #expect(finished.freshStart == nil)
  }

  // Fault 31
  @Test func `a page in place of an image waits for a decision, and can be accepted`() async throws
  {
    let world = try await WireWorld()
    let page = "<html><head><title>Please log in</title></head></html>"
    let answer =
      "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
      + "Content-Length: \(page.utf8.count)\r\n\r\n" + page
    world.origin.serve(.raw(answer), at: "/disk.iso")
    let id = try await world.add("/disk.iso")
    let row = try await world.wait("the title", for: id) { $0.error?.detail != nil }
    #expect(row.state == .waiting)
    #expect(row.reason == .needsDecision)
    #expect(row.error?.detail == "Please log in")
    #expect(world.home.finalNames == [])
    #expect(await world.engine.control(.accept, [id]) == [.applied])
    try await world.wait("completion", for: id) { $0.state == .completed }
    #expect(world.home.bytes(of: "disk.iso") == Array(page.utf8))
  }

  // Fault 33
  // Fault 34
  @Test(arguments: ["gzip", "br", "deflate, gzip", "gzip, gzip, gzip", "zstd"])
  func `a response with an unrequested content encoding is stored as it was sent`(
    coding: String
  ) async throws {
    let world = try await WireWorld { $0.retryPolicy.retryCountMax = 2 }
    let coded = truth.with { $0.headers = [HeaderField(received: "Content-Encoding", coding)] }
    world.origin.serve(coded, at: WireWorld.path)
    let row = try await world.download(WireWorld.path) { $0.connections = 8 }
    #expect(row.state == .completed)
    #expect(row.contentCoding == coding)
    #expect(world.home.finalNames == [String(WireWorld.path.dropFirst())])
  }

  // Fault 35
  @Test(arguments: [
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
    "HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\nETag: \"no\"\r\n\r\n"
      + "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-A\r\n\r\n"
      + "5\r\nhello\r\n0\r\nX-A: 1\r\nContent-Length: 99\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;name=value\r\nhello\r\n0\r\n\r\n",
    "HTTP/1.0 200 OK\r\n\r\nhello",
  ])
  func `interim responses, trailers and chunk extensions are not part of the body`(reply: String)
    async throws
  {
    let world = try await WireWorld()
    world.origin.serve(.raw(reply), at: WireWorld.path)
    let row = try await world.download(WireWorld.path)
    #expect(row.state == .completed)
    #expect(world.home.bytes(of: "file.bin") == Array("hello".utf8))
  }

  // Fault 35
  // Fault 36
  @Test(arguments: [
    "hello, this is HTTP/0.9\r\n", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nhello",
    "HTTP/3.7 200 OK\r\nContent-Length: 5\r\n\r\nhello", "ICY 200 OK\r\n\r\nhello", "\0\0\0\0",
    "HTTP/1.1 99 Low\r\nContent-Length: 5\r\n\r\nhello",
  ])
  func `a reply that is not valid HTTP produces no file`(reply: String) async throws {
    let world = try await WireWorld {
      $0.retryPolicy.retryCountMax = 2
      $0.timeouts.idleMilliseconds = 500
    }
    world.origin.serve(.raw(reply), at: WireWorld.path)
    let row = try await world.download(WireWorld.path)
    #expect(row.state == .failed)
    #expect(world.home.finalNames == [])
  }

  // Fault 36
  @Test(arguments: [1, 8])
  func `a reply that is not valid HTTP loses no received bytes`(connections: Int) async throws {
    let world = try await WireWorld()
    let truth = self.truth
    let row = try await world.interruptedDownload(truth, connections: connections) {
      $0.numberForPath <= 2 ? .raw("hello, this is HTTP/0.9\r\n") : truth
    }
    world.expectFile(of: row, is: body)
    #expect(row.freshStart == nil)
  }
}
