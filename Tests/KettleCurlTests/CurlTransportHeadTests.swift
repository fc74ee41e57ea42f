import KettleCurl
import KettleEngine
import KettleModel
import Testing
import TestSupport

/// Request and response heads on the wire.
struct CurlTransportHeadTests {
  let origin: ScriptedOrigin
  let probe: TransportProbe
  let body = SeededBody(seed: 13, byteCount: 1000)

  init() throws {
    origin = try ScriptedOrigin()
    probe = try TransportProbe()
  }

  private func fetch(raw text: String) async throws -> TransportProbe.Fetched {
    origin.serve(.raw(text), at: "/raw")
    return try await probe.fetch(origin.url("/raw"))
  }

  private func expectBroken(
    _ raw: String, _ detail: String, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let fetched = try await fetch(raw: raw)
    #expect(fetched.head == nil, sourceLocation: sourceLocation)
    #expect(fetched.end.failure?.code == .protocolBroken, sourceLocation: sourceLocation)
    #expect(fetched.end.failure?.detail == detail, sourceLocation: sourceLocation)
  }

  // MARK: Requests

  @Test func `exactly the expected headers are sent`() async throws {
    origin.serve(OriginBehavior(body), at: "/file")
    _ = try await probe.fetch(origin.url("/file?a=b")) {
      $0.headers = [
        HeaderField(name: "Range", value: "bytes=5-"),
        HeaderField(name: "If-Range", value: "\"tag\""),
        HeaderField(name: "X-Empty", value: ""),
      ].compactMap { $0 }
    }
    let request = try #require(origin.requests.first)
    #expect(request.method == "GET")
    #expect(request.query == "a=b")
    #expect(
      request.headers.map { $0.name + ": " + $0.value } == [
        "Host: 127.0.0.1:\(origin.port)", "User-Agent: Kettle/test", "Accept: */*",
        "Range: bytes=5-", "If-Range: \"tag\"", "X-Empty: ", "Accept-Encoding: identity",
      ])
  }

  @Test func `headers of the request replace those of the transport`() async throws {
    origin.serve(OriginBehavior(body), at: "/file")
    _ = try await probe.fetch(origin.url("/file")) {
      $0.headers = [
        HeaderField(name: "user-agent", value: "Mine"),
        HeaderField(name: "ACCEPT-ENCODING", value: "br"),
        HeaderField(name: "Accept", value: "text/html"),
      ].compactMap { $0 }
    }
    let request = try #require(origin.requests.first)
    #expect(request.values(of: "User-Agent") == ["Mine"])
    #expect(request.values(of: "Accept-Encoding") == ["br"])
    #expect(request.values(of: "Accept") == ["text/html"])
  }

  // Fault 58
  @Test func `a header with a line break is never sent`() async throws {
    let end = try await probe.fetch(origin.url("/file")) {
      $0.headers = [HeaderField(received: "X-A", "1\r\nX-B: 2")]
    }.end
    #expect(end.failure?.code == .internalProblem)
    #expect(origin.connectionCount == 0)
  }

  @Test func `the path is sent as given`() async throws {
    _ = try await probe.fetch(origin.url("/a/../b/./c%20d"))
    #expect(origin.requests.map(\.path) == ["/a/../b/./c%20d"])
  }

  // MARK: Login

  @Test func `a login answers the server's challenge`() async throws {
    origin.serve(
      OriginBehavior(body).with { $0.login = Login(user: "me", password: "secret:ä") },
      at: "/file")
    let fetched = try await probe.fetch(origin.url("/file")) {
      $0.login = Login(user: "me", password: "secret:ä")
    }
    #expect(fetched.head?.status == 200)
    #expect(fetched.bytes().elementsEqual(body.bytes))
    #expect(fetched.end == .complete)
    #expect(origin.requests.map { $0.value(of: "Authorization") != nil } == [false, true])
  }

  // Fault 52
  @Test(arguments: [nil, Login(user: "me", password: "wrong")])
  func `a login that the server rejects ends in a 401`(login: Login?) async throws {
    origin.serve(
      OriginBehavior(body).with { $0.login = Login(user: "me", password: "right") }, at: "/file")
    let fetched = try await probe.fetch(origin.url("/file")) { $0.login = login }
    #expect(fetched.head?.status == 401)
    #expect(String(decoding: fetched.bytes(), as: UTF8.self) == "Who are you?")
    #expect(fetched.end == .complete)
    #expect(origin.requests.count == (login == nil ? 1 : 2))
  }

  @Test func `a 401 without a body is reported`() async throws {
    origin.serve(.status(401), at: "/file")
    let fetched = try await probe.fetch(origin.url("/file"))
    #expect(fetched.head?.status == 401)
    #expect(fetched.end == .complete)
  }

  // Fault 49
  @Test func `a connection with a login is not shared`() async throws {
    origin.serve(OriginBehavior(body), at: "/file")
    let login = Login(user: "me", password: "secret")
    for login in [nil, login, nil, login, nil] {
      _ = try await probe.fetch(origin.url("/file")) { $0.login = login }
    }
    let connections = origin.requests.map(\.connection)
    #expect(connections[0] == connections[2] && connections[2] == connections[4])
    #expect(Set(connections).count == 3)
  }

  // MARK: Responses

  // Fault 35
  @Test func `interim responses are skipped`() async throws {
    let fetched = try await fetch(
      raw: "HTTP/1.1 100 Continue\r\nX-Not: this\r\n\r\nHTTP/1.1 103 Early Hints\r\n"
        + "Link: </a>\r\n\r\nHTTP/1.1 200 OK\r\nX-This: one\r\nContent-Length: 2\r\n\r\nhi")
    #expect(
      fetched.head
        == ResponseHead(
          status: 200,
          headers: [
            HeaderField(received: "X-This", "one"), HeaderField(received: "Content-Length", "2"),
          ]))
    #expect(fetched.bytes() == Array("hi".utf8))
  }

  // Fault 35
  @Test func `an unrequested protocol switch fails the attempt`() async throws {
    let fetched = try await fetch(
      raw: "HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n"
        + "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
    #expect(fetched.head == nil)
    #expect(fetched.end.failure != nil)
  }

  // Fault 36
  @Test func `an HTTP 1.0 response is complete at the end of the connection`() async throws {
    let fetched = try await fetch(raw: "HTTP/1.0 200 OK\r\nX-A: 1\r\n\r\nhello")
    #expect(fetched.end == .complete)
    #expect(String(decoding: fetched.bytes(), as: UTF8.self) == "hello")
  }

  // Fault 51
  @Test func `two Location headers are reported as two`() async throws {
    let fetched = try await fetch(
      raw: "HTTP/1.1 302 Found\r\nLocation: /a\r\nLocation: //evil/b\r\nContent-Length: 0\r\n\r\n")
    #expect(
      fetched.head?.headers.filter { $0.name == "Location" }.map(\.value) == ["/a", "//evil/b"])
  }

  // Fault 51
  @Test(arguments: ["/a\rX-B: 1", "/a\0b", "/a\u{1B}[2J"])
  func `a Location with a control byte breaks the protocol`(location: String) async throws {
    let fetched = try await fetch(
      raw: "HTTP/1.1 302 Found\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n")
    #expect(fetched.head == nil)
    #expect(fetched.end.failure?.code == .protocolBroken)
  }

  // Fault 52
  @Test func `a Digest challenge is answered without sending the password`() async throws {
    let question =
      "HTTP/1.1 401 Who?\r\nWWW-Authenticate: Basic realm=\"a\"\r\n"
      + "WWW-Authenticate: Digest realm=\"a\", nonce=\"b\", qop=\"auth\", algorithm=SHA-256\r\n"
      + "Content-Length: 0\r\n\r\n"
    origin.serve(
      [.raw(question), OriginBehavior(body)], at: "/file")
    let fetched = try await probe.fetch(origin.url("/file")) {
      $0.login = Login(user: "me", password: "secret")
    }
    #expect(fetched.bytes().elementsEqual(body.bytes))
    let sent = origin.requests.compactMap { $0.value(of: "Authorization") }
    #expect(sent.count == 1)
    #expect(sent.first?.hasPrefix("Digest username=\"me\"") == true)
  }

  // Fault 52
  @Test func `a server that keeps requesting a login is not answered forever`() async throws {
    origin.serve(
      .status(
        401,
        headers: [
          HeaderField(
            received: "WWW-Authenticate", "Digest realm=\"a\", nonce=\"b\", stale=true")
        ]), at: "/file")
    let fetched = try await probe.fetch(origin.url("/file")) {
      $0.login = Login(user: "me", password: "secret")
    }
    #expect(fetched.end.failure?.code == .loginNeeded)
    #expect(fetched.end.failure?.detail == "it keeps asking for a login")
    #expect(origin.requests.count == 8)
  }

  // Fault 35
  @Test func `trailers are not headers`() async throws {
    let fetched = try await fetch(
      raw: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nX-Late: 1\r\n\r\n")
    #expect(fetched.head?.headers.map(\.name) == ["Transfer-Encoding"])
    #expect(fetched.end == .complete)
  }

  // Fault 28
  @Test func `a length of 63 bits is reported unchanged`() async throws {
    let fetched = try await fetch(
      raw: "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\nhi")
    #expect(fetched.head?.value(of: "Content-Length") == "9223372036854775807")
    #expect(fetched.end.failure?.code == .truncated)
  }

  // Fault 28
  @Test(arguments: [
    "9223372036854775808", "-1", "+5", "5x", "0x10", "", "5,", "99999999999999999999",
  ])
  func `an invalid length is a protocol error`(length: String) async throws {
    let fetched = try await fetch(raw: "HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\nhi")
    #expect(fetched.head == nil)
    #expect(fetched.end.failure?.code == .protocolBroken)
  }

  // Fault 28
  @Test func `two different lengths break the protocol`() async throws {
    try await expectBroken(
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nhi",
      "it has two different Content-Length headers")
  }

  @Test func `a repeated equal length is accepted`() async throws {
    let fetched = try await fetch(
      raw: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nhi")
    #expect(fetched.end == .complete)
  }

  // Fault 33
  @Test func `an unrequested transfer coding breaks the protocol`() async throws {
    try await expectBroken(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
      "it uses a transfer coding that was not requested")
  }

  // Fault 59
  @Test(arguments: [1, 8, 11, 13, 27, 31, 127])
  func `a control byte in a header breaks the protocol`(byte: Int) async throws {
    let control = Character(Unicode.Scalar(UInt8(byte)))
    try await expectBroken(
      "HTTP/1.1 200 OK\r\nX-A: a\(control)b\r\nContent-Length: 2\r\n\r\nhi",
      "a header contains a control character")
  }

  // Fault 59
  @Test func `a NUL in a header breaks the protocol`() async throws {
    let fetched = try await fetch(raw: "HTTP/1.1 200 OK\r\nX-A: a\0b\r\n\r\nhi")
    #expect(fetched.end.failure?.code == .protocolBroken)
  }

  // Fault 57
  @Test func `too many headers break the protocol`() async throws {
    let lines = (1...600).map { "X-\($0): a\r\n" }.joined()
    try await expectBroken(
      "HTTP/1.1 200 OK\r\n\(lines)\r\nhi", "it has more than 500 header lines")
  }

  // Fault 57
  @Test func `endless interim responses are a protocol error`() async throws {
    let replies = String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 1000)
    try await expectBroken(replies, "it has more than 500 header lines")
  }

  // Fault 57
  @Test func `headers that are too long break the protocol`() async throws {
    let line = "X-A: " + String(repeating: "a", count: 60_000) + "\r\n"
    try await expectBroken(
      "HTTP/1.1 200 OK\r\n" + line + line + line + line + line + "\r\nhi",
      "its headers are longer than 256 KiB")
  }

  // Fault 57
  @Test func `an endless header line breaks the protocol`() async throws {
    let fetched = try await fetch(
      raw: "HTTP/1.1 200 OK\r\nX-A: " + String(repeating: "a", count: 1_000_000))
    #expect(fetched.head == nil)
    #expect(fetched.end.failure?.code == .protocolBroken)
  }

  // Fault 36
  @Test(arguments: ["hello\r\n", "SSH-2.0-OpenSSH_9.2\r\n", "HTTP/1.1 abc OK\r\n\r\n"])
  func `a response that is not HTTP is a protocol error`(text: String) async throws {
    let fetched = try await fetch(raw: text)
    #expect(fetched.head == nil)
    #expect(fetched.end.failure?.code == .protocolBroken)
  }
}
