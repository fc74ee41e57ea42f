import KettleDashboard
import KettleModel
import Testing

/// The sections of the details on screens of all sizes.
struct DetailsScreenTests {
  private func details(columns: Int, rows: Int, _ keys: Key...) -> Dashboard {
    var model = Sample.model(columns: columns, rows: rows)
    _ = model.press(.enter)
    _ = model.update(.detailsArrived(Sample.details), at: Sample.now)
    for key in keys { _ = model.press(key) }
    return model
  }

  @Test func `the overview in 80 columns`() {
    expectScreen(
      details(columns: 80, rows: 24).screen(),
      """
       ♨ kettle   Details: Networking Overview
       [1 Overview]  2 Parts   3 Addresses   4 Headers   5 Events   6 Speed
       Networking Overview
       ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━╸──────────────────────────────
       State           running
       Done at         12:00
       Note            Restarted from zero: the file on the server has changed
       Progress        405/659 MiB, 61%
       Speed           12.1 MiB/s
       Time left       0:21
       Connections     4
       Limit           20.0 MiB/s
       Priority        normal
       Checksum        checked when the file is complete
                       sha256:0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0
                       a0a0a0a0a
       File            /home/me/Downloads/Networking.pdf
       ID              1
       Session         kettle
       Added           2026-11-21 11:00:00
       Retries         2


       p pause x stop d remove l limit Esc back Right next section │ a add │ ? keys
      """)
  }

  @Test func `the overview says how hooks ended`() throws {
    var shown = Sample.details
    var run = HookRun(
      id: HookRunID(rawValue: 1), event: .failed, transfer: shown.snapshot.id,
      command: try HookCommand.make(["notify-me"]).get(), dueAt: Sample.now.wall)
    run.standing = .ended(HookEnd(.exited(code: 1), at: Sample.now.wall))
    shown.hooks = [run]
    var model = Sample.model(columns: 80, rows: 30)
    _ = model.press(.enter)
    _ = model.update(.detailsArrived(shown), at: Sample.now)
    let lines = model.screen().lines
    #expect(lines.contains { $0.hasSuffix("Hook failed     \"notify-me\" exited with 1, 12:00") })
  }

  @Test func `the overview wraps in 40 columns, in ASCII`() {
    expectScreen(
      details(columns: 40, rows: 10).screen(.ascii),
      """
       k Details: Networ~  lines 1 to 7 of 25
       [1 Overview] 2  3  4  5  6
       Networking Overview
       ======================-...............
       State           running
       Done at         12:00
       Note            Restarted from zero:
                       the file on the server
                       has changed
       p pause  Esc back  PgDn more | ? keys
      """)
  }

  @Test func `the parts show received ranges and connections`() {
    expectScreen(
      details(columns: 80, rows: 24, .character("2")).screen(),
      """
       ♨ kettle   Details: Networking Overview
        1 Overview  [2 Parts]  3 Addresses   4 Headers   5 Events   6 Speed
       ██████████████████████████████████████████████████████████████████████████████
       ████████████████████████████████████████████████████████████████░░░░░░░░░1▒▒▒▒
       ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒████████████████████████████████████████████
       ███2▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒
       █ received  ▒ in progress  ░ missing  1-9 connection

       Connections
       #  Range                       Speed    Done  Host
       1  300 MiB to 400 MiB      5.7 MiB/s     20%  cdn.example.org
       2  502 MiB to 659 MiB      6.4 MiB/s      0%  cdn.example.org
       3  no response yet             0 B/s          cdn.example.org

       Received ranges
       from 0 B to 300 MiB
       from 400 MiB to 502 MiB
      (6 empty lines)
       p pause x stop d remove l limit Esc back Right next section │ a add │ ? keys
      """)
  }

  @Test func `the parts in 40 columns, in ASCII`() {
    expectScreen(
      details(columns: 40, rows: 10, .right).screen(.ascii),
      """
       k Details: Networ~  lines 1 to 7 of 12
        1 [2 Parts] 3  4  5  6
       #################.1-----####2---------
       # received  - in progress  . missing

       Connections
       #  Range                       Speed
       1  300 MiB to 400 MiB      5.7 MiB/s
       2  502 MiB to 659 MiB      6.4 MiB/s
       p pause  Esc back  PgDn more | ? keys
      """)
  }

