import KettleEngine
import KettleModel
import KettleScheduler
import Testing
import TestSupport

/// Servers that send Retry-After.
struct RetryAfterTests {
  let body = SeededBody(seed: 40, byteCount: 2 << 20)
  var truth: OriginBehavior { OriginBehavior(body) }

  private func busy(_ status: Int, _ value: String, date: String? = nil) -> OriginBehavior {
    OriginBehavior.status(status, headers: [HeaderField(received: "Retry-After", value)])
      .with { $0.date = date ?? $0.date }
  }

  /// Milliseconds between a request and the next one.
  private func pause(after number: Int, _ origin: ScriptedOrigin) throws -> Int64 {
    let requests = origin.requests
    try #require(requests.count > number)
    return requests[number].arrivedAtMilliseconds - requests[number - 1].arrivedAtMilliseconds
  }

  // Fault 41
  @Test(arguments: [429, 503])
  func `no request is sent before Retry-After, and the row shows the wait`(
    status: Int
  ) async throws {
    let world = try await WireWorld()
    world.origin.serve([busy(status, "1"), truth], at: WireWorld.path)
    let row = try await world.download(WireWorld.path)
    world.expectFile(of: row, is: body)
    #expect(try pause(after: 1, world.origin) >= 1000)
    let waiting = world.told.read { $0.history.filter { $0.reason == .retryAfter } }
    #expect(waiting.contains { $0.goesOnAt != nil })
  }

