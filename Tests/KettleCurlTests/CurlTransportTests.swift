import KettleCurl
import KettleEngine
import KettleModel
import Testing
import TestSupport

/// Complete exchanges over the loopback interface.
struct CurlTransportTests {
  let origin: ScriptedOrigin
  let probe: TransportProbe
  let body = SeededBody(seed: 7, byteCount: 3_000_001)

  init() throws {
    origin = try ScriptedOrigin()
    probe = try TransportProbe()
  }

  @Test func `a body arrives complete after its head`() async throws {
    origin.serve(OriginBehavior(body), at: "/file")
    let fetched = try await probe.fetch(origin.url("/file"))
    #expect(fetched.head?.status == 200)
    #expect(fetched.head?.value(of: "content-length") == "3000001")
    #expect(fetched.end == .complete)
    #expect(fetched.bytes().elementsEqual(body.bytes))
  }

  @Test func `no body bytes are delivered before the body is accepted`() async throws {
    origin.serve(OriginBehavior(body), at: "/file")
    let id = probe.begin(try origin.url("/file"))
    _ = try await probe.head(of: id)
    #expect(probe.reported.read { $0.ends(of: id) } == [])
    let sink = RecordingSink()
    probe.transport.accept(id, into: sink)
    #expect(try await probe.end(of: id) == .complete)
    #expect(sink.bytes.elementsEqual(body.bytes))
    #expect(probe.reported.read { $0.headCount(of: id) } == 1)
  }

  @Test func `the head is reported although the body has not begun`() async throws {
    origin.serve(
      OriginBehavior(body).with { $0.stall = .init(after: 0, until: "go") }, at: "/slow")
    let id = probe.begin(try origin.url("/slow"))
    #expect(try await probe.head(of: id).status == 200)
    let sink = RecordingSink()
    probe.transport.accept(id, into: sink)
    origin.release("go")
    #expect(try await probe.end(of: id) == .complete)
    #expect(sink.bytes.elementsEqual(body.bytes))
  }

  // Fault 29
  @Test(arguments: [204, 304])
  func `a response without a body ends when it is accepted`(status: Int) async throws {
    origin.serve(.status(status), at: "/none")
    let id = probe.begin(try origin.url("/none"))
    #expect(try await probe.head(of: id).status == status)
    // Another exchange completes while the end of the first is still pending.
    _ = try await probe.fetch(origin.url("/else"))
    #expect(probe.reported.read { $0.ends(of: id) } == [])
    probe.transport.accept(id, into: RecordingSink())
    #expect(try await probe.end(of: id) == .complete)
  }

  // Fault 29
  @Test func `an empty file is a complete file`() async throws {
    origin.serve(OriginBehavior(SeededBody(seed: 1, byteCount: 0)), at: "/empty")
    let fetched = try await probe.fetch(origin.url("/empty"))
    #expect(fetched.end == .complete)
    #expect(fetched.bytes() == [])
  }

  @Test func `a redirect is reported and not followed`() async throws {
    origin.serve(.redirect(302, to: "/file"), at: "/moved")
    origin.serve(OriginBehavior(body), at: "/file")
    let fetched = try await probe.fetch(origin.url("/moved"))
    #expect(fetched.head?.status == 302)
    #expect(fetched.head?.value(of: "Location") == "/file")
    #expect(fetched.end == .complete)
    #expect(origin.requests.map(\.path) == ["/moved"])
  }

  @Test func `an error page is a body like any other`() async throws {
    origin.serve(.status(404, text: "<html>gone</html>"), at: "/gone")
    let fetched = try await probe.fetch(origin.url("/gone"))
    #expect(fetched.head?.status == 404)
    #expect(String(decoding: fetched.bytes(), as: UTF8.self) == "<html>gone</html>")
    #expect(fetched.end == .complete)
  }

  @Test func `a range is sent as requested and received as sent`() async throws {
    origin.serve(OriginBehavior(body), at: "/file")
    let range = try #require(HeaderField(name: "Range", value: "bytes=1000-1999"))
    let fetched = try await probe.fetch(origin.url("/file")) { $0.headers = [range] }
    #expect(fetched.head?.status == 206)
    #expect(fetched.head?.value(of: "Content-Range") == "bytes 1000-1999/3000001")
    #expect(fetched.bytes().elementsEqual(body.bytes(in: 1000..<2000)))
  }

  // Fault 30
  @Test func `the last bytes of a tebibyte are received as requested`() async throws {
    let vast = SeededBody(seed: 5, byteCount: 1 << 40)
    origin.serve(OriginBehavior(vast), at: "/vast")
    let first = vast.byteCount - 100_000
    let range = try #require(HeaderField(name: "Range", value: "bytes=\(first)-"))
    let fetched = try await probe.fetch(origin.url("/vast")) { $0.headers = [range] }
    #expect(
      fetched.head?.value(of: "Content-Range")
        == "bytes \(first)-\(vast.byteCount - 1)/\(vast.byteCount)")
    #expect(fetched.end == .complete)
    #expect(fetched.bytes() == vast.bytes(in: first..<vast.byteCount))
  }

  // Fault 33
  @Test func `content coding is passed on unchanged`() async throws {
    let coding = try #require(HeaderField(name: "Content-Encoding", value: "gzip"))
    origin.serve(OriginBehavior(body).with { $0.headers = [coding] }, at: "/lie")
    let fetched = try await probe.fetch(origin.url("/lie"))
    #expect(fetched.bytes().elementsEqual(body.bytes))
    #expect(fetched.end == .complete)
  }

  // Fault 26
  @Test(arguments: [OriginBehavior.Framing.chunked, .untilClose])
  func `a body without a length is complete at its end`(
    framing: OriginBehavior.Framing
  ) async throws {
    origin.serve(OriginBehavior(body).with { $0.framing = framing }, at: "/file")
    let fetched = try await probe.fetch(origin.url("/file"))
    #expect(fetched.end == .complete)
    #expect(fetched.bytes().elementsEqual(body.bytes))
  }

  @Test func `a connection serves one request after another`() async throws {
    origin.serve(OriginBehavior(body), at: "/file")
    for _ in 1...3 {
      #expect(try await probe.fetch(origin.url("/file")).end == .complete)
    }
    #expect(Set(origin.requests.map(\.connection)) == [1])
  }

  @Test func `a hundred concurrent attempts all end correctly`() async throws {
    let small = SeededBody(seed: 3, byteCount: 200_000)
    origin.serve(OriginBehavior(small), at: "/file")
    let url = try origin.url("/file")
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 1...100 {
        group.addTask { [probe] in
          let fetched = try await probe.fetch(url)
          return fetched.end == .complete && fetched.bytes() == small.bytes
        }
      }
      for try await isRight in group { #expect(isRight) }
    }
    #expect(probe.reported.read { $0.count } == 200)
  }

  @Test func `events of an attempt arrive in order on one thread`() async throws {
    origin.serve(OriginBehavior(body), at: "/file")
    for _ in 1...5 { _ = try await probe.fetch(origin.url("/file")) }
    probe.transport.shutDown()
    let kinds = probe.reported.read { events in
      events.map { if case .headReceived = $0 { "head" } else { "end" } }
    }
    #expect(kinds == Array(repeating: ["head", "end"], count: 5).flatMap { $0 })
  }
}
