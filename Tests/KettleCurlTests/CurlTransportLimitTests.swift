import KettleCurl
import KettleModel
import Testing
import TestSupport

@testable import KettleEngine

/// Speed limits and satisfied sinks on the wire.
struct CurlTransportLimitTests {
  let origin: ScriptedOrigin
  let probe: TransportProbe
  let body = SeededBody(seed: 9, byteCount: 2_000_000)
  let transfer = TransferID(rawValue: 1)

  init() throws {
    origin = try ScriptedOrigin()
    probe = try TransportProbe()
    origin.serve(OriginBehavior(body), at: "/file")
  }

  // MARK: Speed

  @Test(arguments: [
    OriginBehavior.Framing.contentLength, .chunked, .chunkScript(ChunkScript(chunkByteCount: 7)),
  ])
  func `a limit holds, and every byte arrives once`(
    framing: OriginBehavior.Framing
  ) async throws {
    let small = SeededBody(seed: 3, byteCount: 300_000)
    origin.serve(OriginBehavior(small).with { $0.framing = framing }, at: "/small")
    let clock = ContinuousClock()
    let start = clock.now
    let fetched = try await probe.fetch(origin.url("/small")) {
      $0.limitBytesPerSecond = 250_000
    }
    #expect(fetched.end == .complete)
    #expect(fetched.bytes() == small.bytes)
    // 1.2 s minus the bucket's capacity.
    #expect(clock.now - start > .milliseconds(1000))
  }

  @Test func `the total limit holds for all attempts together`() async throws {
    let small = SeededBody(seed: 3, byteCount: 50_000)
    origin.serve(OriginBehavior(small), at: "/small")
    probe.transport.limitAll(toBytesPerSecond: 400_000)
    let clock = ContinuousClock()
    let start = clock.now
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 1...8 {
        group.addTask {
          let fetched = try await probe.fetch(origin.url("/small")) {
            $0.transfer = TransferID(rawValue: Int64(number))
          }
          return fetched.end == .complete && fetched.bytes() == small.bytes
        }
      }
      for try await isRight in group { #expect(isRight) }
    }
    #expect(clock.now - start > .milliseconds(800))
  }

  @Test func `waiting attempts resume when the limit is removed`() async throws {
    // At a byte per second, the body alone would take three weeks.
    probe.transport.limitAll(toBytesPerSecond: 1)
    let id = probe.begin(try origin.url("/file")) {
      $0.limitBytesPerSecond = 1
      // Shorter than the pause before each byte: a paused server is not silent.
      $0.timeouts.idleMilliseconds = 900
    }
    _ = try await probe.head(of: id)
    let sink = RecordingSink()
    probe.transport.accept(id, into: sink)
    try await sink.record.wait(for: "a first byte") { !$0.bytes.isEmpty }
    // Even a busy machine does not take a quarter of an hour to get here.
    #expect(sink.bytes.count < 1000)
    probe.transport.limit(transfer, toBytesPerSecond: nil)
    probe.transport.limitAll(toBytesPerSecond: 1 << 30)
    #expect(try await probe.end(of: id) == .complete)
    #expect(sink.bytes.elementsEqual(body.bytes))
  }

  @Test func `a limit set later applies to running attempts`() async throws {
    let id = probe.begin(try origin.url("/file"))
    _ = try await probe.head(of: id)
    let transport = probe.transport
    let sink = RecordingSink { [transfer] record in
      if record.callCount == 2 { transport.limit(transfer, toBytesPerSecond: 1) }
      return record.callCount == 2 ? .full : .taken
    }
    transport.accept(id, into: sink)
    try await sink.record.wait(for: "a full sink") { $0.fullCount == 1 }
    // Bytes that were already read are not limited.
    _ = try await probe.fetch(origin.url("/else")) { $0.transfer = TransferID(rawValue: 99) }
    let count = sink.bytes.count
    transport.resumeReceiving(id)
    try await sink.record.wait(for: "bytes under the limit") { $0.bytes.count > count }
    #expect(sink.bytes.count < count + 1000)
    transport.cancel(id)
    #expect(try await probe.end(of: id) == .cancelled)
    #expect(sink.bytes.elementsEqual(body.bytes(in: 0..<Int64(sink.bytes.count))))
  }

