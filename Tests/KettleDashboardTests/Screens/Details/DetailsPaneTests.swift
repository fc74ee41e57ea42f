import KettleModel
import Testing

@testable import KettleDashboard

/// The details below the list.
struct DetailsPaneTests {
  private func opened(columns: Int = 80, rows: Int = 24) -> Dashboard {
    var model = Sample.model(columns: columns, rows: rows)
    // It is open already on a large screen.
    if model.list.pane == nil { _ = model.press(.tab) }
    _ = model.update(.detailsArrived(Sample.details), at: Sample.now)
    return model
  }

  @Test func `Tab opens the details of the row and closes them`() {
    var model = Sample.model(columns: 80, rows: 24)
    let id = Sample.rows[0].id
    #expect(model.press(.tab).contains(.service(.loadDetails(id))))
    #expect(model.keyContext == .list)
    #expect(model.screen().lines.contains { $0.contains("Loading…") })
    _ = model.update(.detailsArrived(Sample.details), at: Sample.now)
    #expect(model.screen().lines.contains { $0.hasPrefix(" 1  Networking Overview") })
    let before = Sample.model(columns: 80, rows: 24).screen().lines
    _ = model.press(.tab)
    #expect(model.screen().lines == before)
  }

  @Test func `the pane follows the cursor and accepts every key`() {
    var model = opened()
    #expect(model.press(.down) == [.service(.loadDetails(Sample.rows[1].id))])
    // The details of the first row are still on their way.
    _ = model.update(.detailsArrived(Sample.details), at: Sample.now)
    #expect(!model.screen().lines.contains { $0.contains("1  Networking") })
    #expect(model.press(.character("x")) == [.service(.control(.stop, .ids([Sample.rows[1].id])))])
    #expect(model.press(.enter).contains(.service(.loadDetails(Sample.rows[1].id))))
    #expect(model.keyContext == .reader)
  }

  @Test func `the subtitle is the first line`() {
    var row = Sample.rows[0]
    row.subtitle = "Chapter 3 of 12"
    var model = Sample.model(columns: 80, rows: 24, showing: [row])
    _ = model.press(.tab)
    var details = Sample.details
    details.snapshot = row
    _ = model.update(.detailsArrived(details), at: Sample.now)
    let lines = model.screen().lines
    let title = lines.firstIndex { $0.hasPrefix(" 1  Networking Overview") }
    #expect(title.map { lines[$0 + 1].trimmingBlanks() } == "Chapter 3 of 12")
  }

  @Test func `the details are requested again once a second`() {
    var model = opened()
    #expect(model.millisecondsToNextTick(at: Sample.now).map { $0 <= 1000 } == true)
    let soon = Moment(
      monotonic: Sample.now.monotonic.advanced(byMilliseconds: 900), wall: Sample.now.wall)
    #expect(!model.update(.ticked, at: soon).contains(.service(.loadDetails(Sample.rows[0].id))))
    let later = Sample.moment(seconds: 1)
    #expect(model.update(.ticked, at: later).contains(.service(.loadDetails(Sample.rows[0].id))))
  }

  @Test func `a pane that is not visible requests nothing`() {
    var model = opened()
    _ = model.press(.enter)
    let request = DashboardEffect.service(.loadDetails(Sample.rows[0].id))
    let covered = model.update(.ticked, at: Sample.moment(seconds: 2))
    #expect(covered.filter { $0 == request } == [request])
    var small = opened()
    let size = ScreenSize(columns: 80, rows: 19)
    #expect(!small.update(.resized(size), at: Sample.moment(seconds: 2)).contains(request))
    #expect(!small.update(.ticked, at: Sample.moment(seconds: 4)).contains(request))
  }

  @Test func `brackets step through the sections`() {
    var model = opened()
    #expect(model.screen().lines.contains { $0.hasSuffix("1/6 Overview") })
    _ = model.press(.character("]"))
    #expect(model.screen().lines.contains { $0.hasSuffix("2/6 Parts") })
    _ = model.press(.character("["), .character("["))
    #expect(model.screen().lines.contains { $0.hasSuffix("6/6 Speed") })
    _ = model.press(.tab, .character("]"))
    #expect(model.said == "The pane is closed; Tab opens it")
  }

  @Test func `a screen of 19 rows has no room for it`() {
    var model = Sample.model(columns: 80, rows: 19)
    _ = model.press(.tab)
    #expect(model.said == "The pane needs 20 rows; Enter shows the details")
    var smaller = opened()
    _ = smaller.update(.resized(ScreenSize(columns: 80, rows: 19)), at: Sample.now)
    #expect(!smaller.screen().lines.contains { $0.contains("1/6 Overview") })
  }

  @Test func `the cursor stays visible when the pane opens`() {
    var model = Sample.model(columns: 80, rows: 24)
    _ = model.press(.end, .tab)
    #expect(model.screen().lines.contains { $0.hasPrefix("▌") })
  }

