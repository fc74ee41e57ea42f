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
       ♨ kettle   ↓ 12.6 MiB/s  ▶3 ≡1 ◷2 ·1 ◔2 ‖1 ○2 ⚑1 ✔1 ✘1                      42% ━━━───── 1:30 left
      ╭─┤¹speed├──────────────────────────────────────────────────────────────────────────────────┤3:12├─╮
      │ 15 MiB/s                                                                                       ⣶ │
      │                                                                                                ⣿ │
      │                                                                                                ⣿ │
      ╰─┤now 12.6 MiB/s · average 12.6 MiB/s · peak 12.6 MiB/s├──────────────────────────────────────────╯
      ╭─┤³downloads├───────────────────────────────────────────────────────────────────────┤queue order├─╮
      │   File                        Progress                           Size             Speed    Left  │
      │ ▶◆Networking Overview         ━━━━━━━━━━━╸─────────   61% 405/659 MiB      ⢸ 12.1 MiB/s    0:21  │
      │ ‖◆iOS Technology Overview     ━━━━─────────────────   22%    6/29 MiB            paused          │
      │ ◷ Archive of 2025             retry in 12 s (503)           0/1.2 GiB                            │
      │ ✔◆AV Foundation Guide         done 14:02                       11 MiB                            │
      │▌▶ A stream without a length   ────────────━━━──────           5.0 MiB      ⢀  500 KiB/s          │
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
      │ Filter: state:running,w host:example.org "two words                                              │
      │ words 'whole ^begin end$ !not  state:failed,waiting needs:you host:example.org queue:night       │
      ╰─┤5/15├─────────────────────────────────────────────────────────────────┤181 GiB left afterwards├─╯
       Esc cancel  Ctrl-U clear line │ Enter keep it  Tab complete  Up earlier
      """)
  }

  @Test func `typing a search in 140 columns`() {
    var model = model(columns: 140, rows: 40)
    _ = model.press(.character("/"))
    _ = model.type("overview")
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
      │ ▶◆Networking Overview                  ━━━━━━━━━━━━━━━╸───────────   61% 405/659 MiB      ⢸ 12.1 MiB/s     4    0:21  ▌ example.org      │
      │ ‖◆iOS Technology Overview              ━━━━━━─────────────────────   22%    6/29 MiB            paused                ▌ example.org      │
      │ ◷ Archive of 2025                      retry in 12 s (503)                 0/1.2 GiB                                  ▌ example.org      │
      │ ✔◆AV Foundation Guide                  done 14:02                             11 MiB                                    example.org      │
      │▌▶ A stream without a length            ━━━────────────────────────           5.0 MiB      ⢀  500 KiB/s     1          ▌ example.org      │
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
      │ Search: overview                                                                                                                         │
      │ searching…                                                                                                                               │
      ╰─┤5/15├───────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────╯
       Esc cancel  Ctrl-U clear line │ Enter keep it  Tab complete  Up earlier
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
       ♨ ↓ 12.6 MiB/s  ▶3 ≡1 ◷2 ·1 ◔2 ‖1 ○2 ⚑1 ✔1 ✘1           42% ━━━───── 1:30 left
         File                  Progress                      Size      Speed    Left
       ▶◆Networking Overview   ━━━━━━━━╸───────   61% 405/659 MiB 12.1 MiB/s    0:21
       ‖◆iOS Technolog…erview  ━━━─────────────   22%    6/29 MiB     paused
       ◷ Archive of 2025       retry in 12 s (503)      0/1.2 GiB
       ✔◆AV Foundation Guide   done 14:02                  11 MiB
      ▌▶ A stream with…length  ────━━━─────────           5.0 MiB  500 KiB/s
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
      (4 empty lines)
       3 marked   Search: guide (1 match)   following   Esc clears it
       Following this transfer; F stops                                          5/15
       s start  p pause  Enter details  D delete file │ a add │ ? keys  q leave
      """)
  }

  @Test func `the sort menu in 100 columns`() {
    var model = model(columns: 100, rows: 30)
    _ = model.press(.character("o"))
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
      │   File                        Pro╭─ Sort by ──────────────────╮  Size             Speed    Left  │
      │ ▶◆Networking Overview         ━━━│ > u  queue order         ↑ │59 MiB      ⢸ 12.1 MiB/s    0:21  │
      │ ‖◆iOS Technology Overview     ━━━│   n  name                  │29 MiB            paused          │
      │ ◷ Archive of 2025             ret│   s  state                 │.2 GiB                            │
      │ ✔◆AV Foundation Guide         don│   z  size                  │11 MiB                            │
      │ ▶ A stream without a length   ───│   p  progress              │.0 MiB      ⢀  500 KiB/s          │
      │ ◷ Offline                     wai│   e  speed                 │.0 MiB                            │
      │ ⚑ Members only                exa│   t  time left             │               u log in  s retry  │
      │ · Next in line                #1 │   c  connections           │                           50:00  │
      │ ◔ At night                    sta│   r  priority              │                                  │
      │ ◔ At Christmas                sta│   h  host                  │                                  │
      │ ✘ Gone                        hos│   i  session               │.0 MiB                            │
      │ ≡ Checksummed                 ━━━│   a  time added            │00 MiB         verifying          │
      │ ○ Stopped                     sto│   f  time finished         │                                  │
      │ ○ New                         not│   g  groups: by state    ✔ │                                  │
      │ ▶ 文件传输指南 🚀 第二版      ━╸─╰────────────────────────────╯1000 B      ⢀     10 B/s    1:30  │
      │                                                                                                  │
      │                                                                                                  │
      │                                                                                                  │
      │ 3 marked   Esc clears it                                                                         │
      │                                                                                                  │
      ╰─┤5/15├─────────────────────────────────────────────────────────────────┤181 GiB left afterwards├─╯
       Enter select  Esc cancel
      """)
  }

  @Test func `frozen rows, marks and another order in 40 columns`() {
    var model = model(columns: 40, rows: 10)
    _ = model.press(.character("o"), .character("h"), .character("Z"))
    expectScreen(
      model.screen(.ascii),
      """
       k v 12.6 MiB/s  *3 ~2 .1 =1 !1 +1 !1
         File                   %      Speed
       *xNetworking ~erview   61% 12.1 MiB/s #
       =xiOS Technol~erview   22%     paused |
       ~ Archive of 2025    retry in 12 s    |
       +xAV Foundati~ Guide done 14:02       |
      >* A stream wi~length        500 KiB/s |
       FROZEN, Z resumes   3 marked   by host
       The rows are frozen; Z resumes    5/15
       s start  p pause | ? keys  q leave
      """)
  }

  @Test func `the question about marked rows in 40 columns`() {
    var model = model(columns: 40, rows: 10)
    _ = model.press(.character("D"))
    expectScreen(
      model.screen(),
      """
       ♨ ↓ 12.6 MiB/s  ▶3 ◷2 ·1 ‖1 ⚑1 ✔1 ✘1
         File                   %      Speed
      ╭─ Remove with file ───────────────────╮
      │ Remove 3 transfers and their files?  │
      │ Their files go to the bin. Files     │
      │ modified by other programs are kept. │
      │ y yes   n no (Enter, Esc)            │
      ╰──────────────────────────────────────╯
                                         5/15
       y yes  n no
      """)
  }
}
