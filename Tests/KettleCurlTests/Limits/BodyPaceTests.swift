import KettleModel
import Testing

@testable import KettleCurl

struct BodyPaceTests {
  private func time(_ milliseconds: Int64) -> MonotonicTime {
    MonotonicTime(milliseconds: milliseconds)
  }

  private func running() -> BodyPace {
    var pace = BodyPace(leastByteCount: 100, windowMilliseconds: 1000)
    pace.run(at: time(0))
    return pace
  }

  @Test func `too few bytes in a window are told when it is over`() {
    var pace = running()
    pace.note(99, at: time(1))
    #expect(pace.tooFew(at: time(999)) == nil)
    #expect(pace.tooFew(at: time(1000)) == 99)
  }

  @Test func `bytes count for their own window only`() {
    var pace = running()
    pace.note(100_000, at: time(1))
    #expect(pace.tooFew(at: time(1000)) == nil)
    #expect(pace.windowEnd == time(2000))
    #expect(pace.tooFew(at: time(2000)) == 0)
  }

  @Test func `rests do not count`() {
    var pace = running()
    pace.rest(at: time(400))
    #expect(pace.windowEnd == nil)
    #expect(pace.tooFew(at: time(90_000)) == nil)
    pace.run(at: time(100_000))
    #expect(pace.windowEnd == time(100_600))
    #expect(pace.tooFew(at: time(100_599)) == nil)
    #expect(pace.tooFew(at: time(100_600)) == 0)
  }

  @Test func `to run twice is the same as once`() {
    var pace = running()
    pace.run(at: time(500))
    #expect(pace.windowEnd == time(1000))
    pace.rest(at: time(600))
    pace.rest(at: time(900))
    pace.run(at: time(1000))
    #expect(pace.windowEnd == time(1400))
  }

  @Test func `it is silent since the last byte, the last sign or the last start`() {
    var pace = running()
    #expect(pace.silentSince == time(0))
    pace.note(1, at: time(10))
    #expect(pace.silentSince == time(10))
    pace.hear(at: time(20))
    #expect(pace.silentSince == time(20))
    pace.rest(at: time(30))
    pace.run(at: time(90_000))
    #expect(pace.silentSince == time(90_000))
  }
}
