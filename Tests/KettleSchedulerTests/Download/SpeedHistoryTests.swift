import KettleModel
import KettleScheduler
import Testing

struct SpeedHistoryTests {
  private func history(_ samples: [(seconds: Double, total: Int64)]) -> SpeedHistory {
    var history = SpeedHistory()
    for (seconds, total) in samples {
      history.sample(
        byteCount: total, at: MonotonicTime(milliseconds: Int64(seconds * 1000)))
    }
    return history
  }

  @Test func `bytes count for their second, and the current second is not shown`() {
    #expect(history([(5, 100)]).seconds.isEmpty)
    #expect(
      history([(5, 100), (5.2, 130), (5.9, 150), (6.1, 151), (7, 161), (7.5, 999)]).seconds
        == [50, 1])
  }

  @Test func `seconds without bytes are shown as zero`() {
    #expect(history([(1, 0), (1.5, 7), (4, 9), (5, 9)]).seconds == [7, 0, 0, 2])
  }

  @Test func `a rest is not counted, and the first sample after it is a new baseline`() {
    var history = history([(1, 0), (1.5, 7)])
    history.rest()
    history.rest()
    history.sample(byteCount: 1000, at: MonotonicTime(milliseconds: 900_000))
    history.sample(byteCount: 1003, at: MonotonicTime(milliseconds: 900_500))
    history.sample(byteCount: 1003, at: MonotonicTime(milliseconds: 901_000))
    #expect(history.seconds == [7, 3])
  }

  @Test func `at most the last 300 seconds are kept`() {
    let long = history((0...1000).map { (Double($0), Int64($0) * Int64($0)) })
    #expect(long.seconds.count == SpeedHistory.secondCountMax)
    let last: Int64 = 999 * 999 - 998 * 998
    #expect(long.seconds.last == last)
    #expect(
      history([(1, 0), (2, 5), (1_000_000, 6), (1_000_001, 6)]).seconds
        == Array(repeating: 0, count: 299) + [1])
  }

  @Test func `nonsensical counts and clocks are harmless`() {
    #expect(
      history([(5, .min), (5.5, .max), (4, 3), (6, 3), (7, 2), (8, 2)]).seconds == [0, 0, 0])
  }
}