  @Test func `the addresses in 100 columns`() {
    expectScreen(
      details(columns: 100, rows: 30, .character("3")).screen(),
      """
       ♨ kettle   Details: Networking Overview
        1 Overview   2 Parts  [3 Addresses]  4 Headers   5 Events   6 Speed
       URL             https://example.org/files/1
       Redirect 1      https://example.org/mirror/1
       Redirect 2      https://cdn.example.org/abc/Networking.pdf?token=very-long-token-01234567890123456
                       789012345678901234567890123456789012345678901234567890123456789
       Directory       /home/me/Downloads
       File            /home/me/Downloads/Networking.pdf
       Partial file    /home/me/Downloads/Networking.pdf.part
      (20 empty lines)
       p pause  x stop  d remove  l limit  Esc back  Right next section │ a add  z undo  / find │ ? keys
      """)
  }

  @Test func `the headers in 80 columns`() {
    expectScreen(
      details(columns: 80, rows: 24, .character("4")).screen(),
      """
       ♨ kettle   Details: Networking Overview
        1 Overview   2 Parts   3 Addresses  [4 Headers]  5 Events   6 Speed
       Status          206
       ETag            "5f-1a"

       Headers of the last response
       Content-Type: application/pdf
       Server: nginx
      (15 empty lines)
       p pause x stop d remove l limit Esc back Right next section │ a add │ ? keys
      """)
  }

  @Test func `the events in 100 columns`() {
    expectScreen(
      details(columns: 100, rows: 30, .left, .left).screen(),
      """
       ♨ kettle   Details: Networking Overview
        1 Overview   2 Parts   3 Addresses   4 Headers  [5 Events]  6 Speed
       2026-11-21 11:59:00  Queued
       2026-11-21 11:59:01  Running
      (25 empty lines)
       p pause  x stop  d remove  l limit  Esc back  Right next section │ a add  z undo  / find │ ? keys
      """)
  }

  @Test func `the speed graph in 80 columns uses Braille characters`() {
    expectScreen(
      details(columns: 80, rows: 24, .character("6")).screen(),
      """
       ♨ kettle   Details: Networking Overview
        1 Overview   2 Parts   3 Addresses   4 Headers   5 Events  [6 Speed]
          20 MiB/s│╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
                  │
                  │
                  │
                  │
                  │
                  │                                          ⣄⢀⣠⣦⡀⣀⣴⣄⢀⣠⣦⡀⣀⣴⣄⢀⣠⣦⡀⣀⣴⣄⢀⣠
                  │                                   ⢀      ⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿
        10.6 MiB/s│                                  ⣠⣿      ⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿
                  │                                ⢀⣼⣿⣿     ⢀⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿
                  │                               ⣠⣿⣿⣿⣿⡀    ⢸⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿
                  │                             ⢀⣾⣿⣿⣿⣿⣿⡇    ⢸⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿
                  │                            ⣰⣿⣿⣿⣿⣿⣿⣿⡇    ⢸⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿
                  │                          ⢀⣾⣿⣿⣿⣿⣿⣿⣿⣿⣇    ⣾⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿
                  │                         ⣴⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿    ⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿
                  │                       ⢠⣾⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿    ⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿
                  │                     ⢀⣴⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿    ⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿
                 0╰─ 2:12 ago ────────────────────────────────────────────────── now
       now 12.4 MiB/s, peak 12.6 MiB/s, average 8.5 MiB/s over 1:30


       p pause x stop d remove l limit Esc back Right next section │ a add │ ? keys
      """)
  }

  @Test func `the speed in 40 columns, in ASCII`() {
    expectScreen(
      details(columns: 40, rows: 10, .left).screen(.ascii),
      """
       k Details: Networking Overview
        1  2  3  4  5 [6 Speed]
          20 MiB/s|--------------------------
                  |##########################
                  |##########################
                 0+- 26 s ago ---------- now
       now 12.4 MiB/s, peak 12.6 MiB/s,
       average 8.5 MiB/s over 1:30

       p pause  Esc back | ? keys
      """)
  }

