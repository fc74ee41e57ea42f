import KettleModel
import Testing

@testable import KettleDashboard

struct RowRatesTests {
  private func row(_ number: Int64, _ state: TransferState, speed: Int64 = 0) -> TransferSnapshot {
    Sample.row(number, titled: "x", state: state) { $0.bytesPerSecond = speed }
  }

  private func time(_ milliseconds: Int64) -> MonotonicTime {
    Sample.now.monotonic.advanced(byMilliseconds: milliseconds)
  }

  @Test func `the speeds of running rows are kept, one for each second`() {
    var rates = RowRates()
    rates.record([row(1, .running, speed: 5)], at: time(0))
    rates.record([row(1, .running, speed: 7)], at: time(100))
    rates.record([row(1, .running, speed: 9)], at: time(1000))
    #expect(rates.samples(of: TransferID(rawValue: 1)) == [7, 9])
    #expect(rates.top == 9)
    for second in Int64(2)...40 {
      rates.record([row(1, .running, speed: .max)], at: time(second * 1000))
    }
    #expect(rates.samples(of: TransferID(rawValue: 1)).count == RowRates.countMax)
    rates.record([row(1, .paused)], at: time(50_000))
    #expect(rates.samples(of: TransferID(rawValue: 1)).isEmpty)
    #expect(rates.top == 0)
  }

  @Test func `a slow row is visible beside a fast one`() {
    #expect(Sparkline.share(of: 2 << 20, top: 60 << 20) > 0.15)
    #expect(Sparkline.share(of: .max, top: 1) == 1)
    #expect(Sparkline.share(of: .min, top: .max) == 0)
    var canvas = Canvas(size: ScreenSize(columns: 4, rows: 1), look: .text)
    Sparkline(samples: [0, 1, 50, 100], top: 100).draw(on: &canvas, row: 0, columns: 0..<4)
    #expect(canvas.frame.lines[0] == "  ⢀⣾")
  }

  @Test func `a row flashes for a second when it is done`() {
    var rates = RowRates()
    let id = TransferID(rawValue: 1)
    rates.record([row(1, .completed)], at: time(0))
    #expect(!rates.flashes(id, at: time(0)))
    rates.record([row(1, .running)], at: time(1000))
    rates.record([row(1, .completed)], at: time(2000))
    #expect(rates.flashes(id, at: time(2000)))
    #expect(rates.millisecondsToChange(at: time(2400)) == 600)
    #expect(!rates.flashes(id, at: time(3000)))
    #expect(rates.millisecondsToChange(at: time(3000)) == nil)
  }

  @Test func `a host keeps its color`() {
    var rates = RowRates()
    rates.note("a.example")
    rates.note("b.example")
    rates.note("a.example")
    #expect(rates.hostNumber("a.example") == 0)
    #expect(rates.hostNumber("b.example") == 1)
    #expect(rates.hostNumber("c.example") == nil)
  }
}
