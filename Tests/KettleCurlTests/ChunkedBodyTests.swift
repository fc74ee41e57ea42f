import KettleCurl
import KettleEngine
import KettleModel
import Testing
import TestSupport

/// Chunked bodies on the wire, byte by byte.
struct ChunkedBodyTests {
  let origin: ScriptedOrigin
  let probe: TransportProbe
  private static let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

  init() throws {
    origin = try ScriptedOrigin()
    probe = try TransportProbe()
  }

  private func fetch(_ chunks: String, behind head: String = head) async throws
    -> TransportProbe.Fetched
  {
    origin.serve(.raw(head + chunks), at: "/raw")
    return try await probe.fetch(origin.url("/raw"))
  }

  // MARK: Malformed bodies

  static let broken = [
    "6\r\nhello\r\n0\r\n\r\n", "f\r\nhello\r\n6\r\nworld!\r\n0\r\n\r\n", "4\r\nhello\r\n0\r\n\r\n",
    "0x5\r\nhello\r\n0\r\n\r\n", " 5\r\nhello\r\n0\r\n\r\n", "+5\r\nhello\r\n0\r\n\r\n",
    "5;ext\nhello\r\n0\r\n\r\n", "5\nhello\r\n0\r\n\r\n", "5\r\nhello\n0\r\n\r\n",
    "8000000000000005\r\nhello\r\n0\r\n\r\n", "00000000000000005\r\nhello\r\n0\r\n\r\n",
    "5\r\nhello\r\n0\n\n", "5\r\nhello\r\n0\r\nbad\r\n\r\n",
  ]

  // Fault 27
  @Test(arguments: broken)
  func `malformed chunks never complete a body`(chunks: String) async throws {
    let fetched = try await fetch(chunks)
    #expect(fetched.end.failure?.code == .protocolBroken)
  }

  // Fault 27
  @Test(arguments: broken)
  func `malformed chunks in an accepted body are reported with their defect`(
    chunks: String
  ) async throws {
    origin.serve(
      .raw(Self.head + chunks).with {
        $0.stall = .init(after: Int64(Self.head.utf8.count), until: "accepted")
      }, at: "/raw")
    let id = probe.begin(try origin.url("/raw"))
    _ = try await probe.head(of: id)
    probe.transport.accept(id, into: RecordingSink())
    origin.release("accepted")
    let failure = try await probe.end(of: id).failure
    #expect(failure?.code == .protocolBroken)
    #expect(failure?.detail?.hasPrefix("its chunks are malformed: a ") == true)
  }

  // Fault 27
  @Test(arguments: [
    "5\r\nhello\r\n0\r\n", "5\r\nhello\r\n0\r\n\r", "5\r\nhello\r\n0\r\nA: b\r\n", "",
  ])
  func `chunks that end before the final line break are truncated`(chunks: String) async throws {
    let fetched = try await fetch(chunks)
    #expect(fetched.end.failure?.code == .truncated)
  }

  // MARK: Valid bodies

  // Fault 35
  @Test(arguments: [
    "5\r\nhello\r\n0\r\n\r\n", "5\r\nhello\r\n0\r\nA: b\r\nC: d\r\n\r\n",
    "2;a=\"b\"\r\nhe\r\n0003 \r\nllo\r\n00;c\r\n\r\n",
  ])
  func `sizes, extensions and trailers are not data`(chunks: String) async throws {
    for _ in 1...2 {
      origin.serve(.raw(Self.head + chunks).with { $0.staysOpenBehindRaw = true }, at: "/raw")
      let fetched = try await probe.fetch(origin.url("/raw"))
      #expect(fetched.end == .complete)
      #expect(fetched.bytes() == Array("hello".utf8))
    }
    #expect(origin.requests.map(\.connection) == [1, 1], "the connection is used again")
  }

  @Test func `bytes after the last chunk are not data, and their connection is not reused`()
    async throws
  {
    origin.serve(
      .raw(Self.head + "5\r\nhello\r\n0\r\n\r\n5\r\nworld\r\n").with {
        $0.staysOpenBehindRaw = true
      }, at: "/raw")
    for _ in 1...2 {
      let fetched = try await probe.fetch(origin.url("/raw"))
      #expect(fetched.end == .complete)
      #expect(fetched.bytes() == Array("hello".utf8))
    }
    #expect(origin.requests.map(\.connection) == [1, 2])
  }

