import KettleEngine
import KettleModel
import KettleScheduler
import Testing
import TestSupport

/// Refusals that are not the last word.
struct OddRefusalTests {
  let body = SeededBody(seed: 62, byteCount: 2 << 20)
  var truth: OriginBehavior { OriginBehavior(body).with { $0.bytesPerSecond = 16 << 20 } }

  // Fault 142
  @Test(arguments: [202, 421, 507, 509, 529, 530, 598, 599])
  func `a status that may pass is followed by another try`(status: Int) async throws {
    let world = try await WireWorld()
    world.origin.serve([.status(status), truth], at: WireWorld.path)
    let row = try await world.download(WireWorld.path) { $0.connections = 1 }
    world.expectFile(of: row, is: body)
    #expect(world.origin.requests.count == 2)
  }

  // Fault 142
  @Test(arguments: [403, 404, 423, 202])
  func `any refusal that names a time is followed by a request at that time`(
    status: Int
  ) async throws {
    let world = try await WireWorld()
    let later = [HeaderField(received: "Retry-After", "1")]
    world.origin.serve([.status(status, headers: later), truth], at: WireWorld.path)
    let row = try await world.download(WireWorld.path) { $0.connections = 1 }
    world.expectFile(of: row, is: body)
    let requests = world.origin.requests
    try #require(requests.count == 2)
    #expect(requests[1].arrivedAtMilliseconds - requests[0].arrivedAtMilliseconds >= 1000)
  }

  // Fault 142
  // Fault 44
  @Test(arguments: [403, 404, 410, 412, 501], [1, 8])
  func `one odd refusal among good replies costs neither the file nor a byte`(
    status: Int, connections: Int
  ) async throws {
    let world = try await WireWorld()
    let truth = self.truth
    let row = try await world.interruptedDownload(truth, connections: connections) { request in
      request.numberForPath == 1 ? .status(status) : truth
    }
    world.expectFile(of: row, is: body)
    #expect(row.bytesReceived == body.byteCount)
  }

  // Fault 144
  @Test func `a network that wants a login is waited for`() async throws {
    let world = try await WireWorld { $0.retryPolicy.networkLoginMilliseconds = 200 }
    let portal = OriginBehavior.status(511, text: "<html>Log in.</html>")
    world.origin.serve(portal, at: WireWorld.path)
    let id = try await world.add(WireWorld.path)
    let row = try await world.wait("the portal", for: id) { $0.reason == .network }
    #expect(row.error?.asksForNetworkLogin == true)
    world.origin.serve(truth, at: WireWorld.path)
    try await world.wait("completion", for: id) { $0.state == .completed }
    world.expectFile(of: try #require(world.row(of: id)), is: body)
  }
}
