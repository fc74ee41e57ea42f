import KettleDashboard
import KettleModel
import Testing

/// The complete screen as displayed.
struct ListScreenTests {
  @Test func `every state in 80 columns`() {
    expectScreen(
      Sample.model(columns: 80, rows: 24).screen(),
      """
       ♨ ↓ 12.6 MiB/s  ▶3 ≡1 ◷2 ·1 ◔2 ‖1 ○2 ⚑1 ✔1 ✘1           42% ━━━───── 1:30 left
         File                  Progress                      Size      Speed    Left
      ▌▶ Networking Overview   ━━━━━━━━╸───────   61% 405/659 MiB 12.1 MiB/s    0:21
       ‖ iOS Technolog…erview  ━━━─────────────   22%    6/29 MiB     paused
       ◷ Archive of 2025       retry in 12 s (503)      0/1.2 GiB
       ✔ AV Foundation Guide   done 14:02                  11 MiB
       ▶ A stream with…length  ────━━━─────────           5.0 MiB  500 KiB/s
       ◷ Offline               waiting for network    3.0/9.0 MiB
       ⚑ Members only          example.org wants a login           u log in  s retry
       · Next in line          #1 in queue, host full 2/2                      50:00
       ◔ At night              starts 18:00
       ◔ At Christmas          starts 24 Dec 12:00
       ✘ Gone                  host not found         1.0/4.0 MiB
       ≡ Checksummed           ━━━━━━━━━━━━━━━━  100%     700 MiB  verifying
       ○ Stopped               stopped
       ○ New                   not started
       ▶ 文件传输指南 …第二版  ╸───────────────   10%  100/1000 B     10 B/s    1:30
      (5 empty lines)
                                                                                 1/15
       p pause Enter details d remove l limit │ a add │ : everything ? keys q leave
      """)
  }

  @Test func `the connections and the batch line in 100 columns`() {
    expectScreen(
      Sample.model(columns: 100, rows: 30).screen(),
      """
       ♨ kettle   ↓ 12.6 MiB/s  ▶3 ≡1 ◷2 ·1 ◔2 ‖1 ○2 ⚑1 ✔1 ✘1                      42% ━━━───── 1:30 left
      ╭─┤¹speed├──────────────────────────────────────────────────────────────────────────────────┤3:12├─╮
      │ 15 MiB/s                                                                                       ⣶ │
      │                                                                                                ⣿ │
      │                                                                                                ⣿ │
      ╰─┤now 12.6 MiB/s · average 12.6 MiB/s · peak 12.6 MiB/s├──────────────────────────────────────────╯
      ╭─┤³downloads├───────────────────────────────────────────────────────────────────────┤queue order├─╮
      │   File                        Progress                           Size             Speed    Left  │
      │▌▶ Networking Overview         ━━━━━━━━━━━╸─────────   61% 405/659 MiB      ⢸ 12.1 MiB/s    0:21  │
      │ ‖ iOS Technology Overview     ━━━━─────────────────   22%    6/29 MiB            paused          │
      │ ◷ Archive of 2025             retry in 12 s (503)           0/1.2 GiB                            │
      │ ✔ AV Foundation Guide         done 14:02                       11 MiB                            │
      │ ▶ A stream without a length   ────────────━━━──────           5.0 MiB      ⢀  500 KiB/s          │
      │ ◷ Offline                     waiting for network         3.0/9.0 MiB                            │
      │ ⚑ Members only                example.org wants a login                       u log in  s retry  │
      │ · Next in line                #1 in queue, host full 2/2                                  50:00  │
      │ ◔ At night                    starts 18:00                                                       │
      │ ◔ At Christmas                starts 24 Dec 12:00                                                │
      │ ✘ Gone                        host not found              1.0/4.0 MiB                            │
      │ ≡ Checksummed                 ━━━━━━━━━━━━━━━━━━━━━  100%     700 MiB         verifying          │
      │ ○ Stopped                     stopped                                                            │
      │ ○ New                         not started                                                        │
      │ ▶ 文件传输指南 🚀 第二版      ━╸───────────────────   10%  100/1000 B      ⢀     10 B/s    1:30  │
      │                                                                                                  │
      │                                                                                                  │
      │                                                                                                  │
      │                                                                                                  │
      │                                                                                                  │
      ╰─┤1/15├─────────────────────────────────────────────────────────────────┤181 GiB left afterwards├─╯
       p pause  x stop  Enter details  d remove  l limit │ a add  / find │ : everything  ? keys  q leave
      """)
  }

