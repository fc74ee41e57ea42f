import KettleDashboard
import KettleModel
import Testing

/// The single-line dialogs on screens of all sizes.
struct LimitScreenTests {
  private func model(_ columns: Int, _ rows: Int) -> Dashboard {
    var list = Sample.rows
    list[0].limitBytesPerSecond = 2 << 20
    return Sample.model(columns: columns, rows: rows, showing: list)
  }

  @Test func `the field shows the current limit`() {
    var model = model(80, 24)
    _ = model.press(.character("l"))
    expectScreen(
      model.screen(),
      """
       ♨ ↓ 12.6 MiB/s  ▶3 ≡1 ◷2 ·1 ◔2 ‖1 ○2 ⚑1 ✔1 ✘1           42% ━━━───── 1:30 left
         File                  Progress                      Size      Speed    Left
       ▶ Networking Overview   ━━━━━━━━╸───────   61% 405/659 MiB 12.1 MiB/s    0:21
       ‖ iOS Technolog…erview  ━━━─────────────   22%    6/29 MiB     paused
       ◷ Archive of 2025       retry in 12 s (503)      0/1.2 GiB
       ✔ AV Foundation Guide   done 14:02                  11 MiB
       ▶ A stream with…length  ────━━━─────────           5.0 MiB  500 KiB/s
       ◷ Offline               waiting for network    3.0/9.0 MiB
      ╭─ Speed limit ────────────────────────────────────────────────────────────────╮
      │ Speed limit for "Networking Overview"                                        │
      │ 2M                                                                           │
      │ Enter sets it to 2 MiB/s                                                     │
      │                                                                              │
      │ Tab: [this file] | all                                                       │
      ╰──────────────────────────────────────────────────────────────────────────────╯
       ○ New                   not started
       ▶ 文件传输指南 …第二版  ╸───────────────   10%  100/1000 B     10 B/s    1:30
      (5 empty lines)
                                                                                 1/15
       Enter apply  Esc cancel  Tab next  Ctrl-U clear line
      """)
  }

  @Test func `a problem is shown once`() {
    var model = model(80, 24)
    _ = model.press(.character("l"), .control("u"))
    _ = model.type("fast")
    _ = model.press(.enter)
    let sentence = "Write 500K or 1.5M; empty for no limit"
    #expect(model.said == sentence)
    let text = model.screen().lines.joined(separator: "\n")
    #expect(text.split(separator: sentence, omittingEmptySubsequences: false).count == 2)
  }

  @Test func `with marks the scopes are the marked rows, the row and all`() {
    var model = model(100, 30)
    _ = model.press(.character(" "), .character(" "), .character("l"))
    expectScreen(
      model.screen(),
      """
       ♨ kettle   ↓ 12.6 MiB/s  ▶3 ≡1 ◷2 ·1 ◔2 ‖1 ○2 ⚑1 ✔1 ✘1                      42% ━━━───── 1:30 left
      ╭─┤¹speed├──────────────────────────────────────────────────────────────────────────────────┤3:12├─╮
      │ 15 MiB/s                                                                                       ⣶ │
      │                                                                                                ⣿ │
      │                                                                                                ⣿ │
      ╰─┤now 12.6 MiB/s · average 12.6 MiB/s · peak 12.6 MiB/s├──────────────────────────────────────────╯
      ╭─┤³downloads├───────────────────────────────────────────────────────────────────────┤queue order├─╮
      │   File                        Progress                           Size             Speed    Left  │
      │ ▶◆Networking Overview         ━━━━━━━━━━━╸─────────   61% 405/659 MiB      12.1/2 MiB/s    0:21  │
      │ ‖◆iOS Technology Overview     ━━━━─────────────────   22%    6/29 MiB            paused          │
      │ ◷ Archive of 2025             retry in 12 s (503)           0/1.2 GiB                            │
      ╭─ Speed limit ────────────────────────────────────────────────────────────────────────────────────╮
      │ Speed limit for each of the 2 marked transfers                                                   │
      │                                                                                                  │
      │ Enter removes the limit; 500K or 1.5 MiB/s sets one                                              │
      │                                                                                                  │
      │ Tab: [marked] | this file | all                                                                  │
      ╰──────────────────────────────────────────────────────────────────────────────────────────────────╯
      │ ✘ Gone                        host not found              1.0/4.0 MiB                            │
      │ ≡ Checksummed                 ━━━━━━━━━━━━━━━━━━━━━  100%     700 MiB         verifying          │
      │ ○ Stopped                     stopped                                                            │
      │ ○ New                         not started                                                        │
      │ ▶ 文件传输指南 🚀 第二版      ━╸───────────────────   10%  100/1000 B      ⢀     10 B/s    1:30  │
      │                                                                                                  │
      │                                                                                                  │
      │                                                                                                  │
      │ 2 marked   Esc clears it                                                                         │
      │                                                                                                  │
      ╰─┤3/15├─────────────────────────────────────────────────────────────────┤181 GiB left afterwards├─╯
       Enter apply  Esc cancel  Tab next  Ctrl-U clear line
      """)
    _ = model.press(.tab, .tab)
    #expect(model.press(.character("9"), .enter) == [.service(.limit(.all, 9))])
  }