  // Fault 41
  @Test(arguments: [1, 8])
  func `a server that becomes busy mid-transfer gets no request before Retry-After`(
    connections: Int
  ) async throws {
    let world = try await WireWorld()
    let (busy, truth) = (busy(503, "1"), truth)
    // Requests that were cut off before their first byte look the same in the log of requests.
    let refused = Monitor<[Int]>([])
    let row = try await world.interruptedDownload(truth, connections: connections) { request in
      guard request.numberForPath == 1 else { return truth }
      refused.update { $0.append(request.number) }
      return busy
    }
    world.expectFile(of: row, is: body)
    #expect(row.freshStart == nil)
    let requests = world.origin.requests
    let index = try #require(
      requests.lastIndex { request in
        refused.read { $0.contains(request.number) }
      })
    for later in requests[(index + 1)...] {
      let time = later.arrivedAtMilliseconds - requests[index].arrivedAtMilliseconds
      #expect(time >= 1000, "\(time) ms; \(world.wire)")
    }
  }

  // Fault 41
  @Test func `running connections continue while no new one opens before Retry-After`() async throws
  {
    let world = try await WireWorld()
    let body = SeededBody(seed: 49, byteCount: 8 << 20)
    let (busy, truth) = (
      busy(503, "1"), OriginBehavior(body).with { $0.bytesPerSecond = 2 << 20 }
    )
    world.origin.serve(at: WireWorld.path) { $0.numberForPath == 3 ? busy : truth }
    let row = try await world.download(WireWorld.path) { $0.connections = 8 }
    world.expectFile(of: row, is: body)
    let states = world.told.read { Set($0.history.map(\.state)) }
    #expect(states.isDisjoint(with: [.failed, .waiting]), "\(states)")
    let requests = world.origin.requests
    try #require(requests.count >= 3)
    let refusedAt = requests[2].arrivedAtMilliseconds
    for later in requests[3...] {
      // Requests that were already in flight, or that came after the delay.
      let time = later.arrivedAtMilliseconds - refusedAt
      #expect(time < 100 || time >= 1000, "\(time) ms; \(world.wire)")
    }
  }

  // Fault 41
  @Test func `other transfers from a busy host wait too, and other hosts are not affected`()
    async throws
  {
    let world = try await WireWorld()
    let elsewhere = try ScriptedOrigin(lastByte: 2)
    elsewhere.serve(truth, at: "/other")
    world.origin.serve([busy(429, "2"), truth], at: WireWorld.path)
    world.origin.serve(truth, at: "/second")
    let first = try await world.add(WireWorld.path)
    try await world.wait("the server's time", for: first) { $0.reason == .retryAfter }
    let second = try await world.add("/second")
    let other = try await world.add(try elsewhere.url("/other"))
    #expect(try await world.end(of: other).state == .completed)
    #expect(try await world.end(of: second).state == .completed)
    #expect(try await world.end(of: first).state == .completed)
    #expect(try pause(after: 1, world.origin) >= 2000)
  }

  // Fault 42
  @Test func `a Retry-After date is measured by the server's own clock`() async throws {
    let world = try await WireWorld()
    let now = "Thu, 22 Oct 2015 07:28:00 GMT"
    let later = "Thu, 22 Oct 2015 07:28:02 GMT"
    world.origin.serve([busy(503, later, date: now), truth], at: WireWorld.path)
    let row = try await world.download(WireWorld.path)
    world.expectFile(of: row, is: body)
    #expect(try pause(after: 1, world.origin) >= 2000)
    #expect(try pause(after: 1, world.origin) < 5000)
  }

  // Fault 42
  @Test(arguments: [
    "Wed, 21 Oct 2015 07:28:00 GMT", "soon", "-5", "", "1.5e9", "0",
  ])
  func `a past or invalid Retry-After delays the retry only briefly`(value: String) async throws {
    let world = try await WireWorld()
    world.origin.serve([busy(503, value), truth], at: WireWorld.path)
    let row = try await world.download(WireWorld.path)
    world.expectFile(of: row, is: body)
    #expect(try pause(after: 1, world.origin) < 5000)
  }

  // Fault 42
  @Test(arguments: [
    "315360000", "9999999999999999999999", "Fri, 31 Dec 9999 23:59:59 GMT",
    "9223372036854775807",
  ])
  func `no Retry-After delays a transfer by more than a day`(value: String) async throws {
    let world = try await WireWorld()
    world.origin.serve([busy(503, value), truth], at: WireWorld.path)
    let before = world.now
    let id = try await world.add(WireWorld.path)
    let row = try await world.wait("the server's time", for: id) {
      $0.state == .waiting || $0.state.isFinished
    }
    let day: Int64 = 24 * 3600 * 1000
    // An overflowing number may count as none; then the retry comes soon.
    if row.reason == .retryAfter {
      let goesOnAt = try #require(row.goesOnAt)
      #expect(goesOnAt <= before.advanced(byMilliseconds: day + 60_000))
    } else {
      world.expectFile(of: try await world.end(of: id), is: body)
    }
  }

  // Fault 42
  @Test func `the user can start a transfer before its Retry-After`() async throws {
    let world = try await WireWorld()
    world.origin.serve([busy(503, "86400"), truth], at: WireWorld.path)
    let id = try await world.add(WireWorld.path)
    try await world.wait("the server's time", for: id) { $0.reason == .retryAfter }
    await world.start(id)
    let row = try await world.end(of: id, budgetMilliseconds: 5000)
    world.expectFile(of: row, is: body)
  }

  // Fault 43
  @Test(arguments: [408, 500, 502, 503, 504, 520, 524], [1, 8])
  func `a transient error is retried and loses no received bytes`(
    status: Int, connections: Int
  ) async throws {
    let world = try await WireWorld()
    let truth = self.truth
    let page = "<html>Not now.</html>"
    let row = try await world.interruptedDownload(truth, connections: connections) {
      $0.numberForPath <= 2 ? .status(status, text: page) : truth
    }
    world.expectFile(of: row, is: body)
    #expect(row.freshStart == nil)
    let errorByteCount = Int64(page.utf8.count)
    world.expectNothingHeldIsAskedAgain(
      world.origin.requests.drop { $0.bytesSent != errorByteCount })
    // With several connections, one may be cut short after it has sent its part.
    if connections == 1 {
      #expect(world.origin.bytesSent < body.byteCount + 1_000_000, "\(world.wire)")
    }
  }

  // Fault 43
  @Test func `a persistent error is retried at growing intervals until the retries run out`()
    async throws
  {
    let world = try await WireWorld {
      $0.retryPolicy.firstDelayMilliseconds = 20
      $0.retryPolicy.delayMillisecondsMax = 80
      $0.retryPolicy.retryCountMax = 5
    }
    world.origin.serve(.status(500), at: WireWorld.path)
    let row = try await world.download(WireWorld.path)
    #expect(row.state == .failed)
    #expect(row.error?.code == .httpStatus)
    #expect(world.origin.requests.count == 6)
    for (number, least) in [(1, 20), (2, 40), (3, 80), (4, 80), (5, 80)] as [(Int, Int64)] {
      #expect(try pause(after: number, world.origin) >= least)
    }
  }
}
