import KettleModel
import Testing

@testable import KettleScheduler

/// When another connection may begin, given the results of earlier ones.
struct ConnectionPacingTests {
  private let now = MonotonicTime(milliseconds: 1_000_000)

  private func later(_ milliseconds: Int64) -> MonotonicTime {
    now.advanced(byMilliseconds: milliseconds)
  }

  @Test func `a failure delays the next connection until a success`() {
    var pacing = ConnectionPacing()
    #expect(pacing.permitsConnection(presentByteCount: 0, at: now))
    pacing.recordFailure(delayMilliseconds: 500, at: now)
    #expect(!pacing.permitsConnection(presentByteCount: 0, at: later(499)))
    #expect(pacing.permitsConnection(presentByteCount: 0, at: later(500)))
    pacing.recordSuccess()
    #expect(pacing.failureCount == 0)
    #expect(pacing.permitsConnection(presentByteCount: 0, at: now))
  }

  @Test func `sixteen connections without a byte are followed by a pause`() {
    var pacing = ConnectionPacing()
    for _ in 1...ConnectionPacing.fruitlessCountMax {
      #expect(pacing.permitsConnection(presentByteCount: 0, at: now))
      pacing.recordBegin(presentByteCount: 0, at: now)
    }
    #expect(!pacing.permitsConnection(presentByteCount: 0, at: now))
    #expect(pacing.permitsConnection(presentByteCount: 1, at: now), "a byte arrived")
    #expect(
      pacing.permitsConnection(
        presentByteCount: 0, at: later(ConnectionPacing.pauseMilliseconds)))
  }

  @Test func `a delay that has passed no longer wakes the transfer`() {
    var pacing = ConnectionPacing()
    pacing.pause(at: now)
    #expect(pacing.nextAt == later(ConnectionPacing.pauseMilliseconds))
    pacing.endPause(at: later(999))
    #expect(pacing.nextAt != nil)
    pacing.endPause(at: later(1000))
    #expect(pacing.nextAt == nil)
  }
}
