import KettleDashboard
import KettleModel
import Testing

/// The complete screen as displayed.
struct ListScreenTests {
  @Test func `every state in 80 columns`() {
    expectScreen(
      Sample.model(columns: 80, rows: 24).screen(),
      """
       Kettle   ↓ 12.6 MiB/s   ▶3 ≡1 ◷3 ·1 ◔2 ‖1 ○2 ✔1 ✘1             42 %  1:30 left
          File                     Progress               Size         Speed    Ready
      >▶  Networking Overview      ▃▃▃▃····  61 %  405/659 MiB    12.1 MiB/s    12:00
       ‖  iOS Technology Overview  ▃         22 %     6/29 MiB  paused
       ◷  Archive of 2025          ▃          0 %    0/1.2 GiB  retry in 12 s (503)
       ✔  AV Foundation Guide               100 %       11 MiB  ready           14:02
       ▶  A stream withou… length  ███                 5.0 MiB     500 KiB/s
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
      (4 empty lines)
                                                                                 1/15
       p pause  x stop  Enter details  d remove  l limit   a add  S start all
       P pause all  X stop all   Space mark  / search  ! needs you   ? help  q leave
      """)
  }

  @Test func `the connections and the batch line in 100 columns`() {
    expectScreen(
      Sample.model(columns: 100, rows: 30).screen(),
      """
       Kettle   ↓ 12.6 MiB/s █          ▶3 ≡1 ◷3 ·1 ◔2 ‖1 ○2 ✔1 ✘1
       ██████████████                      42 %  1:30 left  0 of 8 done  1.0/2.5 GiB   181 GiB free after
         15 MiB/s│                                                                                      ⣶
                 │                                                                                      ⣿
                 │                                                                                      ⣿
                0└─ 2:54 ago ─────────────────────────────────────────────────────────────────────── now
          File                           Progress                     Size          Speed  Conns    Ready
      >▶  Networking Overview            ▃▃▃▃▃▃▃▃······  61 %  405/659 MiB     12.1 MiB/s      4    12:00
       ‖  iOS Technology Overview        ▃▃▃             22 %     6/29 MiB  paused
       ◷  Archive of 2025                ▃                0 %    0/1.2 GiB  retry in 12 s (503)
       ✔  AV Foundation Guide                           100 %       11 MiB  ready                   14:02
       ▶  A stream without a length              ███               5.0 MiB      500 KiB/s      1
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
      (5 empty lines)
                                                                                                     1/15
       p pause  x stop  Enter details  d remove  l limit   a add  S start all  P pause all  X stop all
       z undo   Space mark  / search  \\ filter  ! needs you  : command  o sort   ? help  q leave
      """)
  }

  @Test func `the title with state names and the connections in 140 columns`() {
    expectScreen(
      Sample.model(columns: 140, rows: 40).screen(),
      """
       Kettle   ↓ 12.6 MiB/s █          3 running  1 verifying  3 waiting  1 queued  2 scheduled  1 paused  2 idle  1 done  1 failed
       █████████████████████████▌                                     42 %  1:30 left  0 of 8 done  1.0/2.5 GiB                181 GiB free after
         15 MiB/s│                                                        ⣶ │ Host                       Conns       Speed  Held back
                 │                                                        ⣿ │
                 │                                                        ⣿ │
                0└─ 1:54 ago ───────────────────────────────────────── now  │
          File                                        Progress                       Size          Speed  Conns    Ready  Host              Added
      >▶  Networking Overview                         ▃▃▃▃▃▃▃▃▃·······  61 %  405/659 MiB     12.1 MiB/s      4    12:00  example.org       11:00
       ‖  iOS Technology Overview                     ▃▃▃               22 %     6/29 MiB  paused                         example.org       11:00
       ◷  Archive of 2025                             ▃                  0 %    0/1.2 GiB  retry in 12 s (503)            example.org       11:00
       ✔  AV Foundation Guide                                          100 %       11 MiB  ready                   14:02  example.org       11:00
       ▶  A stream without a length                             ███               5.0 MiB      500 KiB/s      1           example.org       11:00
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
      (16 empty lines)
                                                                                                                                             1/15
       p pause  x stop  Enter details  d remove  l limit   a add  S start all  P pause all  X stop all   / search  ! needs you   ? help  q leave
      """)
  }

  @Test func `the name, the percentage and the state in 40 columns`() {
    expectScreen(
      Sample.model(columns: 40, rows: 10).screen(),
      """
       Kettle   ↓ 12.6 MiB/s   ▶3 ◷3 ·1 ✔1 ✘1
          File                 %        Speed
      >▶  Networkin…rview   61 %   12.1 MiB/s┃
       ‖  iOS Techn…rview   22 %  paused     ┃
       ◷  Archive of 2025    0 %  12 s       │
       ✔  AV Founda…Guide  100 %  ready      │
       ▶  A stream …ength           500 KiB/s│
       ◷  Offline           33 %  no network │
                                         1/15
       p pause  x stop   ? help  q leave
      """)
  }

