import KettleModel
import Testing

@testable import KettleCurl

struct BodyPaceTests {
  private func time(_ milliseconds: Int64) -> MonotonicTime {
    MonotonicTime(milliseconds: milliseconds)
  }

  private func running() -> BodyPace {
    var pace = BodyPace(leastByteCount: 100, windowMilliseconds: 1000)
    pace.start(at: time(0))
    return pace
  }

  @Test func `too few bytes in a window are reported at its end`() {
    var pace = running()
    pace.record(99, at: time(1))
    #expect(pace.shortfall(at: time(999)) == nil)
    #expect(pace.shortfall(at: time(1000)) == 99)
  }

  @Test func `bytes count for their own window only`() {
    var pace = running()
    pace.record(100_000, at: time(1))
    #expect(pace.shortfall(at: time(1000)) == nil)
    #expect(pace.windowEnd == time(2000))
    #expect(pace.shortfall(at: time(2000)) == 0)
  }

  @Test func `pauses do not count`() {
    var pace = running()
    pace.pause(at: time(400))
    #expect(pace.windowEnd == nil)
    #expect(pace.shortfall(at: time(90_000)) == nil)
    pace.start(at: time(100_000))
    #expect(pace.windowEnd == time(100_600))
    #expect(pace.shortfall(at: time(100_599)) == nil)
    #expect(pace.shortfall(at: time(100_600)) == 0)
  }

  @Test func `starting again has no effect`() {
    var pace = running()
    pace.start(at: time(500))
    #expect(pace.windowEnd == time(1000))
    pace.pause(at: time(600))
    pace.pause(at: time(900))
    pace.start(at: time(1000))
    #expect(pace.windowEnd == time(1400))
  }

  @Test func `silence counts from the last byte, sign of life or start`() {
    var pace = running()
    #expect(pace.silentSince == time(0))
    pace.record(1, at: time(10))
    #expect(pace.silentSince == time(10))
    pace.recordSignOfLife(at: time(20))
    #expect(pace.silentSince == time(20))
    pace.pause(at: time(30))
    pace.start(at: time(90_000))
    #expect(pace.silentSince == time(90_000))
  }
}
