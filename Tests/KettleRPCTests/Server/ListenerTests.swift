import Glibc
import KettleRPC
import Testing

/// The port of the RPC over real sockets.
@Suite(.timeLimit(.minutes(5)))
struct ListenerTests {
  /// Runs a listener whose responses repeat the requests.
  private func withListener(
    _ limits: RPCListener.Limits = .init(),
    respond: @escaping @Sendable (RPCExchange) -> Void = ListenerTests.echo,
    _ body: (RPCListener) async throws -> Void
  ) async throws {
    let listener = try await RPCListener.start(
      port: 0, door: RequestDoor(allowedOrigins: ["http://page.example"]), limits: limits)
    let serving = Task { for await exchange in listener.exchanges { respond(exchange) } }
    do {
      try await body(listener)
    } catch {
      await listener.close()
      throw error
    }
    await listener.close()
    await serving.value
  }

  @Sendable private static func echo(_ exchange: RPCExchange) {
    let bytes =
      switch exchange.request {
      case .json(let bytes), .xml(let bytes): bytes
      case .query(let text): Array(text.utf8)
      }
    let isXML = if case .xml = exchange.request { true } else { false }
    exchange.respond(
      RPCResponse(httpStatus: 200, mediaType: isXML ? .xml : .json, bytes: bytes))
  }

  private func post(
    _ body: String, path: String = "/jsonrpc", host: String = "localhost", _ more: String = ""
  ) -> String {
    "POST \(path) HTTP/1.1\r\nHost: \(host)\r\nContent-Length: \(body.utf8.count)\r\n\(more)\r\n"
      + body
  }