  @Test func `the pane is beside the list in 200 columns`() {
    expectScreen(
      opened(columns: 200, rows: 60).screen(),
      """
       ♨ kettle   ↓ 12.6 MiB/s    ▶ 3  ≡ 1  ◷ 2  · 1  ◔ 2  ‖ 1  ○ 2  ⚑ 1 needs you  ✔ 1  ✘ 1                                                                                     42% ━━━━━───────── 1:30 left
      ╭─┤¹speed├───────────────────────────────────────────────────────────────────────────────────────────────────────────┤4:02├─╮╭─┤²hosts├────────────────────────────────────────────────────────────────╮
      │ 15 MiB/s                                                                                                                  ││                                                                         │
      │                                                                                                                         ⣶ ││                                                                         │
      │                                                                                                                         ⣿ ││                                                                         │
      │                                                                                                                         ⣿ ││                                                                         │
      │ 7.5 MiB/s                                                                                                               ⣿ ││                                                                         │
      │                                                                                                                         ⣿ ││                                                                         │
      │                                                                                                                         ⣿ ││                                                                         │
      │                                                                                                                         ⣿ ││                                                 181 GiB left afterwards │
      ╰─┤now 12.6 MiB/s · average 12.6 MiB/s · peak 12.6 MiB/s├───────────────────────────────────────────────────────────────────╯╰─────────────────────────────────────────────────────────────────────────╯
      ╭─┤³downloads├───────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────┤queue order├─╮
      │   File                      Progress                         Size             Speed    Left  Host               │ 1  Networking Overview                                                1/6 Overview │
      │▌▶ Networking Overview       ━━━━━━━━━━╸────────   61% 405/659 MiB      ⢸ 12.1 MiB/s    0:21  ▌ example.org      │ ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━╸──────────────────────────────── │
      │ ‖ iOS Technology Overview   ━━━━───────────────   22%    6/29 MiB            paused          ▌ example.org      │ State           running                                                            │
      │ ◷ Archive of 2025           retry in 12 s (503)         0/1.2 GiB                            ▌ example.org      │ Done at         12:00                                                              │
      │ ✔ AV Foundation Guide       done 14:02                     11 MiB                              example.org      │ Progress        405/659 MiB, 61%                                                   │
      │ ▶ A stream withou…a length  ────────────────━━━           5.0 MiB      ⢀  500 KiB/s          ▌ example.org      │ Speed           12.1 MiB/s                                                         │
      │ ◷ Offline                   waiting for network       3.0/9.0 MiB                            ▌ example.org      │ Time left       0:21                                                               │
      │ ⚑ Members only              example.org wants a login                                        u log in  s retry  │ Connections     4                                                                  │
      │ · Next in line              #1 in queue, host full 2/2                                50:00  ▌ example.org      │ Priority        normal                                                             │
      │ ◔ At night                  starts 18:00                                                     ▌ example.org      │ Checksum        checked when the file is complete                                  │
      │ ◔ At Christmas              starts 24 Dec 12:00                                              ▌ example.org      │                 sha256:0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0 │
      │ ✘ Gone                      host not found            1.0/4.0 MiB                            ▌ example.org      │                 a0a0a                                                              │
      │ ≡ Checksummed               ━━━━━━━━━━━━━━━━━━━  100%     700 MiB         verifying          ▌ example.org      │ ID              1                                                                  │
      │ ○ Stopped                   stopped                                                          ▌ example.org      │ Session         kettle                                                             │
      │ ○ New                       not started                                                      ▌ example.org      │ Added           2026-11-21 11:00:00                                                │
      │ ▶ 文件传输指南 🚀 第二版    ╸──────────────────   10%  100/1000 B      ⢀     10 B/s    1:30  ▌ example.org      │ Retries         2                                                                  │
      │                                                                                                                 │                                                                                    │
      │                                                                                                                 │                                                                                    │
      │                                                                                                                 │                                                                                    │
      │                                                                                                                 │                                                                                    │
      │                                                                                                                 │                                                                                    │
      │                                                                                                                 │                                                                                    │
      │                                                                                                                 │                                                                                    │
      │                                                                                                                 │                                                                                    │
      │                                                                                                                 │                                                                                    │
      │                                                                                                                 │                                                                                    │
      │                                                                                                                 │                                                                                    │
      │                                                                                                                 │                                                                                    │
      │                                                                                                                 │                                                                                    │
      │                                                                                                                 │                                                                                    │
      │                                                                                                                 │                                                                                    │
      │                                                                                                                 │                                                                                    │
      │                                                                                                                 │                                                                                    │
      │                                                                                                                 │                                                                                    │
      │                                                                                                                 │                                                                                    │
      │                                                                                                                 │                                                                                    │
      │                                                                                                                 │                                                                                    │
      │                                                                                                                 │                                                                                    │
      │                                                                                                                 │                                                                                    │
      │                                                                                                                 │                                                                                    │
      │                                                                                                                 │                                                                                    │
      │                                                                                                                 │                                                                                    │
      │                                                                                                                 │                                                                                    │
      │                                                                                                                 │                                                                                    │
      │                                                                                                                 │                                                                                    │
      │                                                                                                                                                                                                      │
      ╰─┤1/15├───────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────╯
       p pause  x stop  Enter details  d remove  l limit │ a add  z undo  Space mark  / find  \\ filter  ! needs you  H history  c clear done  o sort  Tab pane  ] section │ : everything  ? keys  q leave
      """)
  }

