import KettleModel
import KettleScheduler
import Testing

/// The benefit of dividing a file among connections, in simulated time.
struct DivisionTests {
  private static let rate: Int64 = 4 << 20
  private static let total: Int64 = 256 << 20

  private func limits(_ perHost: Int = 5) -> TransferQueue.Limits {
    var limits = TransferQueue.Limits()
    limits.connectionsPerHostMax = perHost
    return limits
  }

  private func time(
    _ origin: inout SimulatedOrigin, connections: Int?
  ) throws -> Int64 {
    let milliseconds = origin.download(connections: connections)
    return try #require(milliseconds, "it is not ready after ten minutes")
  }

  // Fault 39
  @Test func `eight equally fast connections take an eighth of the time`() throws {
    var origin = SimulatedOrigin(total: Self.total, limits: limits()) { _ in Self.rate }
    let milliseconds = try time(&origin, connections: 8)
    let ideal = Self.total * 1000 / (8 * Self.rate)
    #expect(milliseconds <= ideal * 103 / 100, "\(milliseconds) ms, ideal \(ideal)")
    #expect(origin.mostServed == 8)
    #expect(origin.requestCount < 30)
  }

  // Fault 39
  @Test(arguments: 0..<8)
  func `one connection that is twenty times slower costs little`(_ slow: Int) throws {
    var origin = SimulatedOrigin(total: Self.total, limits: limits()) { number in
      number == slow ? Self.rate / 20 : Self.rate
    }
    let milliseconds = try time(&origin, connections: 8)
    let ideal = Self.total * 1000 / (7 * Self.rate + Self.rate / 20)
    #expect(milliseconds <= ideal * 110 / 100, "\(milliseconds) ms, ideal \(ideal)")
    // Only copies of the slow connection's part arrive twice.
    #expect(origin.bytesSent - Self.total <= 4 << 20)
  }

  // Fault 38
  @Test func `a silent connection does not delay the download`() throws {
    var origin = SimulatedOrigin(total: Self.total, limits: limits()) { number in
      number == 3 ? 0 : Self.rate
    }
    let milliseconds = try time(&origin, connections: 8)
    let ideal = Self.total * 1000 / (7 * Self.rate)
    #expect(milliseconds <= ideal * 115 / 100, "\(milliseconds) ms, ideal \(ideal)")
  }

  // Fault 70
  @Test(arguments: 1...6)
  func `a host that refuses more connections gets fewer, and nothing fails`(_ most: Int) throws {
    var origin = SimulatedOrigin(total: 64 << 20, limits: limits()) { _ in Self.rate }
    origin.connectionsMax = most
    let milliseconds = try time(&origin, connections: 8)
    let ideal = (64 << 20) * 1000 / (Int64(most) * Self.rate)
    #expect(milliseconds <= ideal * 110 / 100 + 500, "\(milliseconds) ms, ideal \(ideal)")
    #expect(origin.mostServed == most)
    #expect(origin.states == [.running, .verifying])
  }

  @Test func `a transfer limited to one connection uses one`() throws {
    var origin = SimulatedOrigin(total: 16 << 20, limits: limits()) { _ in Self.rate }
    let milliseconds = try time(&origin, connections: 1)
    #expect(origin.requestCount == 1)
    #expect(origin.mostServed == 1)
    #expect(milliseconds >= 4000)
  }

  @Test func `the host limit holds unless the transfer requests more`() throws {
    var usual = SimulatedOrigin(total: 64 << 20, limits: limits(3)) { _ in Self.rate }
    _ = try time(&usual, connections: nil)
    #expect(usual.mostServed == 3)
    var raised = SimulatedOrigin(total: 64 << 20, limits: limits(3)) { _ in Self.rate }
    _ = try time(&raised, connections: 6)
    #expect(raised.mostServed == 6)
  }

  @Test(arguments: [2400, 2600])
  func `a download that one connection finishes soon gets no others`(_ milliseconds: Int64) throws {
    let policy = DivisionPolicy()
    let rate: Int64 = 64 << 20
    let total = rate / 1000 * (milliseconds + policy.speedMilliseconds)
    var origin = SimulatedOrigin(total: total, limits: limits()) { _ in rate }
    _ = try time(&origin, connections: 8)
    #expect(origin.mostServed == (milliseconds < policy.aloneMillisecondsMax ? 1 : 8))
  }

  @Test(arguments: [130, 120])
  func `a very fast connection gets no additional ones`(_ mebibytes: Int64) throws {
    var origin = SimulatedOrigin(total: 2 << 30, limits: limits()) { _ in mebibytes << 20 }
    _ = try time(&origin, connections: 8)
    #expect(origin.mostServed == (mebibytes >= 128 ? 1 : 8))
  }

  @Test func `a first connection that slows down gets additional ones`() throws {
    let total: Int64 = 64 << 20
    var origin = SimulatedOrigin(total: total, limits: limits()) { _ in Self.rate }
    // At its initial speed it would end within two seconds, and later take sixteen.
    origin.fadesAfterMilliseconds = 250
    origin.bytesPerSecondBefore = 32 << 20
    let milliseconds = try time(&origin, connections: 8)
    #expect(origin.mostServed == 8)
    #expect(milliseconds <= 64 * 1000 / 8 / 4 + 1500, "\(milliseconds) ms")
  }

  @Test func `a small file is not divided`() throws {
    var origin = SimulatedOrigin(total: 900 << 10, limits: limits()) { _ in Self.rate }
    _ = try time(&origin, connections: 8)
    #expect(origin.requestCount == 1)
  }

  @Test(arguments: [512_000, 1_000_000, (1 << 20) - 1])
  func `a small file of a slow server is requested once`(_ total: Int64) throws {
    var origin = SimulatedOrigin(total: total, limits: limits()) { _ in 300_000 }
    let milliseconds = try time(&origin, connections: nil)
    #expect(origin.requestCount == 1)
    #expect(origin.bytesSent == total)
    #expect(milliseconds <= total * 1000 / 300_000 + 20)
  }

  @Test(arguments: [1 << 20, 1_100_000, 3_000_000])
  func `no byte arrives twice while all connections are equally slow`(_ total: Int64) throws {
    var origin = SimulatedOrigin(total: total, limits: limits()) { _ in 300_000 }
    _ = try time(&origin, connections: nil)
    // A shortened connection may receive this much before it learns of its new end.
    #expect(origin.bytesSent <= total + (64 << 10))
  }

  @Test func `the only connection counts as silent only after a server's longest burst`() throws {
    var origin = SimulatedOrigin(total: 600_000, limits: limits()) { $0 == 0 ? 0 : Self.rate }
    let milliseconds = try time(&origin, connections: nil)
    #expect(origin.requestCount == 2)
    #expect((2500...3500).contains(milliseconds), "\(milliseconds) ms")
  }
}
