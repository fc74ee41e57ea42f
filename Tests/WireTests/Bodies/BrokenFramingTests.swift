import KettleEngine
import KettleModel
import KettleScheduler
import Testing
import TestSupport

/// Chunked replies with broken framing, and how the download continues after them.
struct BrokenFramingTests {
  let body = SeededBody(seed: 40, byteCount: 60_000)
  var truth: OriginBehavior { OriginBehavior(body) }

  static let flaws: [ChunkScript.Flaw] = [
    .announcedTooLong(by: 1), .announcedTooLong(by: 10), .announcedTooShort(by: 10),
    .sizePrefix("0x"), .sizePrefix(" "), .lineFeedInExtension, .noLineEnd, .noLastChunk,
  ]

  /// Stalls midway, so that bytes are written before the flaw arrives.
  private func broken(
    _ flaw: ChunkScript.Flaw, chunkByteCount: Int = 1000, at offset: Int64 = 20_000
  ) -> OriginBehavior {
    truth.with {
      $0.framing = .chunkScript(
        ChunkScript(chunkByteCount: chunkByteCount, flaw: flaw, at: offset))
      $0.stall = .init(after: offset, until: "written")
    }
  }

  /// Serves the given responses and then the truth, and releases each stalled one when its bytes
  /// have arrived.
  private func download(
    _ answers: [OriginBehavior], in world: WireWorld, upTo byteCount: Int64 = 20_000,
    _ change: (inout TransferSpec) -> Void = { _ in }
  ) async throws -> TransferSnapshot {
    world.origin.serve(answers + [truth], at: WireWorld.path)
    let id = try await world.add(WireWorld.path, change)
    try await world.wait("bytes", for: id) { $0.bytesReceived >= byteCount }
    world.origin.release("written")
    return try await world.end(of: id)
  }

  // Fault 27
  @Test(arguments: flaws, [1000, 40_000])
  func `bytes of a reply with broken chunks are not in the file`(
    flaw: ChunkScript.Flaw, chunkByteCount: Int
  ) async throws {
    let world = try await WireWorld()
    let row = try await download([broken(flaw, chunkByteCount: chunkByteCount)], in: world)
    world.expectFile(of: row, is: body)
  }

  // Fault 18
  // Fault 27
  @Test func `a 416 does not complete a file with bytes of a broken chunk`()
    async throws
  {
    let world = try await WireWorld()
    // As many bytes as the file has are decoded before the flaw is detected.
    let row = try await download(
      [broken(.lineFeedInExtension, chunkByteCount: 40_000)], in: world)
    world.expectFile(of: row, is: body)
  }

  // Fault 28
  @Test(arguments: ["60000", "59990"])
  func `broken chunks are discarded even beside a Content-Length`(length: String) async throws {
    let world = try await WireWorld()
    let broken = broken(.announcedTooLong(by: 10)).with {
      $0.headers = [HeaderField(received: "Content-Length", length)]
    }
    world.expectFile(of: try await download([broken], in: world), is: body)
  }

  // Fault 28
  @Test func `chunks that contradict a Content-Length never produce a file`() async throws {
    let world = try await WireWorld { $0.retryPolicy.retryCountMax = 2 }
    world.origin.serve(
      truth.with {
        $0.framing = .chunkScript(ChunkScript())
        $0.headers = [HeaderField(received: "Content-Length", "59990")]
      }, at: WireWorld.path)
    let row = try await world.download(WireWorld.path)
    #expect(row.state == .failed)
    try await world.expectNoFile(of: row.id, only: body)
  }

  // Fault 11
  // Fault 27
  @Test func `a chunked range with an overlong last chunk is discarded`()
    async throws
  {
    let world = try await WireWorld()
    // The range seems complete because it includes the line end and the size of the last chunk.
    let wrong = broken(.announcedTooLong(by: 5), chunkByteCount: 29_995, at: 10_000)
    let cut = truth.with { $0.ending = .cut(after: 20_000, .fin) }
    let row = try await download([cut, wrong], in: world, upTo: 30_000)
    world.expectFile(of: row, is: body)
  }

  // Fault 27
  @Test func `bytes of an unfinished chunked reply are fetched again after a pause or a crash`()
    async throws
  {
    for end in [nil, WireWorld.End.shutDown, .crash] {
      let world = try await WireWorld()
      world.origin.serve(broken(.announcedTooLong(by: 10)), at: WireWorld.path)
      let id = try await world.add(WireWorld.path)
      try await world.wait("bytes", for: id) { $0.bytesReceived >= 20_000 }
      if let end {
        try await world.restart(after: end) { world.origin.serve(truth, at: WireWorld.path) }
      } else {
        await world.pause(id)
        #expect(try await world.record(of: id).resumeData?.durable == ByteRangeSet())
        let history = try #require(await world.engine.details(of: id)).history.map(\.text)
        #expect(history.contains { $0.hasPrefix("Discarded 20000 bytes: ") }, "\(history)")
        world.origin.serve(truth, at: WireWorld.path)
        await world.start(id)
      }
      world.expectFile(of: try await world.end(of: id), is: body)
    }
  }
}
