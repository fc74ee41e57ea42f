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
       Kettle   ↓ 12.6 MiB/s   ▶3 ≡1 ◷3 ·1 ◔2 ‖1 ○2 ✔1 ✘1             42 %  1:30 left
          File                     Progress               Size         Speed    Ready
       ▶  Networking Overview      ▃▃▃▃····  61 %  405/659 MiB    12.1 MiB/s    12:00
       ‖  iOS Technology Overview  ▃         22 %     6/29 MiB  paused
       ◷  Archive of 2025          ▃          0 %    0/1.2 GiB  retry in 12 s (503)
       ✔  AV Foundation Guide               100 %       11 MiB  ready           14:02
       ▶  A stream withou… length  ███                 5.0 MiB     500 KiB/s
       ◷  Offline                  ▃▃        33 %  3.0/9.0 MiB  waiting for network
       ◷  Members only                                          needs a login
       ·  Ne┌─ Reset ──────────────────────────────────────────────────────────┐12:50
       ◔  At│ Move 1 finished file to the bin and start all 15 over?           │
       ◔  At│ Files modified by other programs are kept and listed. For ten    │:00
       ✘  Go│ minutes z brings everything back.                                │ found
       ≡  Ch│ y yes   n no (Enter, Esc)                                        │
       ○  St└──────────────────────────────────────────────────────────────────┘
       ○  New                                                   not started
       ▶  文件传输指南 🚀 第二版   ▃·······  10 %   100/1000 B        10 B/s    12:01
      (4 empty lines)
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
       Kettle   v 12.6 MiB/s   *3 ~3 .1 +1 !1
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
       Kettle   ↓ 12.6 MiB/s   ▶3 ≡1 ◷3 ·1 ◔2 ‖1 ○2 ✔1 ✘1             42 %  1:30 left
          File                     Progress               Size         Speed    Ready
       ▶  Networking Overview      ▃▃▃▃····  61 %  405/659 MiB    12.1 MiB/s    12:00
       ‖  iOS Technology Overview  ▃         22 %     6/29 MiB  paused
       ◷  Archive of 2025          ▃          0 %    0/1.2 GiB  retry in 12 s (503)
       ✔  AV Foundation Guide               100 %       11 MiB  ready           14:02
       ▶  A stream withou… length  ███                 5.0 MiB     500 KiB/s
       ◷  Offline                  ▃▃        33 %  3.0/9.0 MiB  waiting for network
       ◷  Me┌─ Remove with file ───────────────────────────────────────────────┐
       ·  Ne│ Remove "AV Foundation Guide" and its file?                       │12:50
       ◔  At│ /home/me/Downloads/AVFoundation.pdf                              │
       ◔  At│ The file goes to the bin. If another program modified it, it is  │:00
       ✘  Go│ kept.                                                            │ found
       ≡  Ch│ y yes   n no (Enter, Esc)                                        │
       ○  St└──────────────────────────────────────────────────────────────────┘
       ○  New                                                   not started
       ▶  文件传输指南 🚀 第二版   ▃·······  10 %   100/1000 B        10 B/s    12:01
      (4 empty lines)
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
