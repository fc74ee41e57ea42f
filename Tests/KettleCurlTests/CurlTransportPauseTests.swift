import KettleCurl
import KettleEngine
import KettleModel
import Testing
import TestSupport

/// Sinks that are full or fail, and attempts that are cancelled.
struct CurlTransportPauseTests {
  let origin: ScriptedOrigin
  let probe: TransportProbe
  let body = SeededBody(seed: 5, byteCount: 5_000_000)

  init() throws {
    origin = try ScriptedOrigin()
    probe = try TransportProbe()
  }

  // MARK: Full sinks

  @Test(arguments: [
    OriginBehavior.Framing.contentLength, .chunked, .chunkScript(ChunkScript()), .untilClose,
  ])
  func `a sink that is full repeatedly gets every byte once`(
    framing: OriginBehavior.Framing
  ) async throws {
    origin.serve(OriginBehavior(body).with { $0.framing = framing }, at: "/file")
    let id = probe.begin(try origin.url("/file"))
    _ = try await probe.head(of: id)
    // Even while it is already full.
    let sink = RecordingSink { $0.callCount.isMultiple(of: 3) ? .full : .taken }
    probe.transport.accept(id, into: sink)
    // It resumes each time it was full, even after the last byte.
    var seen = RecordingSink.Record()
    while seen.bytes.count < body.byteCount {
      let fullCount = seen.fullCount
      seen = try await sink.record.wait(for: "a full sink, or the last byte") {
        [body] in $0.fullCount > fullCount || $0.bytes.count == body.byteCount
      }
      probe.transport.resumeReceiving(id)
    }
    #expect(try await probe.end(of: id) == .complete)
    #expect(seen.fullCount > 10)
    #expect(sink.bytes.elementsEqual(body.bytes))
  }

  @Test func `a full sink gets what was already read and nothing more until it resumes`()
    async throws
  {
    origin.serve(OriginBehavior(body), at: "/file")
    let id = probe.begin(try origin.url("/file"))
    _ = try await probe.head(of: id)
    let sink = RecordingSink { $0.callCount == 2 ? .full : .taken }
    probe.transport.accept(id, into: sink)
    try await sink.record.wait(for: "a full sink") { $0.fullCount == 1 }
    _ = try await probe.fetch(origin.url("/else"))
    let count = sink.bytes.count
    #expect(count <= 2 * 16_384 + (1 << 20), "no more than the buffer of libcurl")
    _ = try await probe.fetch(origin.url("/else"))
    #expect(sink.bytes.count == count)
    probe.transport.resumeReceiving(id)
    #expect(try await probe.end(of: id) == .complete)
    #expect(sink.bytes.elementsEqual(body.bytes))
  }

  @Test(arguments: [SinkAnswer.taken, .full, .satisfied])
  func `a sink that was full does not delay the end of a complete body`(
    lastAnswer: SinkAnswer
  ) async throws {
    // Two pieces that arrive in one read, because the server sends them in one write.
    let small = SeededBody(seed: 6, byteCount: 20_000)
    origin.serve(
      OriginBehavior(small).with { $0.stall = .init(after: 0, until: "go") }, at: "/small")
    let id = probe.begin(try origin.url("/small"))
    _ = try await probe.head(of: id)
    let sink = RecordingSink { $0.callCount == 1 ? .full : lastAnswer }
    probe.transport.accept(id, into: sink)
    origin.release("go")
    #expect(try await probe.end(of: id) == (lastAnswer == .satisfied ? .satisfied : .complete))
    #expect(sink.record.read(\.callCount) == 2)
    #expect(sink.bytes.elementsEqual(small.bytes))
    _ = try await probe.fetch(origin.url("/small"))
    #expect(origin.requests.map(\.connection) == [1, 1])
  }

  @Test func `resuming an attempt that is not paused changes nothing`() async throws {
    origin.serve(OriginBehavior(body), at: "/file")
    let id = probe.begin(try origin.url("/file"))
    probe.transport.resumeReceiving(id)
    _ = try await probe.head(of: id)
    probe.transport.resumeReceiving(id)
    let sink = RecordingSink()
    probe.transport.accept(id, into: sink)
    probe.transport.resumeReceiving(id)
    #expect(try await probe.end(of: id) == .complete)
    probe.transport.resumeReceiving(id)
    #expect(sink.bytes.elementsEqual(body.bytes))
    #expect(probe.endsAfterShutDown(of: id) == [.complete])
  }

  // MARK: Failing sinks

  @Test(arguments: [1, 2, 20])
  func `a sink that fails ends the attempt`(failingCall: Int) async throws {
    origin.serve(OriginBehavior(body), at: "/file")
    let sink = RecordingSink { $0.callCount == failingCall ? .failed : .taken }
    let fetched = try await probe.fetch(origin.url("/file"), into: sink)
    #expect(fetched.end == .sinkFailed)
    #expect(sink.record.read(\.callCount) == failingCall)
  }

