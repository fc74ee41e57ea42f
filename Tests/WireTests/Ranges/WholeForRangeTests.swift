import KettleEngine
import KettleModel
import Testing
import TestSupport

/// Servers that send the complete file in response to a range request.
struct WholeForRangeTests {
  let body = SeededBody(seed: 1, byteCount: 4 << 20)
  var truth: OriginBehavior { OriginBehavior(body).with { $0.bytesPerSecond = 16 << 20 } }

  // Fault 1
  @Test(arguments: [1, 8], Interruption.allCases)
  func `a download completes when the server stops sending ranges`(
    connections: Int, interruption: Interruption
  ) async throws {
    let world = try await WireWorld()
    let whole = truth.with { $0.ranges = .promisedAndIgnored }
    let row = try await world.interruptedDownload(
      truth, connections: connections, by: interruption
    ) { _ in whole }
    world.expectFile(of: row, is: body)
  }

  // Fault 1
  @Test(arguments: [1, 8])
  func `received bytes are kept when the server stops supporting ranges`(connections: Int)
    async throws
  {
    let world = try await WireWorld()
    let whole = truth.with { $0.ranges = .ignored }
    let row = try await world.interruptedDownload(truth, connections: connections) { _ in whole }
    world.expectFile(of: row, is: body)
    let held = WireWorld.firstByteCount
    let shown = world.told.read { $0.byteCounts(of: row.id, afterReaching: held) }
    #expect(shown.allSatisfy { $0 >= held }, "\(shown)")
  }

  // Fault 1
  @Test(arguments: [1, 8])
  func `a server that never sends ranges is probed only a few times`(connections: Int) async throws
  {
    let world = try await WireWorld()
    world.origin.serve(truth.with { $0.ranges = .promisedAndIgnored }, at: WireWorld.path)
    let row = try await world.download(WireWorld.path) { $0.connections = connections }
    world.expectFile(of: row, is: body)
    // The first request, and the probes with If-Range and without.
    #expect(world.origin.requests.count <= 1 + 2 * connections, "\(world.wire)")
  }

  // Fault 2
  @Test(arguments: [1, 8], Interruption.allCases)
  func `a server that sends ranges intermittently does not corrupt the file`(
    connections: Int, interruption: Interruption
  ) async throws {
    let world = try await WireWorld()
    let whole = truth.with { $0.ranges = .promisedAndIgnored }
    let truth = self.truth
    let row = try await world.interruptedDownload(
      truth, connections: connections, by: interruption
    ) { $0.numberForPath.isMultiple(of: 2) ? truth : whole }
    world.expectFile(of: row, is: body)
  }

  // Fault 2
  @Test func `a server that stops sending ranges under eight connections corrupts nothing`()
    async throws
  {
    let world = try await WireWorld()
    let (truth, whole) = (truth, truth.with { $0.ranges = .promisedAndIgnored })
    world.origin.serve(at: WireWorld.path) { $0.numberForPath <= 4 ? truth : whole }
    let row = try await world.download(WireWorld.path) { $0.connections = 8 }
    world.expectFile(of: row, is: body)
  }

  // Fault 16
  @Test(arguments: [1, 8], Interruption.allCases)
  func `a full reply to If-Range is followed by a range request without If-Range`(
    connections: Int, interruption: Interruption
  ) async throws {
    let world = try await WireWorld()
    let stubborn = truth.with { $0.ifRange = .alwaysWhole }
    let row = try await world.interruptedDownload(
      truth, connections: connections, by: interruption
    ) { _ in stubborn }
    world.expectFile(of: row, is: body)
    #expect(row.freshStart == nil)
    let plain = world.origin.requests.filter {
      $0.value(of: "Range") != nil && $0.value(of: "If-Range") == nil
    }
    #expect(!plain.isEmpty, "\(world.wire)")
  }
}
