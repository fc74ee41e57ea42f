import KettleModel
import Testing

@testable import KettleCommands

struct CommandProgressTests {
  private func time(_ milliseconds: Int64) -> MonotonicTime {
    MonotonicTime(milliseconds: milliseconds)
  }

  @Test func `progress appears after a second and is erased at the end`() {
    let console = FakeConsole(errorColumns: 80)
    var progress = CommandProgress(on: console, at: time(0))
    progress.show(.read(5), at: time(999))
    #expect(console.error == "")
    progress.show(.read(120_000), at: time(1000))
    progress.show(.added(1000, of: 200_000), at: time(1099))
    progress.show(.added(2000, of: 200_000), at: time(1100))
    progress.show(.added(3, of: 4), at: time(1200))
    progress.end()
    progress.end()
    #expect(
      console.error == "\r120000 URLs read\r2000 of 200000 added\r3 of 4 added"
        + String(repeating: " ", count: 8) + "\r" + String(repeating: " ", count: 12) + "\r")
    #expect(console.output == "")
  }

  @Test func `progress never fills the last column`() {
    let console = FakeConsole(errorColumns: 10)
    var progress = CommandProgress(on: console, at: time(0))
    progress.show(.added(2000, of: 200_000), at: time(5000))
    #expect(console.error == "\r2000 of …")
  }

  @Test(arguments: [
    FakeConsole(), FakeConsole(outputColumns: 80), FakeConsole(outputColumns: 80, errorColumns: 80),
  ])
  func `no progress is shown without a terminal or when ids are printed`(console: FakeConsole) {
    var progress = CommandProgress(on: console, at: time(0))
    progress.show(.added(2000, of: 200_000), at: time(5000))
    progress.end()
    #expect(console.error == "")
  }
}
