import KettleModel
import Testing

@testable import KettleCommands

struct ProgressPrinterTests {
  private func row(_ received: Int64) -> TransferSnapshot {
    var row = snapshot(1, .running)
    row.bytesReceived = received
    return row
  }

  private func show(_ times: [Int64], isRedrawn: Bool) throws -> Int {
    let console = FakeConsole(outputColumns: isRedrawn ? 80 : nil)
    var printer = ProgressPrinter(on: console, isRedrawn: isRedrawn)
    for time in times { try printer.show(row(time), at: MonotonicTime(milliseconds: time)) }
    let mark: Character = isRedrawn ? "\r" : "\n"
    return console.output.filter { $0 == mark }.count
  }

  @Test func `a terminal is redrawn at most ten times a second`() throws {
    #expect(try show(Array(stride(from: 0, to: 1000, by: 10)), isRedrawn: true) == 10)
  }

  @Test func `a pipe gets at most one line every five seconds`() throws {
    #expect(try show(Array(stride(from: 0, through: 15_000, by: 100)), isRedrawn: false) == 4)
  }

  @Test func `a change of state is shown at once`() throws {
    let console = FakeConsole()
    var printer = ProgressPrinter(on: console, isRedrawn: false)
    for state in [TransferState.queued, .running, .paused] {
      try printer.show(snapshot(1, state), at: MonotonicTime(milliseconds: 0))
    }
    #expect(console.output.split(separator: "\n").count == 3)
  }

  @Test func `a shorter line erases the longer one before it`() throws {
    let console = FakeConsole(outputColumns: 80)
    var printer = ProgressPrinter(on: console, isRedrawn: true)
    try printer.show(snapshot(1, .completed), at: MonotonicTime(milliseconds: 0))
    try printer.show(snapshot(1, .idle), at: MonotonicTime(milliseconds: 0))
    let parts = console.output.split(separator: "\r")
    #expect(parts.map { ColumnText.width(of: String($0)) }.max() == parts.last?.count)
  }

  @Test func `wide characters and narrow terminals are handled`() throws {
    let console = FakeConsole(outputColumns: 12)
    var printer = ProgressPrinter(on: console, isRedrawn: true)
    try printer.show(
      snapshot(1, .running, title: "日本語のガイド"), at: MonotonicTime(milliseconds: 0))
    #expect(console.output == "\r1  日本語…")
  }
}
