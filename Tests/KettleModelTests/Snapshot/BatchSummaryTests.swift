import KettleModel
import Testing

struct BatchSummaryTests {
  private func batch(_ done: Int, of count: Int, unknown: Int) -> BatchProgress {
    BatchProgress(
      transferCount: count, finishedCount: done, bytesReceived: 98 << 20, bytesExpected: 100 << 20,
      unknownSizeCount: unknown, secondsLeft: nil)
  }

  @Test func `files are counted while the size of one is unknown`() {
    let summary = BatchSummary(batch(1670, of: 10_010, unknown: 8300))
    #expect(summary.measure == .files(done: 1670, count: 10_010))
    #expect((0.16...0.17).contains(summary.fraction))
    #expect(BatchGauge(batch(1670, of: 10_010, unknown: 8300)) == .percent(16))
    #expect(BatchGauge(batch(0, of: 4, unknown: 4)) == .unknown)
  }

  @Test func `bytes are counted when all sizes are known`() {
    let summary = BatchSummary(batch(1, of: 3, unknown: 0))
    #expect(summary.measure == .bytes(received: 98 << 20, expected: 100 << 20))
    #expect(summary.fraction == 0.98)
  }

  @Test func `the time says whether it is a guess and what it leaves out`() {
    var batch = batch(1, of: 3, unknown: 0)
    #expect(BatchSummary(batch).finish == nil)
    batch.readyAt = WallTime(millisecondsSince1970: 5000)
    batch.unpredictableCount = 1
    #expect(BatchSummary(batch).finish?.exceptCount == 1)
    #expect(BatchSummary(batch).finish?.isGuess == false)
    batch.readyAtIsGuess = true
    #expect(BatchSummary(batch).finish?.isGuess == true)
    batch.unpredictableCount = 2
    #expect(BatchSummary(batch).finish == nil)
  }

  @Test func `absurd numbers are bounded`() {
    let summary = BatchSummary(
      BatchProgress(
        transferCount: .min, finishedCount: .max, bytesReceived: .min, bytesExpected: .max,
        unknownSizeCount: .max, secondsLeft: .min))
    #expect(summary.measure == .files(done: 0, count: 0))
    #expect(summary.fraction == 0)
  }
}
