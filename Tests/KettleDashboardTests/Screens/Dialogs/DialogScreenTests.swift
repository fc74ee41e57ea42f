import KettleDashboard
import KettleModel
import Testing

struct DialogScreenTests {
  @Test func `the reset question states what is deleted and what is kept`() {
    var model = Sample.model(columns: 80, rows: 24)
    _ = model.press(.character("R"))
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
       ⚑ Members only          example.org wants a login           u log in  s retry
       · Nex╭─ Reset ──────────────────────────────────────────────────────────╮0:00
       ◔ At │ Move 1 finished file to the bin and start all 15 over?           │
       ◔ At │ Files modified by other programs are kept and listed. For ten    │
       ✘ Gon│ minutes z brings everything back.                                │
       ≡ Che│ y yes   n no (Enter, Esc)                                        │
       ○ Sto╰──────────────────────────────────────────────────────────────────╯
       ○ New                   not started
       ▶ 文件传输指南 …第二版  ╸───────────────   10%  100/1000 B     10 B/s    1:30
      (5 empty lines)
                                                                                 1/15
       y yes  n no
      """)
  }

  @Test func `the remove question names the transfer, also in ASCII`() {
    var model = Sample.model(columns: 40, rows: 10)
    _ = model.press(.character("d"))
    expectScreen(
      model.screen(.ascii),
      """
       k v 12.6 MiB/s  *3 ~2 .1 =1 !1 +1 !1
      +- Remove -----------------------------+
      | Remove "Networking Overview" from    |
      | the list?                            |
      | What was downloaded so far (406 MiB) |
      | goes to the bin.                     |
      | y yes   n no (Enter, Esc)            |
      +--------------------------------------+
                                         1/15
       y yes  n no
      """)
  }

  @Test func `the question about removing a file names the file`() {
    var model = Sample.model(columns: 80, rows: 24)
    _ = model.press(.down, .down, .down, .character("D"))
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
       ⚑ Mem╭─ Remove with file ───────────────────────────────────────────────╮etry
       · Nex│ Remove "AV Foundation Guide" and its file?                       │0:00
       ◔ At │ /home/me/Downloads/AVFoundation.pdf                              │
       ◔ At │ The file goes to the bin. If another program modified it, it is  │
       ✘ Gon│ kept.                                                            │
       ≡ Che│ y yes   n no (Enter, Esc)                                        │
       ○ Sto╰──────────────────────────────────────────────────────────────────╯
       ○ New                   not started
       ▶ 文件传输指南 …第二版  ╸───────────────   10%  100/1000 B     10 B/s    1:30
      (5 empty lines)
                                                                                 4/15
       y yes  n no
      """)
  }

  @Test func `every question shows its answers on the smallest screen`() {
    for keys in [[Key.character("R")], [.character("d")], [.down, .down, .down, .character("D")]] {
      var model = Sample.model(columns: 36, rows: 8)
      for key in keys { _ = model.press(key) }
      #expect(model.screen().lines.contains { $0.contains("y yes   n no") })
    }
  }
}
