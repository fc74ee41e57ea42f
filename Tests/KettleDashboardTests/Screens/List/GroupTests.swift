import KettleModel
import Testing

@testable import KettleDashboard

/// The groups of the list.
struct GroupTests {
  private static let grouped: LongList = {
    var list = LongList(0)
    list.rows = Sample.rows
    list.isGrouped = true
    return list
  }()

  /// Nothing needs the user, so that the running transfers are at the top.
  private static let calm: LongList = {
    var list = grouped
    list.rows.removeAll { $0.reason == .needsLogin }
    return list
  }()

  private func shown(_ model: Dashboard) -> [String] {
    model.screen().lines.filter { $0.contains("next") || $0.contains("done") }
  }

  @Test func `the groups in 80 columns`() {
    expectScreen(
      Self.grouped.model(columns: 80, rows: 24).screen(),
      """
       ♨ ↓ 12.6 MiB/s  ▶3 ≡1 ◷2 ·1 ◔2 ‖1 ○2 ⚑1 ✔1 ✘1           42% ━━━───── 1:30 left
         File                  Progress                      Size      Speed    Left
       ▾ needs you 1 ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
      ▌⚑ Members only          example.org wants a login           u log in  s retry
       ▾ running 4 6 connections ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
       ▶ Networking Overview   ━━━━━━━━╸───────   61% 405/659 MiB 12.1 MiB/s    0:21
       ▶ A stream with…length  ────━━━─────────           5.0 MiB  500 KiB/s
       ≡ Checksummed           ━━━━━━━━━━━━━━━━  100%     700 MiB  verifying
       ▶ 文件传输指南 …第二版  ╸───────────────   10%  100/1000 B     10 B/s    1:30
       ▾ next 8 ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
       ◷ Archive of 2025       retry in 12 s (503)      0/1.2 GiB
       ◷ Offline               waiting for network    3.0/9.0 MiB
       · Next in line          #1 in queue, host full 2/2                      50:00
       ◔ At night              starts 18:00
       ◔ At Christmas          starts 24 Dec 12:00
       ‖ iOS Technolog…erview  ━━━─────────────   22%    6/29 MiB     paused
       ○ Stopped               stopped
       ○ New                   not started
       ▾ failed 1 ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
       ✘ Gone                  host not found         1.0/4.0 MiB
       ▾ done today 1 11 MiB, newest first ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
       ✔ AV Foundation Guide   done 14:02                  11 MiB
       example.org requires a login; press u to log in                           1/15
       u log in s retry p pause Enter details │ a add │ : everything ? keys q leave
      """)
  }

  @Test func `the groups in 40 columns`() {
    expectScreen(
      Self.grouped.model(columns: 40, rows: 12).screen(),
      """
       ♨ ↓ 12.6 MiB/s  ▶3 ◷2 ·1 ‖1 ⚑1 ✔1 ✘1
         File                   %      Speed
       ▾ needs you 1 ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌ ┃
      ▌⚑ Members only        wants a login   ┃
       ▾ running 4 6 connections ╌╌╌╌╌╌╌╌╌╌╌ ┃
       ▶ Networking …erview   61% 12.1 MiB/s │
       ▶ A stream wi…length        500 KiB/s │
       ≡ Checksummed         100%  verifying │
       ▶ 文件传输指…第二版    10%     10 B/s │
       ▾ next 8 ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌ │
       example.org requires a login; press u…
       u log in  p pause │ ? keys  q leave
      """)
  }

