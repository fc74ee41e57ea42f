import KettleModel
import Testing

@testable import KettleDashboard

/// The hosts beside the graph.
struct HostPaneTests {
  private static let hosts: [HostSnapshot] = [
    HostSnapshot(
      origin: "https://example.org", connections: 5, connectionsMax: 9,
      bytesPerSecond: 12_600_000, queuedCount: 3),
    HostSnapshot(
      origin: "https://mirror.example.net", connections: 2, connectionsMax: 2,
      bytesPerSecond: 400_000,
      limit: .init(
        connectionsMax: 2, triedCount: 9, since: Sample.time(seconds: -600), status: 503)),
    HostSnapshot(
      origin: "http://down.example", connections: 0, connectionsMax: 9, queuedCount: 4,
      outage: .init(
        since: Sample.time(seconds: -60), failedProbeCount: 2,
        nextProbeAt: Sample.time(seconds: 60),
        error: TransferFailure(.connectionRefused, on: "http://down.example"))),
    HostSnapshot(origin: "https://remembered.example", connections: 0),
  ]

  private func requestCount(_ effects: [DashboardEffect]) -> Int {
    effects.count { $0 == .service(.loadHosts) }
  }

  @Test func `the hosts in 120 columns, those that work first`() {
    var model = Sample.model(columns: 120, rows: 35)
    _ = model.update(.hostsArrived(Self.hosts), at: Sample.now)
    expectScreen(
      model.screen(),
      """
       ♨ kettle   ↓ 12.6 MiB/s    ▶ 3  ≡ 1  ◷ 2  · 1  ◔ 2  ‖ 1  ○ 2  ⚑ 1 needs you  ✔ 1  ✘ 1     42% ━━━━━───────── 1:30 left
      ╭─┤¹speed├────────────────────────────────────────────────────────┤2:20├─╮╭─┤²hosts├───────────────────────────────┤3├─╮
      │ 15 MiB/s                                                             ⣀ ││ ▌example.org    ●●●●●···      ⢸ 12.0 MiB/s │
      │                                                                      ⣿ ││ ▌mirror…ple.net ●●            ⢀  391 KiB/s │
      │                                                                      ⣿ ││ ▌down.example   down, next try 12:01       │
      │ 7.5 MiB/s                                                            ⣿ ││                                            │
      │                                                                      ⣿ ││                                            │
      │                                                                      ⣿ ││ 7 connections      181 GiB left afterwards │
      ╰─┤now 12.6 MiB/s · average 12.6 MiB/s · peak 12.6 MiB/s├────────────────╯╰────────────────────────────────────────────╯
      ╭─┤³downloads├───────────────────────────────────────────────────────────────────────────────────────────┤queue order├─╮
      │   File                         Progress                           Size             Speed    Left  Host               │
      │▌▶ Networking Overview          ━━━━━━━━━━━╸─────────   61% 405/659 MiB      ⢸ 12.1 MiB/s    0:21  ▌ example.org      │
      │ ‖ iOS Technology Overview      ━━━━─────────────────   22%    6/29 MiB            paused          ▌ example.org      │
      │ ◷ Archive of 2025              retry in 12 s (503)           0/1.2 GiB                            ▌ example.org      │
      │ ✔ AV Foundation Guide          done 14:02                       11 MiB                              example.org      │
      │ ▶ A stream without a length    ────────────━━━──────           5.0 MiB      ⢀  500 KiB/s          ▌ example.org      │
      │ ◷ Offline                      waiting for network         3.0/9.0 MiB                            ▌ example.org      │
      │ ⚑ Members only                 example.org wants a login                                          u log in  s retry  │
      │ · Next in line                 #1 in queue, host full 2/2                                  50:00  ▌ example.org      │
      │ ◔ At night                     starts 18:00                                                       ▌ example.org      │
      │ ◔ At Christmas                 starts 24 Dec 12:00                                                ▌ example.org      │
      │ ✘ Gone                         host not found              1.0/4.0 MiB                            ▌ example.org      │
      │ ≡ Checksummed                  ━━━━━━━━━━━━━━━━━━━━━  100%     700 MiB         verifying          ▌ example.org      │
      │ ○ Stopped                      stopped                                                            ▌ example.org      │
      │ ○ New                          not started                                                        ▌ example.org      │
      │ ▶ 文件传输指南 🚀 第二版       ━╸───────────────────   10%  100/1000 B      ⢀     10 B/s    1:30  ▌ example.org      │
      │                                                                                                                      │
      │                                                                                                                      │
      │                                                                                                                      │
      │                                                                                                                      │
      │                                                                                                                      │
      │                                                                                                                      │
      │                                                                                                                      │
      ╰─┤1/15├───────────────────────────────────────────────────────────────────────────────────────────────────────────────╯
       p pause  x stop  Enter details  d remove  l limit │ a add  z undo  Space mark  / find │ : everything  ? keys  q leave
      """)
  }

  @Test func `hosts are requested every two seconds while something is under way`() {
    var model = Dashboard(size: ScreenSize(columns: 120, rows: 35))
    _ = model.update(.linkChanged(.connected), at: Sample.now)
    let window = ListWindow(first: 0, matchingCount: Sample.rows.count, rows: Sample.rows)
    var count = 0
    for second in Int64(0)...4 {
      let effects = model.update(
        .rowsArrived(window, Sample.totals), at: Sample.moment(seconds: second))
      count += requestCount(effects)
    }
    #expect(count == 3)
  }

  @Test func `nothing is requested while nothing is under way, or without room`() {
    for (columns, rows) in [(119, 35), (120, 27)] {
      var model = Sample.model(columns: columns, rows: rows)
      #expect(requestCount(model.update(.ticked, at: Sample.moment(seconds: 9))) == 0)
    }
    var model = Sample.model(columns: 120, rows: 35, showing: [Sample.rows[3]])
    #expect(requestCount(model.update(.ticked, at: Sample.moment(seconds: 9))) == 0)
    _ = model.update(.hostsArrived(Self.hosts), at: Sample.moment(seconds: 9))
    #expect(!model.screen().lines.contains { $0.contains("mirror.example.net") })
  }

  @Test func `impossible numbers of the service do not end the dashboard`() {
    var model = Sample.model(columns: 120, rows: 35)
    let hosts = [
      HostSnapshot(
        origin: "", connections: .min, connectionsMax: .max, bytesPerSecond: .min,
        queuedCount: .min),
      HostSnapshot(origin: "://", connections: .max, queuedCount: .max),
    ]
    _ = model.update(.hostsArrived(hosts), at: Sample.now)
    #expect(model.screen().lines.count == 35)
  }
}
