import KettleModel
import Testing

@testable import KettleDashboard

/// The list of what can be undone.
struct BinScreenTests {
  private func opened(columns: Int = 80, rows: Int = 24) -> Dashboard {
    var model = Sample.model(columns: columns, rows: rows)
    #expect(model.press(.character("b")) == [.service(.bin(.list))])
    _ = model.update(.commandFinished(.binListed(Sample.bin)), at: Sample.now)
    return model
  }

  @Test func `Enter undoes the chosen action`() {
    var model = opened()
    #expect(model.press(.down, .enter) == [.service(.bin(.undo(6)))])
    #expect(model.keyContext == .list)
  }

  @Test func `the choice stays within the list`() {
    var model = opened()
    _ = model.press(.up)
    #expect(model.press(.down, .down, .down, .down, .enter) == [.service(.bin(.undo(5)))])
  }

  @Test func `emptying asks first`() {
    var model = opened()
    #expect(model.press(.character("D")).isEmpty)
    #expect(model.keyContext == .question)
    #expect(model.press(.character("n")).isEmpty)
    var other = opened()
    #expect(other.press(.character("D"), .character("y")) == [.service(.bin(.empty))])
    _ = other.update(.commandFinished(.binEmptied), at: Sample.now)
    #expect(other.said == "The bin is empty; nothing can be undone")
  }

  @Test func `an empty bin undoes nothing`() {
    var model = Sample.model(columns: 80, rows: 24)
    _ = model.press(.character("b"))
    _ = model.update(.commandFinished(.binListed([])), at: Sample.now)
    #expect(model.press(.enter).isEmpty)
    #expect(model.said == "Nothing to undo")
  }

  @Test func `a double click undoes, and a click beside the list closes it`() throws {
    var model = opened()
    let place = try #require(model.screen().position(of: "removed"))
    #expect(model.click(row: place.row, column: place.column).isEmpty)
    #expect(
      model.click(row: place.row, column: place.column, .doubleClick) == [.service(.bin(.undo(6)))])
    var other = opened()
    _ = other.click(row: 1, column: 1)
    #expect(other.keyContext == .list)
  }

  @Test(arguments: [(40, 12), (80, 24), (100, 28), (120, 35), (200, 60)])
  func `the bin fits on every screen`(columns: Int, rows: Int) {
    let lines = opened(columns: columns, rows: rows).screen().lines
    #expect(lines.contains { $0.contains("stopped") })
    #expect(lines.contains { $0.contains("empty the bin") })
  }

  @Test func `the bin in 80 columns`() {
    expectScreen(
      opened().screen(),
      """
       ♨ ↓ 12.6 MiB/s  ▶3 ≡1 ◷2 ·1 ◔2 ‖1 ○2 ⚑1 ✔1 ✘1           42% ━━━───── 1:30 left
         File                  Progress                      Size      Speed    Left
       ▶ Networking Overview   ━━━━━━━━╸───────   61% 405/659 MiB 12.1 MiB/s    0:21
       ‖ iOS Technolog…erview  ━━━─────────────   22%    6/29 MiB     paused
       ◷ Archive of 2025       retry in 12 s (503)      0/1.2 GiB
       ✔ AV Foundation Guide   done 14:02                  11 MiB
       ▶ A stream with…length  ────━━━─────────           5.0 MiB  500 KiB/s
       ◷ Offline               waiting for network    3.0/9.0 MiB
      ╭─ Undo ───────────────────────────────────────────────────────────────────────╮
      │ > 11:59  stopped "debian-12.iso", 514 MiB  until 12:09                       │
      │   11:58  removed "Archive" and 9 more  until 12:08                           │
      │   11:53  cleared from view  until 12:03                                      │
      │                                                                              │
      │ Enter undoes the action. Its bytes are deleted at the time shown.            │
      ╰──────────────────────────────────────────────────────────────────────────────╯
       ○ New                   not started
       ▶ 文件传输指南 …第二版  ╸───────────────   10%  100/1000 B     10 B/s    1:30
      (5 empty lines)
                                                                                 1/15
       D empty the bin │ Enter undo  Esc cancel
      """)
  }

  @Test func `the bin in 120 columns`() {
    expectScreen(
      opened(columns: 120, rows: 35).screen(),
      """
       ♨ kettle   ↓ 12.6 MiB/s    ▶ 3  ≡ 1  ◷ 2  · 1  ◔ 2  ‖ 1  ○ 2  ⚑ 1 needs you  ✔ 1  ✘ 1     42% ━━━━━───────── 1:30 left
      ╭─┤¹speed├────────────────────────────────────────────────────────┤2:20├─╮╭─┤²hosts├───────────────────────────────────╮
      │ 15 MiB/s                                                             ⣀ ││                                            │
      │                                                                      ⣿ ││                                            │
      │                                                                      ⣿ ││                                            │
      │ 7.5 MiB/s                                                            ⣿ ││                                            │
      │                                                                      ⣿ ││                                            │
      │                                                                      ⣿ ││                    181 GiB left afterwards │
      ╰─┤now 12.6 MiB/s · average 12.6 MiB/s · peak 12.6 MiB/s├────────────────╯╰────────────────────────────────────────────╯
      ╭─┤³downloads├───────────────────────────────────────────────────────────────────────────────────────────┤queue order├─╮
      │   File                         Progress                           Size             Speed    Left  Host               │
      │ ▶ Networking Overview          ━━━━━━━━━━━╸─────────   61% 405/659 MiB      ⢸ 12.1 MiB/s    0:21  ▌ example.org      │
      │ ‖ iOS Technology Overview      ━━━━─────────────────   22%    6/29 MiB            paused          ▌ example.org      │
      │ ◷ Archive of 2025              retry in 12 s (503)           0/1.2 GiB                            ▌ example.org      │
      │ ✔ AV Foundation Gu╭─ Undo ───────────────────────────────────────────────────────────────────────╮  example.org      │
      │ ▶ A stream without│ > 11:59  stopped "debian-12.iso", 514 MiB  until 12:09                       │▌ example.org      │
      │ ◷ Offline         │   11:58  removed "Archive" and 9 more  until 12:08                           │▌ example.org      │
      │ ⚑ Members only    │   11:53  cleared from view  until 12:03                                      │u log in  s retry  │
      │ · Next in line    │                                                                              │▌ example.org      │
      │ ◔ At night        │ Enter undoes the action. Its bytes are deleted at the time shown.            │▌ example.org      │
      │ ◔ At Christmas    ╰──────────────────────────────────────────────────────────────────────────────╯▌ example.org      │
      │ ✘ Gone                         host not found              1.0/4.0 MiB                            ▌ example.org      │
      │ ≡ Checksummed                  ━━━━━━━━━━━━━━━━━━━━━  100%     700 MiB         verifying          ▌ example.org      │
      │ ○ Stopped                      stopped                                                            ▌ example.org      │
      │ ○ New                          not started                                                        ▌ example.org      │
      │ ▶ 文件传输指南 🚀 第二版       ━╸───────────────────   10%  100/1000 B      ⢀     10 B/s    1:30  ▌ example.org      │
      │                                                                                                                      │
      │                                                                                                                      │
      │                                                                                                                      │
      │                                                                                                                      │
      │                                                                                                                      │
      │                                                                                                                      │
      │                                                                                                                      │
      ╰─┤1/15├───────────────────────────────────────────────────────────────────────────────────────────────────────────────╯
       D empty the bin │ Enter undo  Esc cancel
      """)
  }
}
