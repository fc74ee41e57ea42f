import KettleDashboard
import KettleModel
import Testing

@testable import KettleCommands

struct ProgressPrinterTests {
  private let utf8 = Look(charset: .utf8, colors: .none)

  private func printer(on console: FakeConsole, isRedrawn: Bool) -> ProgressPrinter {
    ProgressPrinter(
      on: console, to: .output, clock: FakeClock(), look: isRedrawn ? utf8 : nil)
  }

  private func moment(_ milliseconds: Int64) -> Moment {
    Moment(
      monotonic: MonotonicTime(milliseconds: milliseconds),
      wall: WallTime(millisecondsSince1970: milliseconds))
  }

  private func row(_ received: Int64) -> TransferSnapshot {
    var row = snapshot(1, .running)
    row.bytesReceived = received
    return row
  }

  private func show(_ times: [Int64], isRedrawn: Bool) throws -> Int {
    let console = FakeConsole(outputColumns: isRedrawn ? 80 : nil)
    var printer = printer(on: console, isRedrawn: isRedrawn)
    for time in times { try printer.show(row(time), at: moment(time)) }
    let mark: Character = isRedrawn ? "\r" : "\n"
    return console.output.filter { $0 == mark }.count
  }

  @Test func `a terminal is redrawn at most ten times a second`() throws {
    #expect(try show(Array(stride(from: 0, to: 1000, by: 10)), isRedrawn: true) == 10)
  }

  @Test func `a pipe gets at most one line every five seconds`() throws {
    #expect(try show(Array(stride(from: 0, through: 15_000, by: 100)), isRedrawn: false) == 3)
  }

  @Test func `a pause is shown at once, and a queue only if it lasts`() throws {
    let console = FakeConsole()
    var printer = printer(on: console, isRedrawn: false)
    for state in [TransferState.queued, .running, .verifying, .running, .paused] {
      try printer.show(snapshot(1, state), at: moment(0))
    }
    #expect(console.output == "1  file.iso: paused\n")
    for time in [1000, 1500, 2000] as [Int64] {
      try printer.show(snapshot(1, .queued), at: moment(time))
    }
    #expect(console.output == "1  file.iso: paused\n1  file.iso: queued\n")
  }

  @Test func `a shorter line erases the longer one before it`() throws {
    let console = FakeConsole(outputColumns: 80)
    var printer = printer(on: console, isRedrawn: true)
    try printer.show(snapshot(1, .completed), at: moment(0))
    try printer.show(snapshot(1, .idle), at: moment(0))
    let parts = console.output.split(separator: "\r")
    #expect(parts.map { ColumnText.width(of: String($0)) }.max() == parts.last?.count)
  }

  @Test func `wide characters and narrow terminals are handled`() throws {
    let console = FakeConsole(outputColumns: 12)
    var printer = printer(on: console, isRedrawn: true)
    try printer.show(snapshot(1, .running, title: "日本語のガイド"), at: moment(0))
    #expect(console.output == "\r1  日本語…")
  }
}
