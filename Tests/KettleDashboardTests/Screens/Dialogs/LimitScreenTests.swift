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
       Kettle   ↓ 12.6 MiB/s   ▶3 ≡1 ◷3 ·1 ◔2 ‖1 ○2 ✔1 ✘1             42 %  1:30 left
          File                     Progress               Size         Speed    Ready
       ▶  Networking Overview      ▃▃▃▃····  61 %  405/659 MiB  12.1/2 MiB/s    12:00
       ‖  iOS Technology Overview  ▃         22 %     6/29 MiB  paused
       ◷  Archive of 2025          ▃          0 %    0/1.2 GiB  retry in 12 s (503)
       ✔  AV Foundation Guide               100 %       11 MiB  ready           14:02
       ▶  A stream withou… length  ███                 5.0 MiB     500 KiB/s
       ◷  Offline                  ▃▃        33 %  3.0/9.0 MiB  waiting for network
      ┌─ Speed limit ────────────────────────────────────────────────────────────────┐
      │ Speed limit for "Networking Overview"                                        │
      │ 2M                                                                           │
      │ Enter limits it to 2.0 MiB/s                                                 │
      │                                                                              │
      │ Tab: for all transfers together                                              │
      └──────────────────────────────────────────────────────────────────────────────┘
       ○  New                                                   not started
       ▶  文件传输指南 🚀 第二版   ▃·······  10 %   100/1000 B        10 B/s    12:01
      (4 empty lines)
                                                                                 1/15
       Enter apply  Esc cancel  Tab next  Ctrl-U clear line

      """)
  }

  @Test func `a problem is shown once`() {
    var model = model(80, 24)
    _ = model.press(.character("l"), .control("u"))
    _ = model.type("fast")
    _ = model.press(.enter)
    let sentence = "Not a valid rate; write 500K, 1.5M or 1G, or nothing for no limit"
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
       Kettle   ↓ 12.6 MiB/s █          ▶3 ≡1 ◷3 ·1 ◔2 ‖1 ○2 ✔1 ✘1
       ██████████████                      42 %  1:30 left  0 of 8 done  1.0/2.5 GiB   181 GiB free after
         15 MiB/s│                                                                                      ⣶
                 │                                                                                      ⣿
                 │                                                                                      ⣿
                0└─ 2:54 ago ─────────────────────────────────────────────────────────────────────── now
          File                           Progress                     Size          Speed  Conns    Ready
       ▶◆ Networking Overview            ▃▃▃▃▃▃▃▃······  61 %  405/659 MiB   12.1/2 MiB/s      4    12:00
       ‖◆ iOS Technology Overview        ▃▃▃             22 %     6/29 MiB  paused
       ◷  Archive of 2025                ▃                0 %    0/1.2 GiB  retry in 12 s (503)
       ✔  AV Foundation Guide                           100 %       11 MiB  ready                   14:02
      ┌─ Speed limit ────────────────────────────────────────────────────────────────────────────────────┐
      │ Speed limit for each of the 2 marked transfers                                                   │
      │                                                                                                  │
      │ Enter removes the limit; 500K or 1.5M sets one                                                   │
      │                                                                                                  │
      │ Tab: for "Archive of 2025", or all transfers together                                            │
      └──────────────────────────────────────────────────────────────────────────────────────────────────┘
       ≡  Checksummed                    ▃▃▃▃▃▃▃▃▃▃▃▃▃▃ 100 %      700 MiB  verifying
       ○  Stopped                                                           stopped
       ○  New                                                               not started
       ▶  文件传输指南 🚀 第二版         ▃·············  10 %   100/1000 B         10 B/s      1    12:01
      (4 empty lines)
       2 marked   Esc clears it
                                                                                                     3/15
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
       Kettle   v 12.6 MiB/s   *3 ~3 .1 +1 !1
      +- Speed limit ------------------------+
      | Speed limit for all transfers toget~ |
      |                                      |
      | Enter removes the limit; 500K or     |
      | 1.5M sets one                        |
      | Tab: for "Networking Overview"       |
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
       Kettle   ↓ 12.6 MiB/s █          3 running  1 verifying  3 waiting  1 queued  2 scheduled  1 paused  2 idle  1 done  1 failed
       █████████████████████████▌                                     42 %  1:30 left  0 of 8 done  1.0/2.5 GiB                181 GiB free after
         15 MiB/s│                                                        ⣶ │ Host                       Conns       Speed  Held back
                 │                                                        ⣿ │
                 │                                                        ⣿ │
                0└─ 1:54 ago ───────────────────────────────────────── now  │
          File                                        Progress                       Size          Speed  Conns    Ready  Host              Added
       ▶  Networking Overview                         ▃▃▃▃▃▃▃▃▃·······  61 %  405/659 MiB   12.1/2 MiB/s      4    12:00  example.org       11:00
       ‖  iOS Technology Overview                     ▃▃▃               22 %     6/29 MiB  paused                         example.org       11:00
       ◷  Archive of 2025                             ▃                  0 %    0/1.2 GiB  retry in 12 s (503)            example.org       11:00
       ✔  AV Foundation Guide                                          100 %       11 MiB  ready                   14:02  example.org       11:00
       ▶  A stream without a length                             ███               5.0 MiB      500 KiB/s      1           example.org       11:00
       ◷  Offline                                     ▃▃▃▃▃             33 %  3.0/9.0 MiB  waiting for network            example.org       11:00
       ◷  Members only                                                                     needs a login                  example.org       11:00
       ·  Next in line                                                                     #1 host full 2/2        12:50  example.org       11:00
       ◔  At night                                                                         starts 18:00                   example.org       11:00
       ◔  At Christmas                                                                     starts 24 Dec 12:00            example.org       11:00
       ✘  Gone          ┌─ New link ───────────────────────────────────────────────────────────────────────────────────────────┐e.org       11:00
       ≡  Checksummed   │ New link for "Networking Overview"                                                                   │e.org       11:00
       ○  Stopped       │ example.org/a                                                                                        │e.org       11:00
       ○  New           │ The URL "example.org/a" has no scheme; start it with https:// or http://                             │e.org       11:00
       ▶  文件传输指南  │                                                                                                      │e.org       11:00
                        └──────────────────────────────────────────────────────────────────────────────────────────────────────┘
      (15 empty lines)
                                                                                                                                             1/15
       Enter apply  Esc cancel  Ctrl-U clear line
      """)
  }
}