  @Test func `the last chunk ends a body whose coding libcurl does not recognize`() async throws {
    // libcurl 7.88 does not read folded lines, and would wait for the end of the connection.
    origin.serve(
      .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding:\r\n chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")
        .with { $0.staysOpenBehindRaw = true }, at: "/raw")
    let fetched = try await probe.fetch(origin.url("/raw"))
    #expect(fetched.end == .complete)
    #expect(fetched.bytes() == Array("hello".utf8))
  }

  @Test(arguments: ["identity, chunked", "chunked, identity", "Chunked"])
  func `chunks are decoded once regardless of other codings`(coding: String) async throws {
    let fetched = try await fetch(
      "5\r\nhello\r\n0\r\n\r\n",
      behind: "HTTP/1.1 200 OK\r\nTransfer-Encoding: \(coding)\r\n\r\n")
    #expect(fetched.end == .complete)
    #expect(fetched.bytes() == Array("hello".utf8))
  }

  @Test func `a body with identity coding is accepted unchanged`() async throws {
    let fetched = try await fetch(
      "5\r\nhello\r\n", behind: "HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n\r\n")
    #expect(fetched.end == .complete)
    #expect(fetched.bytes() == Array("5\r\nhello\r\n".utf8))
  }

  @Test(arguments: [204, 304])
  func `a status without a body has no chunks`(status: Int) async throws {
    let fetched = try await fetch(
      "", behind: "HTTP/1.1 \(status) None\r\nTransfer-Encoding: chunked\r\n\r\n")
    #expect(fetched.end == .complete)
  }

  @Test func `a HEAD response has no chunks`() async throws {
    let body = SeededBody(seed: 1, byteCount: 100)
    origin.serve(OriginBehavior(body).with { $0.framing = .chunkedWithoutEnd }, at: "/raw")
    let fetched = try await probe.fetch(origin.url("/raw")) {
      $0.content = RequestContent(method: "HEAD")
    }
    #expect(fetched.end == .complete)
  }

  // Fault 52
  @Test func `a login challenge may be chunked, and so may the response`() async throws {
    let question =
      "HTTP/1.1 401 Who?\r\nWWW-Authenticate: Digest realm=\"a\", nonce=\"b\", qop=\"auth\"\r\n"
      + "Transfer-Encoding: chunked\r\n\r\n3\r\nwho\r\n0\r\nA: b\r\n\r\n"
    let answer = Self.head + "5\r\nhello\r\n0\r\n\r\n"
    origin.serve(
      [.raw(question).with { $0.staysOpenBehindRaw = true }, .raw(answer)], at: "/login")
    let fetched = try await probe.fetch(origin.url("/login")) {
      $0.login = Login(user: "me", password: "secret")
    }
    #expect(fetched.end == .complete)
    #expect(fetched.bytes() == Array("hello".utf8))
    origin.serve(.raw(question), at: "/refused")
    let refused = try await probe.fetch(origin.url("/refused"))
    #expect(refused.head?.status == 401)
    #expect(refused.bytes() == Array("who".utf8))
  }

  // MARK: Pauses

  private static let sample = "5;a=b\r\nhello\r\n6\r\n world\r\n0\r\nX: y\r\n\r\n"

  // Fault 27
  @Test(arguments: 0...sample.utf8.count)
  func `a full sink gets every byte once wherever the body is cut`(cut: Int) async throws {
    origin.serve(
      .raw(Self.head + Self.sample).with {
        $0.stall = .init(after: Int64(Self.head.utf8.count + cut), until: "go")
      }, at: "/raw")
    let id = probe.begin(try origin.url("/raw"))
    _ = try await probe.head(of: id)
    let sink = RecordingSink { _ in .full }
    probe.transport.accept(id, into: sink)
    origin.release("go")
    var seen = RecordingSink.Record()
    while seen.bytes.count < 11 {
      let fullCount = seen.fullCount
      seen = try await sink.record.wait(for: "a full sink") { $0.fullCount > fullCount }
      probe.transport.resumeReceiving(id)
    }
    #expect(try await probe.end(of: id) == .complete)
    #expect(sink.bytes == Array("hello world".utf8))
  }
}
