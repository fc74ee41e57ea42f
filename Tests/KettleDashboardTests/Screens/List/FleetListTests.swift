import Testing

@testable import KettleDashboard
@testable import KettleModel

/// The list of a fleet.
struct FleetListTests {
  private static let machines = [
    FleetHostRow(
      id: FleetHostID(rawValue: 1), name: "nas", labels: ["eu", "disk"], take: 20,
      version: "0.1.0", aliveForMilliseconds: 40_000, isDraining: false, claimedCount: 12,
      completedCount: 4312, bytesPerSecond: 12_687_770, freeBytes: 1_400 << 30, shareCount: 3),
    FleetHostRow(
      id: FleetHostID(rawValue: 2), name: "seedbox", labels: [], take: 8, version: "0.1.0",
      aliveForMilliseconds: 9_000, isDraining: true, claimedCount: 1, completedCount: 0,
      bytesPerSecond: 512_000, freeBytes: 9 << 30, shareCount: 0),
    FleetHostRow(
      id: FleetHostID(rawValue: 3), name: "attic", labels: ["eu"], take: 8, version: "0.1.0",
      aliveForMilliseconds: -200_000, isDraining: false, claimedCount: 8, completedCount: 0,
      bytesPerSecond: 0, freeBytes: nil, shareCount: 0),
  ]

  private static let rows = Sample.rows.filter { [1, 4, 5, 8, 12].contains($0.id.rawValue) }
    .map { row in
      var row = row
      row.heldBack = nil
      row.readyAt = nil
      row.machine = row.state == .queued ? nil : row.id.rawValue == 5 ? "seedbox" : "nas"
      return row
    }

  private func model(
    columns: Int, rows: Int, _ fleet: FleetGlance = FleetGlance(name: "downloads")
  ) -> Dashboard {
    var model = Dashboard(size: ScreenSize(columns: columns, rows: rows))
    _ = model.update(.linkChanged(.connected), at: Sample.now)
    var totals = Totals()
    totals.counts = [.running: 2, .completed: 4312, .queued: 1_200_000, .verifying: 1]
    totals.bytesPerSecond = 13_199_770
    totals.limitBytesPerSecond = 200 << 20
    totals.fleet = fleet
    let window = ListWindow(first: 0, matchingCount: Self.rows.count, rows: Self.rows)
    _ = model.update(.rowsArrived(window, totals), at: Sample.now)
    _ = model.update(.machinesArrived(Self.machines), at: Sample.now)
    return model
  }

  @Test func `the list in 80 columns has the machines`() {
    expectScreen(
      model(columns: 80, rows: 24).screen(),
      """
       ♨ fleet downloads   ↓ 12.6 MiB/s of 200 MiB/s  ▶2 ≡1 ·1,200,000 ✔4,312
         File                  Progress                    Speed    Left  Machine
      ▌▶ Networking Overview   ━━━━━━━━╸───────   61% 12.1 MiB/s    0:21  nas
       ✔ AV Foundation Guide   done 14:02                                 nas
       ▶ A stream with…length  ────━━━─────────        500 KiB/s          seedbox
       · Next in line          queued
       ≡ Checksummed           ━━━━━━━━━━━━━━━━  100%  verifying          nas
      (15 empty lines)
                                                                                  1/5
       p pause x stop Enter details d remove │ a add │ : everything ? keys q leave
      """)
  }

