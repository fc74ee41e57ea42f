import KettleEngine
import KettleModel
import KettleScheduler
import Testing
import TestSupport

/// Hosts that cannot be reached.
struct ReachabilityTests {
  let body = SeededBody(seed: 63, byteCount: 1 << 20)

  // Fault 64
  @Test func `an unresolvable host fails without delaying other transfers`() async throws {
    let world = try await WireWorld { $0.retryPolicy.retryCountMaxUnanswered = 2 }
    world.origin.serve(OriginBehavior(body), at: WireWorld.path)
    let nowhere = try TransferURL.parse("http://nothing.invalid/file.bin").get().url
    let lost = try await world.add(nowhere)
    let row = try await world.download(WireWorld.path)
    world.expectFile(of: row, is: body)
    let end = try await world.end(of: lost)
    #expect(end.state == .failed)
    #expect(end.error?.code == .hostNotFound)
  }

  // Fault 64
  @Test func `a server that goes down mid-transfer is waited for with the bytes kept`() async throws
  {
    let world = try await WireWorld()
    let id = try await world.begin(OriginBehavior(body), connections: 8)
    world.origin.stop()
    let row = try await world.wait("an outage", for: id) { $0.reason == .hostUnreachable }
    #expect(row.error?.code == .connectionRefused)
    #expect(row.bytesReceived >= WireWorld.firstByteCount)
    #expect(try await world.record(of: id).retryCount <= 1)
    try await world.expectNoFile(of: id, only: body)
  }

  // Fault 64
  @Test func `a host that never answers is given up`() async throws {
    let world = try await WireWorld { $0.retryPolicy.unservedMillisecondsMax = 500 }
    world.origin.stop()
    let row = try await world.download(WireWorld.path)
    #expect(row.state == .failed)
    #expect(row.error?.code == .connectionRefused)
  }
}