  @Test func `the limit for all on a small screen, in ASCII`() {
    var model = model(40, 10)
    _ = model.press(.character("l"), .tab)
    expectScreen(
      model.screen(.ascii),
      """
       k v 12.6 MiB/s  *3 ~2 .1 =1 !1 +1 !1
      +- Speed limit ------------------------+
      | Speed limit for everything           |
      |                                      |
      | Enter removes the limit; 500K or 1.5 |
      | MiB/s sets one                       |
      | Tab: this file | [all]               |
      +--------------------------------------+
                                         1/15
       Enter apply  Esc cancel  Tab next
      """)
  }

  @Test func `a new link in 140 columns`() {
    var model = model(140, 40)
    _ = model.press(.character("u"), .paste("example.org/a"))
    expectScreen(
      model.screen(),
      """
       ♨ kettle   ↓ 12.6 MiB/s    ▶ 3  ≡ 1  ◷ 2  · 1  ◔ 2  ‖ 1  ○ 2  ⚑ 1 needs you  ✔ 1  ✘ 1                         42% ━━━━━───────── 1:30 left
      ╭─┤¹speed├──────────────────────────────────────────────────────────────────────┤2:48├─╮╭─┤²hosts├─────────────────────────────────────────╮
      │ 15 MiB/s                                                                           ⣀ ││                                                  │
      │                                                                                    ⣿ ││                                                  │
      │                                                                                    ⣿ ││                                                  │
      │ 7.5 MiB/s                                                                          ⣿ ││                                                  │
      │                                                                                    ⣿ ││                                                  │
      │                                                                                    ⣿ ││                          181 GiB left afterwards │
      ╰─┤now 12.6 MiB/s · average 12.6 MiB/s · peak 12.6 MiB/s├──────────────────────────────╯╰──────────────────────────────────────────────────╯
      ╭─┤³downloads├───────────────────────────────────────────────────────────────────────────────────────────────────────────────┤queue order├─╮
      │   File                                 Progress                                 Size             Speed Conns    Left  Host               │
      │ ▶ Networking Overview                  ━━━━━━━━━━━━━━━╸───────────   61% 405/659 MiB      12.1/2 MiB/s     4    0:21  ▌ example.org      │
      │ ‖ iOS Technology Overview              ━━━━━━─────────────────────   22%    6/29 MiB            paused                ▌ example.org      │
      │ ◷ Archive of 2025                      retry in 12 s (503)                 0/1.2 GiB                                  ▌ example.org      │
      │ ✔ AV Foundation Guide                  done 14:02                             11 MiB                                    example.org      │
      │ ▶ A stream without a length            ━━━────────────────────────           5.0 MiB      ⢀  500 KiB/s     1          ▌ example.org      │
      │ ◷ Offline                              waiting for network               3.0/9.0 MiB                                  ▌ example.org      │
      │ ⚑ Members only  ╭─ New link ───────────────────────────────────────────────────────────────────────────────────────────╮log in  s retry  │
      │ · Next in line  │ New link for "Networking Overview"                                                                   │example.org      │
      │ ◔ At night      │ example.org/a                                                                                        │example.org      │
      │ ◔ At Christmas  │ Enter uses it                                                                                        │example.org      │
      │ ✘ Gone          │                                                                                                      │example.org      │
      │ ≡ Checksummed   ╰──────────────────────────────────────────────────────────────────────────────────────────────────────╯example.org      │
      │ ○ Stopped                              stopped                                                                        ▌ example.org      │
      │ ○ New                                  not started                                                                    ▌ example.org      │
      │ ▶ 文件传输指南 🚀 第二版               ━╸─────────────────────────   10%  100/1000 B      ⢀     10 B/s     1    1:30  ▌ example.org      │
      │                                                                                                                                          │
      │                                                                                                                                          │
      │                                                                                                                                          │
      │                                                                                                                                          │
      │                                                                                                                                          │
      │                                                                                                                                          │
      │                                                                                                                                          │
      │                                                                                                                                          │
      │                                                                                                                                          │
      │                                                                                                                                          │
      │                                                                                                                                          │
      │                                                                                                                                          │
      ╰─┤1/15├───────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────╯
       Enter apply  Esc cancel  Ctrl-U clear line
      """)
  }
}
