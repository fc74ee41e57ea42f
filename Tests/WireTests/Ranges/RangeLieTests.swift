import KettleEngine
import KettleModel
import KettleScheduler
import Testing
import TestSupport

/// Wrong replies to range requests: none of their bytes may get into the file.
struct RangeLieTests {
  let body = SeededBody(seed: 2, byteCount: 4 << 20)
  var truth: OriginBehavior { OriginBehavior(body).with { $0.bytesPerSecond = 16 << 20 } }

  // Fault 3
  // Fault 5
  // Fault 6
  // Fault 7
  // Fault 9
  // Fault 10
  // Fault 11
  // Fault 18
  @Test(arguments: RangeLie.allCases, [1, 8])
  func `three false range replies do not corrupt the file`(
    lie: RangeLie, connections: Int
  ) async throws {
    let world = try await WireWorld()
    let truth = self.truth
    let row = try await world.interruptedDownload(truth, connections: connections) {
      $0.numberForPath <= 3 ? lie.answer($0, insteadOf: truth) : truth
    }
    world.expectFile(of: row, is: body)
  }

  // Fault 3
  // Fault 5
  // Fault 6
  // Fault 7
  // Fault 9
  // Fault 10
  // Fault 11
  // Fault 18
  @Test(arguments: RangeLie.allCases, [1, 8])
  func `a server that always lies about ranges never produces a wrong file`(
    lie: RangeLie, connections: Int
  ) async throws {
    let world = try await WireWorld { $0.retryPolicy.retryCountMax = 3 }
    let truth = self.truth
    let row = try await world.interruptedDownload(truth, connections: connections) {
      lie.answer($0, insteadOf: truth)
    }
    if row.state == .completed {
      world.expectFile(of: row, is: body)
    } else {
      try await world.expectNoFile(of: row.id, only: body)
    }
  }

  // Fault 3
  // Fault 5
  // Fault 6
  // Fault 7
  // Fault 9
  // Fault 10
  // Fault 11
  // Fault 18
  @Test(arguments: RangeLie.allCases)
  func `false range replies do not corrupt a new download`(lie: RangeLie) async throws {
    let world = try await WireWorld()
    let slow = OriginBehavior(body).with { $0.bytesPerSecond = 4 << 20 }
    world.origin.serve(at: WireWorld.path) {
      (2...4).contains($0.numberForPath) ? lie.answer($0, insteadOf: slow) : slow
    }
    let row = try await world.download(WireWorld.path) { $0.connections = 8 }
    world.expectFile(of: row, is: body)
    #expect(world.origin.requests.count > 1)
  }

  // Fault 3
  // Fault 6
  // Fault 9
  // Fault 10
  @Test(
    arguments: [RangeLie.noContentRange, .rubbish, .shiftedForward, .multipart, .encoded],
    [Interruption.cut, .restart])
  func `false range replies after a disconnect or a restart do not corrupt the file`(
    lie: RangeLie, interruption: Interruption
  ) async throws {
    let world = try await WireWorld()
    let truth = self.truth
    let row = try await world.interruptedDownload(truth, connections: 8, by: interruption) {
      $0.numberForPath <= 2 ? lie.answer($0, insteadOf: truth) : truth
    }
    world.expectFile(of: row, is: body)
  }

  // Fault 3
  @Test(arguments: [1, 8])
  func `a shifted range with a correct label fails the checksum`(
    connections: Int
  ) async throws {
    let world = try await WireWorld { $0.retryPolicy.retryCountMax = 3 }
    let truth = self.truth
    let hex = try #require(TestDigest.hex(of: body.bytes, .sha256))
    let row = try await world.interruptedDownload(
      truth, connections: connections, { $0.checksum = Checksum(algorithm: .sha256, hex: hex) }
    ) { _ in truth.with { $0.ranges = .shiftedInSecret(by: 512) } }
    #expect(row.state == .failed)
    #expect(world.home.finalNames == [])
  }

  // Fault 4
  @Test(arguments: [1, 8], Interruption.allCases)
  func `a range that ends early is accepted and the rest is requested`(
    connections: Int, interruption: Interruption
  ) async throws {
    let world = try await WireWorld()
    let short = truth.with { $0.ranges = .shortened(to: 500_000) }
    let row = try await world.interruptedDownload(
      truth, connections: connections, by: interruption
    ) { _ in short }
    world.expectFile(of: row, is: body)
    #expect(row.freshStart == nil)
    // Every byte once, and at most the overlap and a hedged end twice.
    #expect(world.origin.bytesSent < body.byteCount * 2, "\(world.wire)")
  }

  // Fault 8
  @Test(arguments: [1, 8], Interruption.allCases)
  func `a range with an unknown total is accepted if the validator matches`(
    connections: Int, interruption: Interruption
  ) async throws {
    let world = try await WireWorld()
    let unknown = truth.with { $0.ranges = .totalUnknown }
    let row = try await world.interruptedDownload(
      truth, connections: connections, by: interruption
    ) { _ in unknown }
    world.expectFile(of: row, is: body)
    #expect(row.freshStart == nil)
  }

  // Fault 11
  @Test(arguments: [1, 8])
  func `a chunked range is accepted`(connections: Int) async throws {
    let world = try await WireWorld()
    let chunked = truth.with { $0.framing = .chunked }
    let row = try await world.interruptedDownload(truth, connections: connections) { _ in chunked }
    world.expectFile(of: row, is: body)
    #expect(row.freshStart == nil)
  }

  // Fault 10
  @Test(arguments: [1, 8])
  func `requests accept no content encoding other than identity`(
    connections: Int
  ) async throws {
    let world = try await WireWorld()
    world.origin.serve(truth, at: WireWorld.path)
    let row = try await world.download(WireWorld.path) { $0.connections = connections }
    world.expectFile(of: row, is: body)
    for request in world.origin.requests {
      let accepted = request.value(of: "Accept-Encoding") ?? "identity"
      #expect(accepted == "identity")
    }
  }

  // Fault 20
  @Test(arguments: [1, 8])
  func `a download sends no HEAD request`(connections: Int) async throws {
    let world = try await WireWorld()
    let other = OriginBehavior(SeededBody(seed: 3, byteCount: 10))
    let truth = self.truth
    world.origin.serve(at: WireWorld.path) { $0.method == "HEAD" ? other : truth }
    let row = try await world.download(WireWorld.path) { $0.connections = connections }
    world.expectFile(of: row, is: body)
    #expect(world.origin.requests.allSatisfy { $0.method == "GET" })
  }
}
