import KettleModel
import Testing

struct BatchGaugeTests {
  private func gauge(_ received: Int64, _ expected: Int64) -> BatchGauge? {
    BatchGauge(
      BatchProgress(
        transferCount: 3, finishedCount: 1, bytesReceived: received, bytesExpected: expected,
        unknownSizeCount: 0, secondsLeft: nil))
  }

  @Test func `it shows batch progress and never reaches 100 percent`() {
    #expect(gauge(1, 3) == .percent(33))
    #expect(gauge(3, 3) == .percent(99))
    // Where no size is known, it counts files.
    #expect(gauge(0, 0) == .percent(33))
    #expect(gauge(.max, 1) == .percent(99))
    #expect(gauge(.min, .max) == .unknown)
    #expect(BatchGauge(nil) == nil)
  }

  @Test func `its control sequences are those of ConEmu`() {
    #expect(BatchGauge.sequence(.percent(42)) == "\u{1B}]9;4;1;42\u{1B}\\")
    #expect(BatchGauge.sequence(.unknown) == "\u{1B}]9;4;3\u{1B}\\")
    #expect(BatchGauge.sequence(nil) == "\u{1B}]9;4;0\u{1B}\\")
  }
}
