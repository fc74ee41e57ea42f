import KettleCurl
import KettleEngine
import KettleModel
import Testing
import TestSupport

/// Servers that fall silent or send too slowly to ever finish.
struct CurlTransportTimeoutTests {
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

  private func timeout(_ detail: String) -> AttemptEnd {
    .failed(TransferFailure(.timedOut, on: "127.0.0.1:\(origin.port)", detail: detail))
  }

  // MARK: Silence

  // Fault 38
  @Test func `a connection that is neither established nor refused times out`() async throws {
    let hole = try BlackHole()
    let url = try TransferURL.parse("http://127.0.0.1:\(hole.port)/").get().url
    let failure = try await probe.fetch(url) { $0.timeouts.connectMilliseconds = 200 }.end.failure
    #expect(failure?.code == .timedOut)
  }

  // Fault 38
  @Test func `silence before the head times out`() async throws {
    let end = try await end(of: OriginBehavior(body).with { $0.headWaitsFor = "never" }) {
      $0.timeouts.idleMilliseconds = 200
    }
    #expect(end == timeout("no data arrived for 200 milliseconds"))
  }

  // Fault 38
  @Test func `silence in the middle of the body times out`() async throws {
    let stalling = OriginBehavior(body).with { $0.stall = .init(after: 1000, until: "never") }
    origin.serve(stalling, at: "/file")
    // Long enough for a busy machine to deliver the bytes before the silence.
    let fetched = try await probe.fetch(origin.url("/file")) {
      $0.timeouts.idleMilliseconds = 3000
    }
    #expect(fetched.end.failure?.code == .timedOut)
    #expect(fetched.bytes().elementsEqual(body.bytes(in: 0..<1000)))
  }

  @Test func `a slow body without silence continues`() async throws {
    let small = SeededBody(seed: 2, byteCount: 20_000)
    let end = try await end(of: OriginBehavior(small).with { $0.bytesPerSecond = 20_000 }) {
      $0.timeouts.idleMilliseconds = 3000
    }
    #expect(end == .complete)
  }

  @Test func `a paused attempt is not silent`() async throws {
    origin.serve(OriginBehavior(body), at: "/file")
    let id = probe.begin(try origin.url("/file")) { $0.timeouts.idleMilliseconds = 3000 }
    _ = try await probe.head(of: id)
    // A second attempt falls silent meanwhile, so both are due.
    origin.serve(OriginBehavior(body).with { $0.headWaitsFor = "never" }, at: "/never")
    let other = try await probe.fetch(origin.url("/never")) { $0.timeouts.idleMilliseconds = 4000 }
    #expect(other.end.failure?.code == .timedOut)
    let sink = RecordingSink()
    probe.transport.accept(id, into: sink)
    #expect(try await probe.end(of: id) == .complete)
    #expect(sink.bytes.elementsEqual(body.bytes))
  }

  // MARK: Slow bodies

  // Fault 37
  @Test func `a head that arrives one byte at a time times out`() async throws {
    let lines = (1...100).map { HeaderField(received: "X-\($0)", "a") }
    let end = try await end(
      of: OriginBehavior(body).with {
        $0.headers = lines
        $0.headBytesPerSecond = 500
      }
    ) {
      $0.timeouts.headMilliseconds = 400
    }
    #expect(end == timeout("its headers were not complete after 400 milliseconds"))
  }

  // Fault 37
  @Test func `interim responses do not extend the wait for the head forever`() async throws {
    let interim = "HTTP/1.1 102 Processing\r\n\r\n"
    let end = try await end(
      of: .raw(String(repeating: interim, count: 200)).with { $0.bytesPerSecond = 1000 }
    ) {
      $0.timeouts.headMilliseconds = 400
    }
    #expect(end == timeout("its headers were not complete after 400 milliseconds"))
  }

  // Fault 37
  @Test func `a body that trickles times out`() async throws {
    origin.serve(OriginBehavior(body).with { $0.bytesPerSecond = 20 }, at: "/file")
    let fetched = try await probe.fetch(origin.url("/file")) {
      $0.timeouts.slowMilliseconds = 400
      $0.timeouts.slowByteCount = 100
    }
    // Bytes received before the body was accepted are not part of the last window.
    let detail = fetched.end.failure?.detail ?? ""
    #expect(detail.wholeMatch(of: /only [0-9]{1,2} bytes came in 400 milliseconds/) != nil)
    #expect(fetched.end.failure?.code == .timedOut)
    let bytes = fetched.bytes()
    #expect(bytes.elementsEqual(body.bytes(in: 0..<Int64(bytes.count))))
  }

  @Test func `a slow body above the minimum speed continues`() async throws {
    let small = SeededBody(seed: 2, byteCount: 20_000)
    let end = try await end(of: OriginBehavior(small).with { $0.bytesPerSecond = 20_000 }) {
      $0.timeouts.slowMilliseconds = 300
      $0.timeouts.slowByteCount = 100
    }
    #expect(end == .complete)
  }

  @Test func `time spent waiting for our own limit does not count against the server`() async throws
  {
    origin.serve(OriginBehavior(body), at: "/file")
    let id = probe.begin(try origin.url("/file")) {
      $0.limitBytesPerSecond = 400
      $0.timeouts.slowMilliseconds = 2000
      $0.timeouts.slowByteCount = 5000
    }
    _ = try await probe.head(of: id)
    let sink = RecordingSink()
    probe.transport.accept(id, into: sink)
    // This takes longer than the window in which so few bytes would be too slow.
    try await sink.record.wait(for: "1000 bytes") { $0.bytes.count >= 1000 }
    probe.transport.cancel(id)
    #expect(try await probe.end(of: id) == .cancelled)
  }
}