  @Test func `the groups in 100 columns`() {
    expectScreen(
      Self.grouped.model(columns: 100, rows: 28).screen(),
      """
       ♨ kettle   ↓ 12.6 MiB/s  ▶3 ≡1 ◷2 ·1 ◔2 ‖1 ○2 ⚑1 ✔1 ✘1                      42% ━━━───── 1:30 left
      ╭─┤¹speed├──────────────────────────────────────────────────────────────────────────────────┤3:12├─╮
      │ 15 MiB/s                                                                                       ⣶ │
      │                                                                                                ⣿ │
      │                                                                                                ⣿ │
      ╰─┤now 12.6 MiB/s · average 12.6 MiB/s · peak 12.6 MiB/s├──────────────────────────────────────────╯
      ╭─┤! needs you├────────────────────────────────────────────────────────────────────────────────┤1├─╮
      │▌⚑ Members only                example.org wants a login                       u log in  s retry  │
      ╰──────────────────────────────────────────────────────────────────────────────────────────────────╯
      ╭─┤³downloads├───────────────────────────────────────────────────────────────────────┤queue order├─╮
      │   File                        Progress                           Size             Speed    Left  │
      │ ▾ running 4 6 connections ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌ ┃│
      │ ▶ Networking Overview         ━━━━━━━━━━━╸─────────   61% 405/659 MiB      ⢸ 12.1 MiB/s    0:21 ┃│
      │ ▶ A stream without a length   ────────────━━━──────           5.0 MiB      ⢀  500 KiB/s         ┃│
      │ ≡ Checksummed                 ━━━━━━━━━━━━━━━━━━━━━  100%     700 MiB         verifying         ┃│
      │ ▶ 文件传输指南 🚀 第二版      ━╸───────────────────   10%  100/1000 B      ⢀     10 B/s    1:30 ┃│
      │ ▾ next 8 ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌ ┃│
      │ ◷ Archive of 2025             retry in 12 s (503)           0/1.2 GiB                           ┃│
      │ ◷ Offline                     waiting for network         3.0/9.0 MiB                           ┃│
      │ · Next in line                #1 in queue, host full 2/2                                  50:00 ┃│
      │ ◔ At night                    starts 18:00                                                      ┃│
      │ ◔ At Christmas                starts 24 Dec 12:00                                               ││
      │ ‖ iOS Technology Overview     ━━━━─────────────────   22%    6/29 MiB            paused         ││
      │ ○ Stopped                     stopped                                                           ││
      │ ○ New                         not started                                                       ││
      │ example.org requires a login; press u to log in                                                  │
      ╰─┤1/15├─────────────────────────────────────────────────────────────────┤181 GiB left afterwards├─╯
       u log in  s retry  p pause  Enter details  d remove │ a add │ : everything  ? keys  q leave
      """)
  }