  @Test func `the title with state names and the connections in 140 columns`() {
    expectScreen(
      Sample.model(columns: 140, rows: 40).screen(),
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
      │▌▶ Networking Overview                  ━━━━━━━━━━━━━━━╸───────────   61% 405/659 MiB      ⢸ 12.1 MiB/s     4    0:21  ▌ example.org      │
      │ ‖ iOS Technology Overview              ━━━━━━─────────────────────   22%    6/29 MiB            paused                ▌ example.org      │
      │ ◷ Archive of 2025                      retry in 12 s (503)                 0/1.2 GiB                                  ▌ example.org      │
      │ ✔ AV Foundation Guide                  done 14:02                             11 MiB                                    example.org      │
      │ ▶ A stream without a length            ━━━────────────────────────           5.0 MiB      ⢀  500 KiB/s     1          ▌ example.org      │
      │ ◷ Offline                              waiting for network               3.0/9.0 MiB                                  ▌ example.org      │
      │ ⚑ Members only                         example.org wants a login                                                      u log in  s retry  │
      │ · Next in line                         #1 in queue, host full 2/2                                              50:00  ▌ example.org      │
      │ ◔ At night                             starts 18:00                                                                   ▌ example.org      │
      │ ◔ At Christmas                         starts 24 Dec 12:00                                                            ▌ example.org      │
      │ ✘ Gone                                 host not found                    1.0/4.0 MiB                                  ▌ example.org      │
      │ ≡ Checksummed                          ━━━━━━━━━━━━━━━━━━━━━━━━━━━  100%     700 MiB         verifying                ▌ example.org      │
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
       p pause  x stop  Enter details  d remove  l limit │ a add  z undo  Space mark  / find  ! needs you │ : everything  ? keys  q leave
      """)
  }

  @Test func `the name, the percentage and the state in 40 columns`() {
    expectScreen(
      Sample.model(columns: 40, rows: 10).screen(),
      """
       ♨ ↓ 12.6 MiB/s  ▶3 ◷2 ·1 ‖1 ⚑1 ✔1 ✘1
         File                   %      Speed
      ▌▶ Networking …erview   61% 12.1 MiB/s ┃
       ‖ iOS Technol…erview   22%     paused ┃
       ◷ Archive of 2025    retry in 12 s    │
       ✔ AV Foundati… Guide done 14:02       │
       ▶ A stream wi…length        500 KiB/s │
       ◷ Offline            no network       │
                                         1/15
       p pause Enter details │ ? keys q leave
      """)
  }

  @Test func `without Unicode everything is ASCII`() {
    let frame = Sample.model(columns: 80, rows: 24).screen(.ascii)
    expectScreen(
      frame,
      """
       k v 12.6 MiB/s  *3 #1 ~2 .1 @2 =1 o2 !1 +1 !1           42% ===..... 1:30 left
         File                  Progress                      Size      Speed    Left
      >* Networking Overview   ========-.......   61% 405/659 MiB 12.1 MiB/s    0:21
       = iOS Technolog~erview  ===.............   22%    6/29 MiB     paused
       ~ Archive of 2025       retry in 12 s (503)      0/1.2 GiB
       + AV Foundation Guide   done 14:02                  11 MiB
       * A stream with~length  ....===.........           5.0 MiB  500 KiB/s
       ~ Offline               waiting for network    3.0/9.0 MiB
       ! Members only          example.org wants a login           u log in  s retry
       . Next in line          #1 in queue, host full 2/2                      50:00
       @ At night              starts 18:00
       @ At Christmas          starts 24 Dec 12:00
       ! Gone                  host not found         1.0/4.0 MiB
       # Checksummed           ================  100%     700 MiB  verifying
       o Stopped               stopped
       o New                   not started
       * ?????? ? ???          -...............   10%  100/1000 B     10 B/s    1:30
      (5 empty lines)
                                                                                 1/15
       p pause Enter details d remove l limit | a add | : everything ? keys q leave
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
       ♨ Nothing downloading
      (8 empty lines)
                       ~  ~
                      ___~___           Paste a link. That's all.
                   __/_______\\_         a  type one, or a whole curl command
                  /  |       | )        ?  the keys     :  everything by name
                     \\_______/          kettle demo  try it with a few files
      (9 empty lines)
       l limit │ a add z undo b bin H history Tab pane │ : everything ? keys q leave
      """)
  }

  @Test func `a loading message is shown until the first rows arrive`() {
    expectScreen(
      Dashboard(size: ScreenSize(columns: 60, rows: 10)).screen(),
      """
       ♨ connecting to the service…
         File              Progress                Speed    Left


                           Loading the list…
      (4 empty lines)
       a add  v view │ : everything  ? keys  q leave
      """)
  }

  @Test func `when the service is lost the rows stay and the title shows the elapsed time`() {
    var model = Sample.model(columns: 80, rows: 10)
    _ = model.update(.linkChanged(.lost), at: Sample.now)
    expectScreen(
      model.screen(at: Sample.moment(seconds: 65)),
      """
       ♨ service lost, reconnecting… (1:05)  ▶3 ≡1 ◷2 ·1 ◔2 ‖1 ○2 ⚑1 ✔1 ✘1        42%
         File                  Progress                      Size      Speed    Left
      ▌▶ Networking Overview   ━━━━━━━━╸───────   61% 405/659 MiB 12.1 MiB/s    0:21 ┃
       ‖ iOS Technolog…erview  ━━━─────────────   22%    6/29 MiB     paused         ┃
       ◷ Archive of 2025       retrying now (503)       0/1.2 GiB                    │
       ✔ AV Foundation Guide   done 14:02                  11 MiB                    │
       ▶ A stream with…length  ────────────────           5.0 MiB  500 KiB/s         │
       ◷ Offline               waiting for network    3.0/9.0 MiB                    │
                                                                                 1/15
       a add  Space mark  / find  v view │ : everything  ? keys  q leave
      """)
    model = Sample.model(columns: 40, rows: 10)
    _ = model.update(.linkChanged(.lost), at: Sample.now)
    expectScreen(
      model.screen(),
      """
       service lost, reconnecting… (0:00)
         File                   %      Speed
      ▌▶ Networking …erview   61% 12.1 MiB/s ┃
       ‖ iOS Technol…erview   22%     paused ┃
       ◷ Archive of 2025    retry in 12 s    │
       ✔ AV Foundati… Guide done 14:02       │
       ▶ A stream wi…length        500 KiB/s │
       ◷ Offline            no network       │
                                         1/15
       a add │ : everything  ? keys  q leave
      """)
  }

  @Test func `the message line explains the row under the cursor`() {
    var model = Sample.model(columns: 140, rows: 20)
    _ = model.press(.down, .down)
    #expect(
      model.screen().lines[model.size.rows - 3].hasPrefix(
        "│ The server responded to \"https://example.org/files/3\" with 503 Service Unavailable; "
          + "it will be retried  "))
  }

  @Test func `rows that are not loaded are marked`() {
    var model = Sample.model(columns: 80, rows: 10)
    let window = ListWindow(first: 3, matchingCount: 20, rows: [Sample.rows[3]])
    _ = model.update(.rowsArrived(window, Sample.totals), at: Sample.now)
    let lines = model.screen().lines
    #expect(lines[2].hasPrefix("▌  …   "))
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