  @Test func `the parts and the speed in 140 columns`() {
    expectScreen(
      details(columns: 140, rows: 40, .character("2")).screen(),
      """
       ♨ kettle   Details: Networking Overview
        1 Overview  [2 Parts]  3 Addresses   4 Headers   5 Events   6 Speed
       ████████████████████████████████████████████████████████████████████████████████████████████████████
       ████████████████████████████████████████████████████████████████████████████████████████████████████
       █████████████████████████████████████████████████████████████████████████░░░░░░░░░░░░░░░░░░1▒▒▒▒▒▒▒▒
       ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒███████████████████████████████████
       █████████████████████████████████████████████████████████2▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒
       ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒
       █ received  ▒ in progress  ░ missing  1-9 connection

       Connections
       #  Range                       Speed    Done  Host
       1  300 MiB to 400 MiB      5.7 MiB/s     20%  cdn.example.org
       2  502 MiB to 659 MiB      6.4 MiB/s      0%  cdn.example.org
       3  no response yet             0 B/s          cdn.example.org

       Received ranges
       from 0 B to 300 MiB
       from 400 MiB to 502 MiB
      (20 empty lines)
       p pause  x stop  d remove  l limit  Esc back  Right next section │ a add  z undo  b bin  / find │ ? keys
      """)
    expectScreen(
      details(columns: 140, rows: 40, .character("6")).screen(),
      """
       ♨ kettle   Details: Networking Overview
        1 Overview   2 Parts   3 Addresses   4 Headers   5 Events  [6 Speed]
          20 MiB/s│╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
                  │
                  │
                  │
                  │
                  │
                  │
                  │
                  │
                  │                                                                                                      ⣦⢀⣴⣷⡄⣠⣾⣦⢀⣴⣷⡄⣠⣾⣦⢀⣴⣷⡄⣠⣾⣦⢀⣴
                  │                                                                                                      ⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿
                  │                                                                                               ⣼      ⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿
          10 MiB/s│                                                                                              ⣼⣿      ⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿
                  │                                                                                            ⢀⣾⣿⣿      ⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿
                  │                                                                                           ⢀⣾⣿⣿⣿     ⢸⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿
                  │                                                                                          ⢀⣾⣿⣿⣿⣿⡆    ⢸⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿
                  │                                                                                         ⢠⣿⣿⣿⣿⣿⣿⡇    ⢸⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿
                  │                                                                                        ⢠⣿⣿⣿⣿⣿⣿⣿⡇    ⢸⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿
                  │                                                                                       ⣠⣿⣿⣿⣿⣿⣿⣿⣿⡇    ⢸⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿
                  │                                                                                      ⣰⣿⣿⣿⣿⣿⣿⣿⣿⣿⣧    ⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿
                  │                                                                                     ⣰⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿    ⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿
                  │                                                                                    ⣴⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿    ⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿
                  │                                                                                   ⣼⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿    ⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿
                  │                                                                                 ⢀⣼⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿    ⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿
                 0╰─ 4:12 ago ────────────────────────────────────────────────────────────────────────────────────────────────────────────── now
       now 12.4 MiB/s, peak 12.6 MiB/s, average 8.5 MiB/s over 1:30
      (11 empty lines)
       p pause  x stop  d remove  l limit  Esc back  Right next section │ a add  z undo  b bin  / find │ ? keys
      """)
  }

  @Test(arguments: DetailsSection.allCases)
  func `every section fits every size, even for a transfer without data`(
    section: DetailsSection
  ) {
    for (columns, rows) in [(36, 8), (40, 10), (80, 24), (100, 30), (140, 40), (400, 100)] {
      for look in [Look.text, .ascii] {
        var model = details(
          columns: columns, rows: rows, .character(Character("\(section.number)")))
        expectSound(model.screen(look), look)
        let bare = TransferDetails(snapshot: Sample.row(1, titled: "Bare", state: .idle))
        _ = model.update(.detailsArrived(bare), at: Sample.now)
        expectSound(model.screen(look), look)
        #expect(model.screen(look).lines[2].isEmpty == false)
      }
    }
  }

  @Test func `out-of-range numbers do not trap`() {
    var model = details(columns: 80, rows: 24, .character("2"))
    var view = Sample.details
    view.snapshot.bytesExpected = 5
    view.liveConnections = [Int64.min, -1, 0, 4, .max].flatMap { lower in
      [Int64.min, -1, 0, 4, .max].map { upper in
        .init(
          lower: lower, upper: upper, receivedUpTo: upper, bytesPerSecond: lower, url: "nonsense")
      }
    }
    view.recentSpeeds = [.min, -1, 0, 1, .max, .max]
    _ = model.update(.detailsArrived(view), at: Sample.now)
    expectSound(model.screen(), .text)
    _ = model.press(.character("6"))
    expectSound(model.screen(), .text)
  }
}