  @Test func `the groups in 120 columns`() {
    expectScreen(
      Self.grouped.model(columns: 120, rows: 35).screen(),
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
      ╭─┤! needs you├────────────────────────────────────────────────────────────────────────────────────────────────────┤1├─╮
      │▌⚑ Members only                 example.org wants a login                                          u log in  s retry  │
      ╰──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────╯
      ╭─┤³downloads├───────────────────────────────────────────────────────────────────────────────────────────┤queue order├─╮
      │   File                         Progress                           Size             Speed    Left  Host               │
      │ ▾ running 4 6 connections ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌  │
      │ ▶ Networking Overview          ━━━━━━━━━━━╸─────────   61% 405/659 MiB      ⢸ 12.1 MiB/s    0:21  ▌ example.org      │
      │ ▶ A stream without a length    ────────────━━━──────           5.0 MiB      ⢀  500 KiB/s          ▌ example.org      │
      │ ≡ Checksummed                  ━━━━━━━━━━━━━━━━━━━━━  100%     700 MiB         verifying          ▌ example.org      │
      │ ▶ 文件传输指南 🚀 第二版       ━╸───────────────────   10%  100/1000 B      ⢀     10 B/s    1:30  ▌ example.org      │
      │ ▾ next 8 ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌  │
      │ ◷ Archive of 2025              retry in 12 s (503)           0/1.2 GiB                            ▌ example.org      │
      │ ◷ Offline                      waiting for network         3.0/9.0 MiB                            ▌ example.org      │
      │ · Next in line                 #1 in queue, host full 2/2                                  50:00  ▌ example.org      │
      │ ◔ At night                     starts 18:00                                                       ▌ example.org      │
      │ ◔ At Christmas                 starts 24 Dec 12:00                                                ▌ example.org      │
      │ ‖ iOS Technology Overview      ━━━━─────────────────   22%    6/29 MiB            paused          ▌ example.org      │
      │ ○ Stopped                      stopped                                                            ▌ example.org      │
      │ ○ New                          not started                                                        ▌ example.org      │
      │ ▾ failed 1 ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌  │
      │ ✘ Gone                         host not found              1.0/4.0 MiB                            ▌ example.org      │
      │ ▾ done today 1 11 MiB, newest first ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌  │
      │ ✔ AV Foundation Guide          done 14:02                       11 MiB                              example.org      │
      │ example.org requires a login; press u to log in                                                                      │
      ╰─┤1/15├───────────────────────────────────────────────────────────────────────────────────────────────────────────────╯
       u log in  s retry  p pause  x stop  Enter details  d remove  l limit │ a add  / find │ : everything  ? keys  q leave
      """)
  }

  @Test func `the groups in 200 columns`() {
    expectScreen(
      Self.grouped.model(columns: 200, rows: 60).screen(),
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
      ╭─┤! needs you├────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────┤1├─╮
      │▌⚑ Members only                                           example.org wants a login                                                                                                u log in  s retry  │
      ╰──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────╯
      ╭─┤³downloads├───────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────┤queue order├─╮
      │   File                      Progress                         Size             Speed    Left  Host               │ Loading…                                                                           │
      │ ▾ running 4 6 connections ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌  │                                                                                    │
      │ ▶ Networking Overview       ━━━━━━━━━━╸────────   61% 405/659 MiB      ⢸ 12.1 MiB/s    0:21  ▌ example.org      │                                                                                    │
      │ ▶ A stream withou…a length  ────────────────━━━           5.0 MiB      ⢀  500 KiB/s          ▌ example.org      │                                                                                    │
      │ ≡ Checksummed               ━━━━━━━━━━━━━━━━━━━  100%     700 MiB         verifying          ▌ example.org      │                                                                                    │
      │ ▶ 文件传输指南 🚀 第二版    ╸──────────────────   10%  100/1000 B      ⢀     10 B/s    1:30  ▌ example.org      │                                                                                    │
      │ ▾ next 8 ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌  │                                                                                    │
      │ ◷ Archive of 2025           retry in 12 s (503)         0/1.2 GiB                            ▌ example.org      │                                                                                    │
      │ ◷ Offline                   waiting for network       3.0/9.0 MiB                            ▌ example.org      │                                                                                    │
      │ · Next in line              #1 in queue, host full 2/2                                50:00  ▌ example.org      │                                                                                    │
      │ ◔ At night                  starts 18:00                                                     ▌ example.org      │                                                                                    │
      │ ◔ At Christmas              starts 24 Dec 12:00                                              ▌ example.org      │                                                                                    │
      │ ‖ iOS Technology Overview   ━━━━───────────────   22%    6/29 MiB            paused          ▌ example.org      │                                                                                    │
      │ ○ Stopped                   stopped                                                          ▌ example.org      │                                                                                    │
      │ ○ New                       not started                                                      ▌ example.org      │                                                                                    │
      │ ▾ failed 1 ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌  │                                                                                    │
      │ ✘ Gone                      host not found            1.0/4.0 MiB                            ▌ example.org      │                                                                                    │
      │ ▾ done today 1 11 MiB, newest first ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌  │                                                                                    │
      │ ✔ AV Foundation Guide       done 14:02                     11 MiB                              example.org      │                                                                                    │
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
      │ example.org requires a login; press u to log in                                                                                                                                                      │
      ╰─┤1/15├───────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────╯
       u log in  s retry  p pause  x stop  Enter details  d remove  l limit │ a add  z undo  Space mark  / find  \\ filter  ! needs you  c clear done  o sort  ] section │ : everything  ? keys  q leave
      """)
  }