  @Test func `a click on a row beside the pane moves the cursor, and one in the pane does not`()
    throws
  {
    var model = opened(columns: 200, rows: 60)
    let row = try #require(model.screen().position(of: "Offline")).row
    _ = model.click(row: row, column: 10)
    #expect(model.list.cursorRow?.title == "Offline")
    _ = model.click(row: row + 1, column: 150)
    #expect(model.list.cursorRow?.title == "Offline")
  }

  @Test func `all parts of a finished file have arrived`() {
    var model = Sample.model(columns: 80, rows: 24, showing: [Sample.rows[3]])
    var details = Sample.details
    (details.snapshot, details.held, details.liveConnections) = (Sample.rows[3], ByteRangeSet(), [])
    _ = model.press(.tab, .character("]"))
    _ = model.update(.detailsArrived(details), at: Sample.now)
    let map = model.screen().lines.filter { $0.contains("███") || $0.contains("░░░") }
    #expect(!map.isEmpty && map.allSatisfy { !$0.contains("░░░") })
  }

  @Test func `the overview in 80 columns`() {
    expectScreen(
      opened().screen(),
      """
       ♨ ↓ 12.6 MiB/s  ▶3 ≡1 ◷2 ·1 ◔2 ‖1 ○2 ⚑1 ✔1 ✘1           42% ━━━───── 1:30 left
         File                  Progress                      Size      Speed    Left
      ▌▶ Networking Overview   ━━━━━━━━╸───────   61% 405/659 MiB 12.1 MiB/s    0:21 ┃
       ‖ iOS Technolog…erview  ━━━─────────────   22%    6/29 MiB     paused         ┃
       ◷ Archive of 2025       retry in 12 s (503)      0/1.2 GiB                    ┃
       ✔ AV Foundation Guide   done 14:02                  11 MiB                    ┃
       ▶ A stream with…length  ────━━━─────────           5.0 MiB  500 KiB/s         ┃
       ◷ Offline               waiting for network    3.0/9.0 MiB                    ┃
       ⚑ Members only          example.org wants a login           u log in  s retry ┃
       · Next in line          #1 in queue, host full 2/2                      50:00 ┃
       ◔ At night              starts 18:00                                          │
       ◔ At Christmas          starts 24 Dec 12:00                                   │
       ✘ Gone                  host not found         1.0/4.0 MiB                    │
       1  Networking Overview                                            1/6 Overview
       ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━╸──────────────────────────────
       State           running
       Done at         12:00
       Progress        405/659 MiB, 61%
       Speed           12.1 MiB/s
       Time left       0:21
       Connections     4
       Priority        normal
                                                                                 1/15
       p pause Enter details d remove l limit │ a add │ : everything ? keys q leave
      """)
  }

  @Test func `the parts in 120 columns`() {
    var model = opened(columns: 120, rows: 35)
    _ = model.press(.character("]"))
    expectScreen(
      model.screen(),
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
      │▌▶ Networking Overview          ━━━━━━━━━━━╸─────────   61% 405/659 MiB      ⢸ 12.1 MiB/s    0:21  ▌ example.org     ┃│
      │ ‖ iOS Technology Overview      ━━━━─────────────────   22%    6/29 MiB            paused          ▌ example.org     ┃│
      │ ◷ Archive of 2025              retry in 12 s (503)           0/1.2 GiB                            ▌ example.org     ┃│
      │ ✔ AV Foundation Guide          done 14:02                       11 MiB                              example.org     ││
      │ ▶ A stream without a length    ────────────━━━──────           5.0 MiB      ⢀  500 KiB/s          ▌ example.org     ││
      │ ◷ Offline                      waiting for network         3.0/9.0 MiB                            ▌ example.org     ││
      │ ⚑ Members only                 example.org wants a login                                          u log in  s retry ││
      │ 1  Networking Overview                                                                                     2/6 Parts │
      │ █████████████████████████████████████████████░░░1▒▒▒▒▒▒▒▒▒▒▒▒███████████████2▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒                 │
      │ █ received  ▒ in progress  ░ missing  1-9 connection                                                                 │
      │                                                                                                                      │
      │ Connections                                                                                                          │
      │ #  Range                       Speed    Done  Host                                                                   │
      │ 1  300 MiB to 400 MiB      5.7 MiB/s     20%  cdn.example.org                                                        │
      │ 2  502 MiB to 659 MiB      6.4 MiB/s      0%  cdn.example.org                                                        │
      │ 3  no response yet             0 B/s          cdn.example.org                                                        │
      │                                                                                                                      │
      │ Received ranges                                                                                                      │
      │ from 0 B to 300 MiB                                                                                                  │
      │ from 400 MiB to 502 MiB                                                                                              │
      │                                                                                                                      │
      │                                                                                                                      │
      ╰─┤1/15├───────────────────────────────────────────────────────────────────────────────────────────────────────────────╯
       p pause  x stop  Enter details  d remove  l limit │ a add  z undo  Space mark  / find │ : everything  ? keys  q leave
      """)
  }
}