  @Test func `requests of one connection are answered in order`() async throws {
    try await withListener { listener in
      let client = try LoopbackClient(port: listener.port)
      client.send(post("one") + post("two") + post("three", path: "/rpc"))
      for (body, type) in [
        ("one", "application/json-rpc"), ("two", "application/json-rpc"), ("three", "text/xml"),
      ] {
        let response = try await client.readResponse()
        #expect(response.head.hasPrefix("HTTP/1.1 200"))
        #expect(response.head.contains("Content-Type: \(type)\r\n"))
        #expect(response.body == body)
      }
      client.send("GET /jsonrpc?method=m&id=1 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
      #expect(try await client.readResponse().body == "method=m&id=1")
    }
  }

  // Fault 122
  @Test(arguments: [
    ("POST /other HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n", "404"),
    ("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "404"),
    ("DELETE /jsonrpc HTTP/1.1\r\nHost: localhost\r\n\r\n", "405"),
    ("GET /jsonrpc HTTP/1.1\r\nHost: evil.example\r\n\r\n", "403"),
    ("GET /jsonrpc HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example\r\n\r\n", "403"),
    ("GET /jsonrpc HTTP/1.1\r\n\r\n", "403"),
    (
      "POST /jsonrpc HTTP/1.1\r\nHost: localhost\r\nContent-Length: 17000000\r\n\r\n", "413"
    ),
  ])
  func `other requests are refused`(request: String, status: String) async throws {
    try await withListener { listener in
      let client = try LoopbackClient(port: listener.port)
      client.send(request)
      let response = try await client.readResponse()
      #expect(response.head.hasPrefix("HTTP/1.1 \(status) "), "\(response.head)")
      #expect(!response.head.contains("Access-Control-Allow-Origin"))
    }
  }

  @Test func `a body without a length is bounded`() async throws {
    var limits = RPCListener.Limits()
    limits.messageByteCountMax = 1000
    try await withListener(limits) { listener in
      let client = try LoopbackClient(port: listener.port)
      client.send(
        "POST /jsonrpc HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
          + "7d0\r\n" + String(repeating: "x", count: 2000) + "\r\n0\r\n\r\n")
      #expect(try await client.readResponse().head.hasPrefix("HTTP/1.1 413 "))
    }
  }

  @Test func `all messages together are bounded`() async throws {
    var limits = RPCListener.Limits()
    limits.pendingByteCountMax = 1500
    try await withListener(limits) { listener in
      let first = try LoopbackClient(port: listener.port)
      let head = "POST /jsonrpc HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2000\r\n\r\n"
      first.send(head + String(repeating: "x", count: 2000))
      #expect(try await first.readResponse().head.hasPrefix("HTTP/1.1 503 "))
      // What was received of it does not count any longer.
      let second = try LoopbackClient(port: listener.port)
      second.send(post(String(repeating: "y", count: 1400)))
      #expect(try await second.readResponse().head.hasPrefix("HTTP/1.1 200 "))
    }
  }

  // Fault 124
  @Test func `an allowed page may ask first`() async throws {
    try await withListener { listener in
      let client = try LoopbackClient(port: listener.port)
      client.send(
        "OPTIONS /jsonrpc HTTP/1.1\r\nHost: localhost\r\nOrigin: http://page.example\r\n"
          + "Access-Control-Request-Headers: content-type\r\n"
          + "Access-Control-Request-Private-Network: true\r\n\r\n"
          + post("x", "Origin: http://page.example\r\n"))
      let preflight = try await client.readResponse().head
      for line in [
        "HTTP/1.1 204 ", "Access-Control-Allow-Origin: http://page.example\r\n",
        "Access-Control-Allow-Methods: POST, GET, OPTIONS\r\n",
        "Access-Control-Allow-Headers: content-type\r\n", "Access-Control-Max-Age: ",
        "Access-Control-Allow-Private-Network: true\r\n",
      ] {
        #expect(preflight.contains(line), "\(preflight)")
      }
      #expect(
        try await client.readResponse().head
          .contains("Access-Control-Allow-Origin: http://page.example\r\n"))
    }
  }

  @Test func `a refused client is disconnected`() async throws {
    try await withListener(respond: { $0.refuse() }) { listener in
      let client = try LoopbackClient(port: listener.port)
      client.send(post("x"))
      #expect(await client.readToEnd() == "")
    }
  }

  @Test func `more connections than allowed are closed at once`() async throws {
    var limits = RPCListener.Limits()
    limits.connectionCountMax = 1
    try await withListener(limits) { listener in
      let first = try LoopbackClient(port: listener.port)
      first.send(post("x"))
      #expect(try await first.readResponse().body == "x")
      let second = try LoopbackClient(port: listener.port)
      #expect(await second.readToEnd() == "")
      first.send(post("y"))
      #expect(try await first.readResponse().body == "y")
    }
  }

  @Test func `a port that is in use is a problem`() async throws {
    try await withListener { listener in
      do throws(RPCListener.Problem) {
        let second = try await RPCListener.start(
          port: listener.port, door: RequestDoor(allowedOrigins: []))
        await second.close()
        Issue.record("a second listener has the port")
      } catch {
        #expect((error.port, error.code) == (listener.port, EADDRINUSE))
      }
    }
  }

  // MARK: WebSocket

  private func socket(_ listener: RPCListener) async throws -> LoopbackClient {
    let client = try LoopbackClient(port: listener.port)
    client.upgrade()
    let head = try await client.readResponse().head
    try #require(head.hasPrefix("HTTP/1.1 101 "), "\(head)")
    // RFC 6455, section 1.3.
    #expect(head.lowercased().contains("sec-websocket-accept: s3pplmbitxaq9kygzzhzrbk+xoo="))
    return client
  }

  @Test func `messages of a socket are answered in order`() async throws {
    try await withListener { listener in
      let client = try await socket(listener)
      for number in 0..<50 { client.sendFrame(1, "message \(number)") }
      for number in 0..<50 { #expect(try await client.readText() == "message \(number)") }
    }
  }

  @Test func `fragments, pings and a close have their answers`() async throws {
    try await withListener { listener in
      let client = try await socket(listener)
      client.sendFrame(1, "one ", isLast: false)
      client.sendFrame(9, "ping")
      client.sendFrame(0, "two")
      let pong = try await client.readFrame()
      #expect(pong.opcode == 10)
      #expect(pong.payload == Array("ping".utf8))
      #expect(try await client.readText() == "one two")
      client.sendFrame(8, "")
      #expect(try await client.readFrame().opcode == 8)
      #expect(await client.readToEnd() == "")
    }
  }

  @Test(
    arguments: [
      ("8", "/jsonrpc", nil, "426"), ("13", "/other", nil, "404"),
      ("13", "/jsonrpc", "http://evil.example", "403"),
    ] as [(String, String, String?, String)])
  func `another handshake is refused`(
    version: String, path: String, origin: String?, status: String
  ) async throws {
    try await withListener { listener in
      let client = try LoopbackClient(port: listener.port)
      client.upgrade(version: version, path: path, origin: origin)
      let head = try await client.readResponse().head
      #expect(head.hasPrefix("HTTP/1.1 \(status) "), "\(head)")
    }
  }

  @Test func `bytes that are no text close the socket`() async throws {
    try await withListener { listener in
      let client = try await socket(listener)
      client.sendFrame(2, "binary")
      #expect(try await client.readFrame().opcode == 8)
    }
  }

  @Test func `notifications go to the audience`() async throws {
    try await withListener(
      respond: { exchange in
        exchange.client.joinAudience()
        ListenerTests.echo(exchange)
      }
    ) { listener in
      let page = try LoopbackClient(port: listener.port)
      page.upgrade(origin: "http://page.example")
      _ = try await page.readResponse()
      // A program of this user is told without another word.
      let program = try await socket(listener)
      program.sendFrame(1, "a")
      #expect(try await program.readText() == "a")
      listener.notify("first")
      #expect(try await program.readText() == "\"first\"")
      page.sendFrame(1, "x")
      #expect(try await page.readText() == "x")
      listener.notify("second")
      #expect(try await page.readText() == "\"second\"")
      #expect(try await program.readText() == "\"second\"")
    }
  }
}