  @Test func `the groups in ASCII`() {
    expectScreen(
      Self.grouped.model(columns: 80, rows: 24).screen(.ascii),
      """
       k v 12.6 MiB/s  *3 #1 ~2 .1 @2 =1 o2 !1 +1 !1           42% ===..... 1:30 left
         File                  Progress                      Size      Speed    Left
       v needs you 1 ---------------------------------------------------------------
      >! Members only          example.org wants a login           u log in  s retry
       v running 4 6 connections ---------------------------------------------------
       * Networking Overview   ========-.......   61% 405/659 MiB 12.1 MiB/s    0:21
       * A stream with~length  ....===.........           5.0 MiB  500 KiB/s
       # Checksummed           ================  100%     700 MiB  verifying
       * ?????? ? ???          -...............   10%  100/1000 B     10 B/s    1:30
       v next 8 --------------------------------------------------------------------
       ~ Archive of 2025       retry in 12 s (503)      0/1.2 GiB
       ~ Offline               waiting for network    3.0/9.0 MiB
       . Next in line          #1 in queue, host full 2/2                      50:00
       @ At night              starts 18:00
       @ At Christmas          starts 24 Dec 12:00
       = iOS Technolog~erview  ===.............   22%    6/29 MiB     paused
       o Stopped               stopped
       o New                   not started
       v failed 1 ------------------------------------------------------------------
       ! Gone                  host not found         1.0/4.0 MiB
       v done today 1 11 MiB, newest first -----------------------------------------
       + AV Foundation Guide   done 14:02                  11 MiB
       example.org requires a login; press u to log in                           1/15
       u log in s retry p pause Enter details | a add | : everything ? keys q leave
      """)
  }

  // MARK: Folding

  @Test func `Left folds the group of the row, and Right unfolds it`() {
    let list = Self.calm
    var model = list.model()
    list.press(.left, in: &model)
    #expect(model.list.cursorHeading == ListedGroup(.running, count: 4, isFolded: true))
    #expect(model.list.rowCount == 14 && model.list.window?.rows.count == 10)
    #expect(model.list.cursorRow == nil && model.list.selected.selection == nil)
    list.press(.left, in: &model)
    #expect(model.said == "The group is folded already")
    list.press(.right, in: &model)
    #expect(model.list.window?.rows.count == 14)
    // The running transfers need no heading at the top.
    #expect(model.list.cursorRow?.id == TransferID(rawValue: 1))
  }

  @Test func `Enter and a click on a heading fold and unfold`() {
    let list = Self.calm
    var model = list.model()
    list.press(.down, .down, .down, .down, in: &model)
    #expect(model.list.cursorHeading?.group == .next)
    list.press(.enter, in: &model)
    #expect(model.list.cursorHeading == ListedGroup(.next, count: 8, isFolded: true))
    let row = model.screen().position(of: "next 8")?.row ?? 0
    list.answer(model.click(row: row, column: 10), &model)
    #expect(model.list.cursorHeading == ListedGroup(.next, count: 8))
  }

  @Test func `a key for rows says that the cursor is on a heading`() {
    let list = Self.calm
    var model = list.model()
    list.press(.down, .down, .down, .down, in: &model)
    #expect(model.list.cursorHeading?.group == .next)
    let effects = list.press(.character("x"), in: &model)
    #expect(effects.isEmpty)
    #expect(model.said == "This is the heading of a group; the keys apply to rows")
  }

  @Test func `folded groups are told apart when the rows are requested`() {
    var model = Self.calm.model()
    let effects = model.press(.left)
    guard case .service(.subscribe(let viewport))? = effects.last else {
      Issue.record("no request: \(effects)")
      return
    }
    #expect(viewport.folded == [.running] && viewport.sort == RowSort(isGrouped: true))
    #expect(viewport.tag == 1)
  }

  @Test func `marks count folded rows`() {
    let list = Self.grouped
    var model = list.model()
    list.press(.character("A"), .left, in: &model)
    #expect(model.list.markedCount == 15)
  }

