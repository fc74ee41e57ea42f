import KettleDashboard
import KettleModel
import Testing

/// Marks, the fields and the menu on larger screens.
struct FindingScreenTests {
  private func model(columns: Int, rows: Int) -> Dashboard {
    var model = Sample.model(columns: columns, rows: rows)
    _ = model.press(.character(" "), .character(" "), .down, .character(" "))
    return model
  }

  @Test func `typing a filter in 100 columns`() {
    var model = model(columns: 100, rows: 30)
    _ = model.press(.character("\\"))
    _ = model.type("state:running,w host:example.org \"two words")
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
       ▶◆ Networking Overview            ▃▃▃▃▃▃▃▃······  61 %  405/659 MiB     12.1 MiB/s      4    12:00
       ‖◆ iOS Technology Overview        ▃▃▃             22 %     6/29 MiB  paused
       ◷  Archive of 2025                ▃                0 %    0/1.2 GiB  retry in 12 s (503)
       ✔◆ AV Foundation Guide                           100 %       11 MiB  ready                   14:02
      >▶  A stream without a length              ███               5.0 MiB      500 KiB/s      1
       ◷  Offline                        ▃▃▃▃            33 %  3.0/9.0 MiB  waiting for network
       ◷  Members only                                                      needs a login
       ·  Next in line                                                      #1 host full 2/2        12:50
       ◔  At night                                                          starts 18:00
       ◔  At Christmas                                                      starts 24 Dec 12:00
       ✘  Gone                           ▃▃▃             25 %  1.0/4.0 MiB  failed: host not found
       ≡  Checksummed                    ▃▃▃▃▃▃▃▃▃▃▃▃▃▃ 100 %      700 MiB  verifying
       ○  Stopped                                                           stopped
       ○  New                                                               not started
       ▶  文件传输指南 🚀 第二版         ▃·············  10 %   100/1000 B         10 B/s      1    12:01
      (4 empty lines)
       Filter: state:running,w host:example.org "two words
       words 'whole ^begin end$ !not  state:failed,waiting needs:you host:example.org queue:night    5/15
       Enter keep it  Tab complete  Up earlier   Esc cancel  Ctrl-U clear line

      """)
  }

  @Test func `typing a search in 140 columns`() {
    var model = model(columns: 140, rows: 40)
    _ = model.press(.character("/"))
    _ = model.type("overview")
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
       ▶◆ Networking Overview                         ▃▃▃▃▃▃▃▃▃·······  61 %  405/659 MiB     12.1 MiB/s      4    12:00  example.org       11:00
       ‖◆ iOS Technology Overview                     ▃▃▃               22 %     6/29 MiB  paused                         example.org       11:00
       ◷  Archive of 2025                             ▃                  0 %    0/1.2 GiB  retry in 12 s (503)            example.org       11:00
       ✔◆ AV Foundation Guide                                          100 %       11 MiB  ready                   14:02  example.org       11:00
      >▶  A stream without a length                             ███               5.0 MiB      500 KiB/s      1           example.org       11:00
       ◷  Offline                                     ▃▃▃▃▃             33 %  3.0/9.0 MiB  waiting for network            example.org       11:00
       ◷  Members only                                                                     needs a login                  example.org       11:00
       ·  Next in line                                                                     #1 host full 2/2        12:50  example.org       11:00
       ◔  At night                                                                         starts 18:00                   example.org       11:00
       ◔  At Christmas                                                                     starts 24 Dec 12:00            example.org       11:00
       ✘  Gone                                        ▃▃▃▃              25 %  1.0/4.0 MiB  failed: host not found         example.org       11:00
       ≡  Checksummed                                 ▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃ 100 %      700 MiB  verifying                      example.org       11:00
       ○  Stopped                                                                          stopped                        example.org       11:00
       ○  New                                                                              not started                    example.org       11:00
       ▶  文件传输指南 🚀 第二版                      ▃···············  10 %   100/1000 B         10 B/s      1    12:01  example.org       11:00
      (15 empty lines)
       Search: overview
       searching…                                                                                                                            5/15
       Enter keep it  Tab complete  Up earlier   Esc cancel  Ctrl-U clear line
      """)
  }

  @Test func `an active search in 80 columns`() {
    var model = model(columns: 80, rows: 24)
    _ = model.press(.character("/"))
    _ = model.type("guide")
    _ = model.press(.enter, .character("F"))
    expectScreen(
      model.screen(),
      """
       Kettle   ↓ 12.6 MiB/s   ▶3 ≡1 ◷3 ·1 ◔2 ‖1 ○2 ✔1 ✘1             42 %  1:30 left
          File                     Progress               Size         Speed    Ready
       ▶◆ Networking Overview      ▃▃▃▃····  61 %  405/659 MiB    12.1 MiB/s    12:00
       ‖◆ iOS Technology Overview  ▃         22 %     6/29 MiB  paused
       ◷  Archive of 2025          ▃          0 %    0/1.2 GiB  retry in 12 s (503)
       ✔◆ AV Foundation Guide               100 %       11 MiB  ready           14:02
      >▶  A stream withou… length  ███                 5.0 MiB     500 KiB/s
       ◷  Offline                  ▃▃        33 %  3.0/9.0 MiB  waiting for network
       ◷  Members only                                          needs a login
       ·  Next in line                                          #1 host full    12:50
       ◔  At night                                              starts 18:00
       ◔  At Christmas                                          starts 24 Dec 12:00
       ✘  Gone                     ▃▃        25 %  1.0/4.0 MiB  failed: host not found
       ≡  Checksummed              ▃▃▃▃▃▃▃▃ 100 %      700 MiB  verifying
       ○  Stopped                                               stopped
       ○  New                                                   not started
       ▶  文件传输指南 🚀 第二版   ▃·······  10 %   100/1000 B        10 B/s    12:01
      (3 empty lines)
       3 marked   Search: guide (1 match)   following   Esc clears it
       following this transfer; F stops                                          5/15
       s start  p pause  x stop  Enter details  d remove  D delete file   a add
       S start all  P pause all  X stop all   / search  ! needs you   ? help  q leave
      """)
  }

  @Test func `the sort menu in 100 columns`() {
    var model = model(columns: 100, rows: 30)
    _ = model.press(.character("o"))
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
       ▶◆ Networking Overview            ┌─ Sort by ──────────────────┐MiB     12.1 MiB/s      4    12:00
       ‖◆ iOS Technology Overview        │ > u  queue order         ↑ │MiB  paused
       ◷  Archive of 2025                │   n  name                  │GiB  retry in 12 s (503)
       ✔◆ AV Foundation Guide            │   s  state                 │MiB  ready                   14:02
       ▶  A stream without a length      │   z  size                  │MiB      500 KiB/s      1
       ◷  Offline                        │   p  progress              │MiB  waiting for network
       ◷  Members only                   │   e  speed                 │     needs a login
       ·  Next in line                   │   t  time left             │     #1 host full 2/2        12:50
       ◔  At night                       │   c  connections           │     starts 18:00
       ◔  At Christmas                   │   r  priority              │     starts 24 Dec 12:00
       ✘  Gone                           │   h  host                  │MiB  failed: host not found
       ≡  Checksummed                    │   i  session               │MiB  verifying
       ○  Stopped                        │   a  time added            │     stopped
       ○  New                            │   f  time finished         │     not started
       ▶  文件传输指南 🚀 第二版         │   g  groups: by state    ✔ │0 B         10 B/s      1    12:01
                                         └────────────────────────────┘
      (3 empty lines)
       3 marked   Esc clears it
                                                                                                     5/15
       Enter select  Esc cancel

      """)
  }

  @Test func `frozen rows, marks and another order in 40 columns`() {
    var model = model(columns: 40, rows: 10)
    _ = model.press(.character("o"), .character("h"), .character("Z"))
    expectScreen(
      model.screen(.ascii),
      """
       Kettle   v 12.6 MiB/s   *3 ~3 .1 +1 !1
          File                 %        Speed
       *x Networkin~rview   61 %   12.1 MiB/s#
       =x iOS Techn~rview   22 %  paused     |
       ~  Archive of 2025    0 %  12 s       |
       +x AV Founda~Guide  100 %  ready      |
      >*  A stream ~ength           500 KiB/s|
       FROZEN, Z resumes   3 marked   by host
       the rows are frozen; Z resumes    5/15
       s start  p pause   ? help  q leave
      """)
  }

  @Test func `the question about marked rows in 40 columns`() {
    var model = model(columns: 40, rows: 10)
    _ = model.press(.character("D"))
    expectScreen(
      model.screen(),
      """
       Kettle   ↓ 12.6 MiB/s   ▶3 ◷3 ·1 ✔1 ✘1
          File                 %        Speed
      ┌─ Remove with file ───────────────────┐
      │ Remove 3 transfers and their files?  │
      │ Their files go to the bin. Files     │
      │ modified by other programs are kept. │
      │ y yes   n no (Enter, Esc)            │
      └──────────────────────────────────────┘
                                         5/15
       y yes  n no
      """)
  }
}