  @Test func `the list in 120 columns has a pane of machines`() {
    expectScreen(
      model(columns: 120, rows: 35).screen(),
      """
       ♨ fleet downloads   ↓ 12.6 MiB/s of 200 MiB/s    ▶ 2  ≡ 1  · 1,200,000  ✔ 4,312
      ╭─┤¹speed├────────────────────────────────────────────────────────┤2:20├─╮╭─┤²machines├────────────────────────────┤3├─╮
      │ 200 MiB/s╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌ ││ attic lost for 3:20                        │
      │                                                                        ││ nas eu,disk        12 12.1 MiB/s   1.4 TiB │
      │                                                                        ││ seedbox draining    1  500 KiB/s   9.0 GiB │
      │ 100 MiB/s                                                              ││                                            │
      │                                                                        ││                                            │
      │                                                                      ⣤ ││                                            │
      ╰─┤now 12.6 MiB/s · average 12.6 MiB/s · peak 12.6 MiB/s├────────────────╯╰────────────────────────────────────────────╯
      ╭─┤³downloads├───────────────────────────────────────────────────────────────────────────────────────────┤queue order├─╮
      │   File                             Progress                              Size             Speed    Left  Machine     │
      │▌▶ Networking Overview              ━━━━━━━━━━━━━╸──────────   61% 405/659 MiB      ⢸ 12.1 MiB/s    0:21  nas         │
      │ ✔ AV Foundation Guide              done 14:02                          11 MiB                            nas         │
      │ ▶ A stream without a length        ──────────────────━━━───           5.0 MiB      ⢀  500 KiB/s          seedbox     │
      │ · Next in line                     queued                                                                            │
      │ ≡ Checksummed                      ━━━━━━━━━━━━━━━━━━━━━━━━  100%     700 MiB         verifying          nas         │
      │                                                                                                                      │
      │                                                                                                                      │
      │                                                                                                                      │
      │                                                                                                                      │
      │                                                                                                                      │
      │                                                                                                                      │
      │                                                                                                                      │
      │                                                                                                                      │
      │                                                                                                                      │
      │                                                                                                                      │
      │                                                                                                                      │
      │                                                                                                                      │
      │                                                                                                                      │
      │                                                                                                                      │
      │                                                                                                                      │
      │                                                                                                                      │
      │                                                                                                                      │
      ╰─┤1/5├────────────────────────────────────────────────────────────────────────────────────────────────────────────────╯
       p pause  x stop  Enter details  d remove │ a add  Space mark  \\ filter  o sort │ : everything  ? keys  q leave
      """)
  }

  @Test func `the title says since when the database is silent`() {
    let silent = FleetGlance(
      name: "downloads", problem: "its database cannot be reached",
      silentSince: Sample.time(seconds: -180))
    let line = model(columns: 120, rows: 35, silent).screen().lines[0]
    #expect(line.contains("no answer since 11:57"), "\(line)")
    let narrow = model(columns: 80, rows: 24, silent).screen().lines[0]
    #expect(narrow.contains("no answer since 11:57"), "\(narrow)")
  }

  @Test func `keys that a fleet does not offer say why`() {
    for (key, words) in [
      ("l", "kettle fleet limit"), ("/", "has no search"), ("z", "does not offer that"),
      ("V", "does not offer that"), ("K", "does not offer that"), ("c", "does not offer that"),
      ("D", "does not offer that"), ("!", "machine"),
    ] {
      var model = model(columns: 80, rows: 24)
      let effects = model.type(key)
      #expect(!effects.contains { if case .service = $0 { true } else { false } }, "\(key)")
      #expect(model.said?.contains(words) == true, "\(key): \(model.said ?? "")")
    }
    var one = Sample.model(columns: 80, rows: 24)
    #expect(one.type("z") == [.service(.bin(.undo(nil)))])
  }

  @Test func `keys that a fleet offers work`() {
    var model = model(columns: 80, rows: 24)
    #expect(
      model.type("p") == [.service(.control(.pause, .ids([TransferID(rawValue: 1)])))])
  }

  @Test func `on: filters by a machine`() {
    #expect(
      FilterQuery.parse("on:nas state:failed")
        == .success(
          RowFilter(states: [.failed], machine: "nas")))
    #expect(FilterQuery.parse("on:a on:b") == .failure(.second(.on)))
    #expect(FilterQuery.parse("on:") == .failure(.missingValue(.on)))
    let names = QueryNames(Self.rows, queues: [])
    #expect(QueryCompletion(of: "on:s", among: names).completed == "on:seedbox")
  }

  @Test func `machines are requested while nothing is under way, but seldom`() {
    var model = Dashboard(size: ScreenSize(columns: 120, rows: 35))
    _ = model.update(.linkChanged(.connected), at: Sample.now)
    var totals = Totals()
    totals.counts = [.completed: 1]
    totals.fleet = FleetGlance(name: "downloads")
    let window = ListWindow(first: 0, matchingCount: 1, rows: [Sample.rows[3]])
    var count = 0
    for second in Int64(0)..<20 {
      let effects = model.update(
        .rowsArrived(window, totals), at: Sample.moment(seconds: second))
      count += effects.count { $0 == .service(.loadHosts) }
    }
    #expect(count == 2)
  }
}