  @Test func `a limit set during a body applies to the next piece`() async throws {
    origin.serve(
      OriginBehavior(body).with { $0.stall = .init(after: 1_000_000, until: "limited") },
      at: "/file")
    let id = probe.begin(try origin.url("/file"))
    _ = try await probe.head(of: id)
    let sink = RecordingSink()
    probe.transport.accept(id, into: sink)
    try await sink.record.wait(for: "the first part") { $0.bytes.count == 1_000_000 }
    probe.transport.limit(transfer, toBytesPerSecond: 1)
    // After another exchange the limit applies.
    _ = try await probe.fetch(origin.url("/else")) { $0.transfer = TransferID(rawValue: 99) }
    let callCount = sink.record.read(\.callCount)
    origin.release("limited")
    try await sink.record.wait(for: "a piece under the limit") { $0.callCount > callCount }
    #expect(sink.bytes.count < 1_001_000)
    probe.transport.limit(transfer, toBytesPerSecond: nil)
    #expect(try await probe.end(of: id) == .complete)
    #expect(Int64(sink.bytes.count) == body.byteCount)
  }

  @Test func `a full sink under a limit gets every byte once`() async throws {
    let id = probe.begin(try origin.url("/file")) { $0.limitBytesPerSecond = 4_000_000 }
    _ = try await probe.head(of: id)
    let transport = probe.transport
    let sink = RecordingSink { record in
      guard record.callCount.isMultiple(of: 3) else { return .taken }
      transport.resumeReceiving(id)
      return .full
    }
    transport.accept(id, into: sink)
    #expect(try await probe.end(of: id) == .complete)
    #expect(sink.bytes.elementsEqual(body.bytes))
  }

  // MARK: Satisfied sinks

  @Test func `a satisfied sink ends the attempt and its connection`() async throws {
    let sink = RecordingSink { $0.callCount == 3 ? .satisfied : .taken }
    let fetched = try await probe.fetch(origin.url("/file"), into: sink)
    #expect(fetched.end == .satisfied)
    #expect(sink.record.read(\.callCount) == 3)
    #expect(sink.bytes.elementsEqual(body.bytes(in: 0..<Int64(sink.bytes.count))))
    _ = try await probe.fetch(origin.url("/file"))
    #expect(origin.requests.map(\.connection) == [1, 2])
  }

  @Test func `a server that sends too much is cut off`() async throws {
    origin.serve(
      OriginBehavior(body).with {
        $0.framing = .untilClose
        $0.stall = .init(after: 1_500_000, until: "never")
      }, at: "/file")
    let sink = RecordingSink { $0.bytes.count > 100_000 ? .satisfied : .taken }
    let fetched = try await probe.fetch(origin.url("/file"), into: sink)
    #expect(fetched.end == .satisfied)
    try await origin.waitForRequest("an abandoned request") { $0.progress == .abandoned }
  }

  @Test func `a sink that is satisfied with the last byte keeps the connection reusable`()
    async throws
  {
    let count = Int(body.byteCount)
    let sink = EndingSink(at: count)
    let id = probe.begin(try origin.url("/file"))
    _ = try await probe.head(of: id)
    probe.transport.accept(id, into: sink)
    #expect(try await probe.end(of: id) == .satisfied)
    _ = try await probe.fetch(origin.url("/file"))
    #expect(origin.requests.map(\.connection) == [1, 1])
    #expect(probe.endsAfterShutDown(of: id) == [.satisfied])
  }

  @Test func `a sink that was full can be satisfied`() async throws {
    let id = probe.begin(try origin.url("/file"))
    _ = try await probe.head(of: id)
    let sink = RecordingSink { $0.callCount == 1 ? .full : .satisfied }
    probe.transport.accept(id, into: sink)
    try await sink.record.wait(for: "a full sink") { $0.fullCount == 1 }
    probe.transport.resumeReceiving(id)
    #expect(try await probe.end(of: id) == .satisfied)
    #expect(probe.endsAfterShutDown(of: id) == [.satisfied])
  }
}

/// A sink that is satisfied with its last byte.
private final class EndingSink: ByteSink {
  private let count: Int
  private let received = Monitor(0)

  init(at count: Int) { self.count = count }

  func receive(_ bytes: UnsafeRawBufferPointer) -> SinkAnswer {
    received.update { received in
      received += bytes.count
      return received >= count ? .satisfied : .taken
    }
  }
}
