import KettleDashboard
import KettleModel
import Testing

@testable import KettleCommands

/// The complete line of `get` on terminals. The last column of a terminal stays free.
struct ProgressLineTests {
  private static let colored = Look(charset: .utf8, colors: .ansi16)
  private static let ascii = Look(charset: .ascii, colors: .none)

  private func running(_ title: String = "file.iso") -> TransferSnapshot {
    var row = snapshot(1, .running, title: title)
    row.bytesReceived = 52_428_800
    row.bytesExpected = 104_857_600
    row.bytesPerSecond = 1_048_576
    row.secondsLeft = 50
    return row
  }

  private func line(_ row: TransferSnapshot, columns: Int, _ look: Look = Self.colored) -> String {
    let now = FakeClock().now().wall
    let drawn = ProgressLine(row: row, now: now)
      .drawn(columns: columns - 1, look: look, clock: FakeClock().text(at: now))
    return visible(drawn.line)
  }

  @Test func `a terminal of 80 columns shows all numbers of a short name`() {
    let row = running()
    #expect(
      line(row, columns: 80)
        == "1  file.iso  <cyan>━━━━━</><dim>─────</> 50%, 50/100 MiB, 1.0 MiB/s, 0:50 left, done at 14:00"
    )
    #expect(
      line(row, columns: 80, Look(charset: .utf8, colors: .none))
        == "1  file.iso  ━━━━━───── 50%, 50/100 MiB, 1.0 MiB/s, 0:50 left, done at 14:00")
    #expect(
      line(row, columns: 80, Self.ascii)
        == "1  file.iso  [####----] 50%, 50/100 MiB, 1.0 MiB/s, 0:50 left, done at 14:00")
    #expect(
      line(row, columns: 80, Look(charset: .ascii, colors: .ansi16))
        == "1  file.iso  <cyan>[####----]</> 50%, 50/100 MiB, 1.0 MiB/s, 0:50 left, done at 14:00")
  }

  @Test func `a narrow terminal shows the most important numbers`() {
    let row = running()
    #expect(line(row, columns: 40) == "1  file.iso  <cyan>━━━━━</><dim>─────</> 50%, 0:50 left")
    #expect(line(row, columns: 40, Self.ascii) == "1  file.iso  [####----] 50%, 0:50 left")
    #expect(line(row, columns: 21, Self.ascii) == "1  file.iso: 50%, 5~")
  }

  @Test func `a long name is shortened in the middle`() {
    let row = running("ubuntu-24.04.2-desktop-amd64.iso")
    #expect(
      line(row, columns: 80, Self.ascii)
        == "1  ubuntu-24.04~md64.iso  [####----] 50%, 1.0 MiB/s, 0:50 left, done at 14:00")
    #expect(line(row, columns: 40) == "1  ubuntu-24.0…md64.iso  <cyan>━━━━━</><dim>─────</> 50%")
  }

  @Test func `the bar does not move while the numbers change`() {
    var row = running()
    let before = line(row, columns: 100, Self.ascii).prefix { $0 != "]" }
    (row.bytesPerSecond, row.secondsLeft) = (99 << 20, 599)
    #expect(line(row, columns: 100, Self.ascii).prefix { $0 != "]" } == before)
  }

  @Test func `a wait has its reason in the color of waiting`() {
    var row = snapshot(3, .waiting)
    row.reason = .retry
    row.error = TransferFailure(.connectionRefused, on: "example.org")
    row.goesOnAt = WallTime(millisecondsSince1970: FakeClock.start + 12_000)
    let reason = "\"example.org\" refused the connection"
    #expect(line(row, columns: 80) == "3  file.iso: <yellow>retrying in 12 s: \(reason)</>")
    #expect(line(row, columns: 40) == "3  file.iso: <yellow>retrying in 12 s: \"exampl…</>")
    #expect(line(row, columns: 40, Self.ascii) == "3  file.iso: retrying in 12 s: \"exampl~")
    row.state = .paused
    #expect(line(row, columns: 40) == "3  file.iso: <yellow>paused</>")
  }

  @Test func `the reason for slowness is shown where there is room`() {
    var row = running()
    var limit = HeldBack(.ownLimit)
    limit.bytesPerSecond = 1_048_576
    row.heldBack = limit
    #expect(line(row, columns: 200).hasSuffix(", <yellow>it is slowed by its limit of 1 MiB/s</>"))
    #expect(line(row, columns: 80).hasSuffix(" MiB/s, 0:50 left, done at 14:00"))
    row.secondsLeft = nil
    row.heldBack = HeldBack(.unknown, subject: "example.org")
    #expect(
      line(row, columns: 100).hasSuffix(
        " 50%, <yellow>\"example.org\" sends little or nothing, and it is not known why</>"))
  }

  @Test func `the end has the color of its result`() {
    #expect(line(snapshot(1, .completed), columns: 80) == "1  file.iso: <green>done, 0 B</>")
    #expect(line(snapshot(1, .failed), columns: 80) == "1  file.iso: <bold red>failed</>")
    #expect(line(snapshot(1, .queued), columns: 80) == "1  file.iso: <dim>queued</>")
  }

  // Fault 128
  @Test func `a hostile name cannot control the terminal of get`() {
    for state in TransferState.allCases {
      var row = running(ListCommandTests.hostile)
      row.state = state
      for columns in [1, 2, 12, 40, 200] {
        let text = line(row, columns: columns)
        #expect(text.unicodeScalars.allSatisfy { !$0.isControl && !$0.isInvisible })
      }
    }
  }
}
