import KettleModel
import KettleScheduler
import Testing

struct SpeedEstimatorTests {
  private func at(_ milliseconds: Int64) -> MonotonicTime {
    MonotonicTime(milliseconds: milliseconds)
  }

  @Test func `a steady rate is shown as it is`() {
    var speed = SpeedEstimator()
    for tick in Int64(0)...100 { speed.sample(byteCount: tick * 1000, at: at(tick * 100)) }
    #expect(speed.bytesPerSecond == 10_000)
    #expect(speed.secondsLeft(missing: 100_000) == 10)
  }

  @Test func `a change is followed within a few seconds`() {
    var speed = SpeedEstimator()
    speed.sample(byteCount: 0, at: at(0))
    speed.sample(byteCount: 1000, at: at(1000))
    #expect(speed.bytesPerSecond == 1000)
    // After one time constant the estimate has covered 63 % of the change.
    speed.sample(byteCount: 1000, at: at(4000))
    #expect((367...369).contains(speed.bytesPerSecond))
  }

  @Test func `the first estimate is the mean of all samples`() {
    var speed = SpeedEstimator()
    speed.sample(byteCount: 0, at: at(0))
    speed.sample(byteCount: 10, at: at(100))
    speed.sample(byteCount: 2000, at: at(200))
    #expect(speed.bytesPerSecond == 10_000)
  }

  @Test func `the speed is unknown before two samples and after a falling count`() {
    var speed = SpeedEstimator()
    #expect(speed.bytesPerSecond == 0)
    #expect(speed.secondsLeft(missing: 10) == nil)
    speed.sample(byteCount: 500, at: at(0))
    #expect(speed.bytesPerSecond == 0)
    speed.sample(byteCount: 1000, at: at(100))
    speed.sample(byteCount: 10, at: at(200))
    #expect(speed.bytesPerSecond == 0)
  }

  @Test func `a second sample at the same instant is ignored`() {
    var speed = SpeedEstimator()
    speed.sample(byteCount: 0, at: at(0))
    speed.sample(byteCount: 100, at: at(100))
    speed.sample(byteCount: 100_000, at: at(100))
    #expect(speed.bytesPerSecond == 1000)
  }
}