  @Test func `a search finds rows that are folded, and folds them again at its end`() {
    let list = Self.calm
    var model = list.model()
    list.press(.down, .down, .down, .down, .left, in: &model)
    list.press(.character("/"), in: &model)
    list.type("christ", in: &model)
    #expect(model.list.cursorRow?.title == "At Christmas")
    #expect(model.list.window?.lines.hasFolded == false)
    list.press(.enter, .left, in: &model)
    #expect(model.said == "The search looks into all groups; Esc ends it")
    list.press(.escape, in: &model)
    #expect(model.list.window?.lines.hasFolded == true && model.list.view.folded == [.next])
  }

  @Test func `a flat list has no groups to fold`() {
    let list = Self.grouped
    var model = list.model()
    for _ in 0..<2 { list.press(.character("o"), .character("g"), in: &model) }
    #expect(model.list.view.sort == RowSort() && model.list.window?.lines.count == 15)
    list.press(.left, in: &model)
    #expect(model.said == "The list has no groups; o g shows them")
    list.press(.character("o"), .character("g"), in: &model)
    #expect(model.list.view.sort == RowSort(isGrouped: true))
  }

  @Test func `a sort by a column keeps the groups`() {
    let list = Self.grouped
    var model = list.model()
    list.press(.character("o"), .character("z"), in: &model)
    #expect(
      model.list.view.sort == RowSort(key: .size, isDescending: true, isGrouped: true))
    #expect(shown(model).contains { $0.contains("next 8") })
  }

  // MARK: The cursor

  @Test func `the cursor stays in place when its transfer ends`() {
    var list = Self.calm
    var model = list.model()
    #expect(model.list.cursorRow?.id == TransferID(rawValue: 1))
    list.rows[0].state = .completed
    list.rows[0].finishedAt = Sample.time(seconds: 0)
    let viewport = Viewport.unfiltered(first: 0, count: 27)
    let window = list.window(viewport)
    list.answer(
      model.update(.rowsArrived(window, Sample.totals(of: list.rows)), at: Sample.now), &model)
    #expect(model.list.cursor.index == 0)
    #expect(model.list.cursorRow?.id == TransferID(rawValue: 5))
  }

  @Test func `the cursor follows a transfer that the user pauses`() {
    var list = Self.calm
    var model = list.model()
    list.rows[0].state = .paused
    let window = list.window(.unfiltered(first: 0, count: 27))
    list.answer(
      model.update(.rowsArrived(window, Sample.totals(of: list.rows)), at: Sample.now), &model)
    #expect(model.list.cursorRow?.id == TransferID(rawValue: 1))
  }

  @Test func `every line is a heading or a row, and rows keep their order`() {
    let groups = [
      ListedGroup(.running, count: 2), ListedGroup(.next, count: 3, isFolded: true),
      ListedGroup(.failed, count: 1), ListedGroup(.done, count: 4),
    ]
    let lines = ListLines(rowCount: 10, groups: groups)
    #expect(lines.count == 2 + 1 + 2 + 5)
    let rows = (0..<lines.count).compactMap(lines.row)
    #expect(rows == Array(0..<7))
    for row in rows { #expect(lines.row(at: lines.line(ofRow: row)) == row) }
    #expect(
      (0..<lines.count).compactMap { lines.heading(at: $0)?.group } == [.next, .failed, .done])
    #expect(lines.firstRow(from: 2) == 2 && lines.firstRow(from: 99) == 7)
    #expect(lines.group(at: 1) == .running && lines.group(at: 99) == nil)
  }

  @Test func `a group alone needs no heading unless it is folded`() {
    #expect(ListLines(rowCount: 3, groups: [ListedGroup(.done, count: 3)]).count == 3)
    #expect(

      ListLines(rowCount: 3, groups: [ListedGroup(.done, count: 3, isFolded: true)]).count == 1)
    #expect(ListLines(rowCount: 0, groups: []).count == 0)
  }

  @Test func `impossible sizes of groups do not overflow`() {
    let lines = ListLines(
      rowCount: 1, groups: [ListedGroup(.next, count: .max), ListedGroup(.done, count: -3)])
    #expect(lines.count > 0 && lines.row(at: 1) == 0 || lines.row(at: 0) == 0)
  }
}
