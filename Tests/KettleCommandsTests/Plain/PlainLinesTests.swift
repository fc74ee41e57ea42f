import KettleControl
import KettleModel
import Testing

@testable import KettleCommands

struct PlainLinesTests {
  private func row(_ bytes: Int64, of all: Int64? = 1000) -> TransferSnapshot {
    var row = snapshot(1, .running)
    row.bytesReceived = bytes
    row.bytesExpected = all
    return row
  }

  /// Returns the seconds at which this progress of a transfer prints a line.
  private func told(
    _ progress: [(second: Int64, bytes: Int64)], of all: Int64? = 1000
  ) -> [Int64] {
    var lines = PlainLines(clock: FakeClock())
    lines.recordShown(row(0, of: all), at: MonotonicTime(milliseconds: 0))
    return progress.compactMap { second, bytes in
      let time = MonotonicTime(milliseconds: second * 1000)
      return lines.line(for: event(row(bytes, of: all), .progress), at: time) == nil ? nil : second
    }
  }

  @Test func `a fast transfer prints every ten seconds`() {
    #expect(told((1...40).map { ($0, $0 * 25) }) == [10, 20, 30, 40])
  }

  @Test func `a slow transfer prints every ten percent`() {
    #expect(told((1...59).map { ($0, $0 * 4) }) == [25, 50])
  }

  @Test func `a very slow transfer, or one of unknown size, prints every minute`() {
    #expect(told((1...130).map { ($0, $0 / 10) }) == [60, 120])
    #expect(told((1...130).map { ($0, $0) }, of: nil) == [60, 120])
  }

  @Test func `a state change prints at once`() {
    var lines = PlainLines(clock: FakeClock())
    let now = MonotonicTime(milliseconds: 0)
    for state in TransferState.allCases {
      #expect(lines.line(for: event(snapshot(1, state)), at: now) != nil)
    }
    #expect(lines.line(for: event(snapshot(1, .completed), .removed), at: now) != nil)
  }

  @Test func `progress with invalid numbers is printed`() {
    var lines = PlainLines(clock: FakeClock())
    for (bytes, all) in [(Int64.max, Int64(1)), (.min, 1), (.max, .min), (5, 0), (.max, .max)] {
      lines.recordShown(row(bytes, of: all), at: MonotonicTime(milliseconds: 0))
      let now = MonotonicTime(milliseconds: 60_000)
      #expect(lines.line(for: event(row(bytes, of: all), .progress), at: now) != nil)
    }
  }
}
