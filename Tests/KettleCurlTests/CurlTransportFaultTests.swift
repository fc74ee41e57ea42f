import KettleCurl
import KettleEngine
import KettleModel
import Testing
import TestSupport

/// Servers that disconnect, send wrong responses or fall silent.
struct CurlTransportFaultTests {
  let origin: ScriptedOrigin
  let probe: TransportProbe
  let body = SeededBody(seed: 11, byteCount: 500_000)

  init() throws {
    origin = try ScriptedOrigin()
    probe = try TransportProbe()
  }

  private func end(
    of behavior: OriginBehavior, _ change: (inout AttemptRequest) -> Void = { _ in }
  ) async throws -> AttemptEnd {
    origin.serve(behavior, at: "/file")
    return try await probe.fetch(origin.url("/file"), change).end
  }

  // MARK: Malformed bodies connections

  // Fault 24
  @Test func `a body shorter than its length is truncated`() async throws {
    origin.serve(
      OriginBehavior(body).with { $0.ending = .cut(after: 100_000, .fin) }, at: "/file")
    let fetched = try await probe.fetch(origin.url("/file"))
    #expect(fetched.end.failure?.code == .truncated)
    #expect(fetched.end.failure?.subject == "127.0.0.1:\(origin.port)")
    #expect(fetched.bytes().elementsEqual(body.bytes(in: 0..<100_000)))
  }

  // Fault 27
  @Test func `chunks without the last one are truncated`() async throws {
    let end = try await end(of: OriginBehavior(body).with { $0.framing = .chunkedWithoutEnd })
    #expect(end.failure?.code == .truncated)
  }

  // Fault 27
  @Test(arguments: ["zz", "-5", "ffffffffffffffffff"])
  func `a chunk without a size breaks the protocol`(size: String) async throws {
    let end = try await end(
      of: OriginBehavior(body).with { $0.framing = .chunkedMalformed(size) })
    #expect(end.failure?.code == .protocolBroken)
  }

  // Fault 25
  @Test func `a reset in the middle of a body loses the connection`() async throws {
    // The reset is sent after the first bytes; if it arrives before them, the effect is the same.
    origin.serve(
      OriginBehavior(body).with { $0.stall = .init(after: 100_000, until: "never") }, at: "/file")
    let id = probe.begin(try origin.url("/file"))
    _ = try await probe.head(of: id)
    let sink = RecordingSink()
    probe.transport.accept(id, into: sink)
    try await sink.record.wait(for: "100,000 bytes") { $0.bytes.count == 100_000 }
    origin.cutConnections(.reset)
    let failure = try await probe.end(of: id).failure
    #expect(failure?.code == .connectionLost)
    #expect(failure?.detail == "Connection reset by peer")
  }

  // Fault 26
  @Test func `a reset after bytes of unknown total loses the connection`() async throws {
    origin.serve(
      OriginBehavior(body).with {
        $0.framing = .untilClose
        $0.stall = .init(after: 100_000, until: "never")
      }, at: "/file")
    let id = probe.begin(try origin.url("/file"))
    _ = try await probe.head(of: id)
    let sink = RecordingSink()
    probe.transport.accept(id, into: sink)
    try await sink.record.wait(for: "100,000 bytes") { $0.bytes.count == 100_000 }
    origin.cutConnections(.reset)
    #expect(try await probe.end(of: id).failure?.code == .connectionLost)
  }

  @Test func `a server that closes without a response loses the connection`() async throws {
    let end = try await end(of: .nothing(.fin))
    #expect(end.failure?.code == .connectionLost)
  }

  // Fault 5
  @Test func `bytes after the announced end are not delivered`() async throws {
    origin.serve(OriginBehavior(body).with { $0.ending = .excess(1000) }, at: "/file")
    let fetched = try await probe.fetch(origin.url("/file"))
    #expect(fetched.end == .complete)
    #expect(fetched.bytes().elementsEqual(body.bytes))
  }

  // MARK: Failed connections

  @Test func `a refused connection is reported as refused`() async throws {
    let closed = try ScriptedOrigin()
    closed.stop()
    let end = try await probe.fetch(closed.url("/file")).end
    #expect(end.failure?.code == .connectionRefused)
    #expect(end.failure?.subject == "127.0.0.1:\(closed.port)")
    #expect(end.failure?.detail == "Connection refused")
  }

  // Fault 64
  @Test func `an unknown host is reported as not found`() async throws {
    let url = try TransferURL.parse("http://nothing.invalid/file").get().url
    let end = try await probe.fetch(url).end
    #expect(end == .failed(TransferFailure(.hostNotFound, on: "nothing.invalid")))
  }

  @Test func `a host with non-ASCII letters is looked up`() async throws {
    let url = try TransferURL.parse("http://bücher.invalid/file").get().url
    let end = try await probe.fetch(url).end
    #expect(end.failure?.code == .hostNotFound)
  }

  @Test func `a certificate file that cannot be read is named`() async throws {
    let text = "https://127.0.0.1:\(origin.port)/file"
    let url = try TransferURL.parse(text).get().url
    let end = try await probe.fetch(url) { $0.caCertificatePath = "/nonexistent/authority.pem" }.end
    #expect(
      end
        == .failed(TransferFailure(.certificateFileUnusable, on: "/nonexistent/authority.pem")))
    for (path, detail) in [
      ("/dev/zero", "it is not a regular file"), ("/tmp", "it is not a regular file"),
    ] {
      #expect(
        try await probe.fetch(url) { $0.caCertificatePath = path }.end
          == .failed(TransferFailure(.certificateFileUnusable, on: path, detail: detail)))
    }
  }

  // Fault 61
  @Test func `a server that speaks no TLS is refused over https`() async throws {
    // It waits for the empty line of a request, which a TLS greeting does not have.
    let text = "https://127.0.0.1:\(origin.port)/file"
    let url = try TransferURL.parse(text).get().url
    let end = try await probe.fetch(url) { $0.timeouts.connectMilliseconds = 300 }.end
    #expect(end.failure?.code == .timedOut)
  }
}