  @Test func `a sink that fails after it was full ends the attempt`() async throws {
    origin.serve(OriginBehavior(body), at: "/file")
    let id = probe.begin(try origin.url("/file"))
    _ = try await probe.head(of: id)
    let sink = RecordingSink { $0.callCount == 1 ? .full : .failed }
    probe.transport.accept(id, into: sink)
    try await sink.record.wait(for: "a full sink") { $0.fullCount == 1 }
    probe.transport.resumeReceiving(id)
    #expect(try await probe.end(of: id) == .sinkFailed)
    #expect(probe.endsAfterShutDown(of: id) == [.sinkFailed])
  }

  // MARK: Cancelling

  @Test func `cancelling at once ends the attempt once`() async throws {
    origin.serve(OriginBehavior(body), at: "/file")
    let id = probe.begin(try origin.url("/file"))
    probe.transport.cancel(id)
    #expect(try await probe.end(of: id) == .cancelled)
    probe.transport.cancel(id)
    #expect(probe.endsAfterShutDown(of: id) == [.cancelled])
  }

  @Test func `cancelling while the server is busy ends the attempt once`() async throws {
    origin.serve(OriginBehavior(body).with { $0.headWaitsFor = "never" }, at: "/file")
    let id = probe.begin(try origin.url("/file"))
    try await origin.waitForRequests(1)
    probe.transport.cancel(id)
    #expect(try await probe.end(of: id) == .cancelled)
    // The connection is closed too: no other attempt may get this response.
    try await origin.waitForRequest("an abandoned request") { $0.progress == .abandoned }
    #expect(probe.endsAfterShutDown(of: id) == [.cancelled])
  }

  @Test func `cancelling after the head ends the attempt once`() async throws {
    origin.serve(OriginBehavior(body), at: "/file")
    let id = probe.begin(try origin.url("/file"))
    _ = try await probe.head(of: id)
    probe.transport.cancel(id)
    #expect(try await probe.end(of: id) == .cancelled)
    probe.transport.accept(id, into: RecordingSink())
    #expect(probe.endsAfterShutDown(of: id) == [.cancelled])
  }

  @Test func `cancelling a response without a body ends the attempt once`() async throws {
    origin.serve(.status(204), at: "/none")
    let id = probe.begin(try origin.url("/none"))
    _ = try await probe.head(of: id)
    _ = try await probe.fetch(origin.url("/else"))
    probe.transport.cancel(id)
    #expect(probe.endsAfterShutDown(of: id) == [.cancelled])
  }

  @Test func `cancelling with a full sink ends the attempt once`() async throws {
    origin.serve(OriginBehavior(body), at: "/file")
    let id = probe.begin(try origin.url("/file"))
    _ = try await probe.head(of: id)
    let sink = RecordingSink { $0.callCount < 4 ? .taken : .full }
    probe.transport.accept(id, into: sink)
    try await sink.record.wait(for: "a full sink") { $0.fullCount >= 1 }
    probe.transport.cancel(id)
    #expect(try await probe.end(of: id) == .cancelled)
    #expect(probe.endsAfterShutDown(of: id) == [.cancelled])
    #expect(sink.bytes.count <= 4 * 16_384 + (1 << 20), "no more than the buffer of libcurl")
  }

  @Test func `cancelling in the middle ends the attempt once`() async throws {
    // It makes no progress, no matter how long the machine takes to cancel.
    origin.serve(
      OriginBehavior(body).with { $0.stall = .init(after: 20_000, until: "never") }, at: "/file")
    let id = probe.begin(try origin.url("/file"))
    _ = try await probe.head(of: id)
    let sink = RecordingSink()
    probe.transport.accept(id, into: sink)
    try await sink.record.wait(for: "the first bytes") { !$0.bytes.isEmpty }
    probe.transport.cancel(id)
    #expect(try await probe.end(of: id) == .cancelled)
    #expect(probe.endsAfterShutDown(of: id) == [.cancelled])
  }

  @Test func `the handler of an event may call the transport`() async throws {
    origin.serve(OriginBehavior(body), at: "/file")
    let handed = Monitor<TransportProbe?>(nil)
    let probe = try TransportProbe { event in
      if case .headReceived(let id, _, _, _) = event { handed.read { $0?.transport.cancel(id) } }
    }
    handed.update { $0 = probe }
    let id = probe.begin(try origin.url("/file"))
    #expect(try await probe.end(of: id) == .cancelled)
    handed.update { $0 = nil }
    #expect(probe.endsAfterShutDown(of: id) == [.cancelled])
  }
}