  @Test func `without Unicode everything is ASCII`() {
    let frame = Sample.model(columns: 80, rows: 24).screen(.ascii)
    expectScreen(
      frame,
      """
       Kettle   v 12.6 MiB/s   *3 #1 ~3 .1 @2 =1 o2 +1 !1             42 %  1:30 left
          File                     Progress               Size         Speed    Ready
      >*  Networking Overview      ====....  61 %  405/659 MiB    12.1 MiB/s    12:00
       =  iOS Technology Overview  =         22 %     6/29 MiB  paused
       ~  Archive of 2025          =          0 %    0/1.2 GiB  retry in 12 s (503)
       +  AV Foundation Guide               100 %       11 MiB  ready           14:02
       *  A stream withou~ length  [===   ]            5.0 MiB     500 KiB/s
       ~  Offline                  ==        33 %  3.0/9.0 MiB  waiting for network
       ~  Members only                                          needs a login
       .  Next in line                                          #1 host full    12:50
       @  At night                                              starts 18:00
       @  At Christmas                                          starts 24 Dec 12:00
       !  Gone                     ==        25 %  1.0/4.0 MiB  failed: host not found
       #  Checksummed              ======== 100 %      700 MiB  verifying
       o  Stopped                                               stopped
       o  New                                                   not started
       *  ?????? ? ???             =.......  10 %   100/1000 B        10 B/s    12:01
      (4 empty lines)
                                                                                 1/15
       p pause  x stop  Enter details  d remove  l limit   a add  S start all
       P pause all  X stop all   Space mark  / search  ! needs you   ? help  q leave
      """)
    #expect(frame.cells.allSatisfy { $0.text.utf8.allSatisfy { $0 < 128 } })
  }

  @Test func `a screen that is too small shows the required size`() {
    expectScreen(
      Sample.model(columns: 20, rows: 5).screen(),
      """

           Too small:
           needs 36x8


      """)
    expectScreen(
      Sample.model(columns: 6, rows: 2).screen(),
      """
      needs
       36x8
      """)
    expectScreen(Sample.model(columns: 1, rows: 1).screen(), "!")
  }

  @Test func `an empty list explains how to add transfers`() {
    expectScreen(
      Sample.model(columns: 80, rows: 24, showing: []).screen(),
      """
       Kettle   ↓ 0 B/s      ▁                                           182 GiB free
          File                  Progress                  Size         Speed    Ready
      (8 empty lines)
                                      Nothing here yet
                          press a to add a URL, or paste URLs here
      (10 empty lines)
       l limit   a add  z undo  b bin
       H history  : command  v view   Tab pane   ? help  q leave
      """)
  }

  @Test func `a loading message is shown until the first rows arrive`() {
    expectScreen(
      Dashboard(size: ScreenSize(columns: 60, rows: 10)).screen(),
      """
       Kettle   connecting to the service…
          File                     Progress                 Speed


                           Loading the list…
      (4 empty lines)
       a add   : command  v view   ? help  q leave
      """)
  }

  @Test func `when the service is lost the rows stay and the title shows the elapsed time`() {
    var model = Sample.model(columns: 80, rows: 10)
    _ = model.update(.linkChanged(.lost), at: Sample.now)
    expectScreen(
      model.screen(at: Sample.moment(seconds: 65)),
      """
       Kettle   service lost, reconnecting… (1:05)   ▶3 ≡1 ◷3 ·1 ◔2 ‖1 ○2 ✔1 ✘1
          File                     Progress               Size         Speed    Ready
      >▶  Networking Overview      ▃▃▃▃····  61 %  405/659 MiB    12.1 MiB/s    12:01┃
       ‖  iOS Technology Overview  ▃         22 %     6/29 MiB  paused               ┃
       ◷  Archive of 2025          ▃          0 %    0/1.2 GiB  retrying now (503)   │
       ✔  AV Foundation Guide               100 %       11 MiB  ready           14:02│
       ▶  A stream withou… length                      5.0 MiB     500 KiB/s         │
       ◷  Offline                  ▃▃        33 %  3.0/9.0 MiB  waiting for network  │
                                                                                 1/15
       a add   Space mark  / search  : command  v view   ? help  q leave
      """)
    model = Sample.model(columns: 40, rows: 10)
    _ = model.update(.linkChanged(.lost), at: Sample.now)
    expectScreen(
      model.screen(),
      """
       Kettle   service lost, reconnecting…
          File                 %        Speed
      >▶  Networkin…rview   61 %   12.1 MiB/s┃
       ‖  iOS Techn…rview   22 %  paused     ┃
       ◷  Archive of 2025    0 %  12 s       │
       ✔  AV Founda…Guide  100 %  ready      │
       ▶  A stream …ength           500 KiB/s│
       ◷  Offline           33 %  no network │
                                         1/15
       a add   / search   ? help  q leave
      """)
  }

  @Test func `the message line explains the row under the cursor`() {
    var model = Sample.model(columns: 140, rows: 20)
    _ = model.press(.down, .down)
    #expect(
      model.screen().lines[model.size.rows - 2].hasPrefix(
        " The server responded to \"https://example.org/files/3\" with 503 Service Unavailable; "
          + "it will be retried  "))
  }

  @Test func `rows that are not loaded are marked`() {
    var model = Sample.model(columns: 80, rows: 10)
    let window = ListWindow(first: 3, matchingCount: 20, rows: [Sample.rows[3]])
    _ = model.update(.rowsArrived(window, Sample.totals), at: Sample.now)
    let lines = model.screen().lines
    #expect(lines[2].hasPrefix(">   …   "))
    #expect(lines[5].contains("AV Foundation"))
  }

  @Test(arguments: [(80, 24), (100, 30), (140, 40), (36, 8), (50, 12), (61, 9), (200, 60)])
  func `a frame fits the screen and always shows the footer`(
    columns: Int, rows: Int
  ) {
    let frame = Sample.model(columns: columns, rows: rows).screen()
    #expect(frame.cells.count == columns * rows)
    #expect(frame.lines[rows - 1].contains("q leave"))
  }
}
