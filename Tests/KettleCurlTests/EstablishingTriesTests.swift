import KettleEngine
import KettleModel
import TestSupport
import Testing

@testable import KettleCurl

/// When a connection that nobody answers is opened again.
struct EstablishingTriesTests {
  private let now = MonotonicTime(milliseconds: 1_000_000)

  private func later(_ milliseconds: Int64) -> MonotonicTime {
    now.advanced(byMilliseconds: milliseconds)
  }

  @Test func `a try ends after its time, until all of it is used up`() {
    var tries = EstablishingTries(milliseconds: 2000, total: 30_000, at: now)
    #expect(!tries.isDue(at: later(1999)))
    #expect(tries.isDue(at: later(2000)))
    #expect(tries.begin(at: later(2000)) == 28_000)
    #expect(!tries.isDue(at: later(3999)))
    #expect(tries.isDue(at: later(4000)))
    #expect(!tries.isDue(at: later(30_000)))
  }

  @Test func `later tries take longer, for a path that is slow`() {
    var tries = EstablishingTries(milliseconds: 2000, total: 60_000, at: now)
    for count in Int64(1)...4 { _ = tries.begin(at: later(count * 2000)) }
    #expect(!tries.isDue(at: later(8000 + 3999)))
    #expect(tries.isDue(at: later(8000 + 4000)))
  }

  // Fault 38
  @Test func `a connection that is opened again and again times out in the end`() async throws {
    let hole = try BlackHole()
    let probe = try TransportProbe()
    let url = try TransferURL.parse("http://127.0.0.1:\(hole.port)/").get().url
    let failure = try await probe.fetch(url) {
      $0.timeouts.establishMilliseconds = 100
      $0.timeouts.connectMilliseconds = 1200
    }.end.failure
    #expect(failure?.code == .timedOut)
  }

  @Test
  func `a finished exchange leaves its connection to the next one, unless that wants a new one`()
    async throws
  {
    let origin = try ScriptedOrigin()
    let probe = try TransportProbe()
    origin.serve(OriginBehavior(SeededBody(seed: 3, byteCount: 1000)), at: "/file")
    for _ in 1...3 { _ = try await probe.fetch(origin.url("/file")) }
    #expect(origin.connectionCount == 1)
    _ = try await probe.fetch(origin.url("/file")) { $0.reuse = .none }
    #expect(origin.connectionCount == 2)
  }
}
