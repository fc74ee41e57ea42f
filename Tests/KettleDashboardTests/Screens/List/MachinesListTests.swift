import KettleModel
import Testing

@testable import KettleDashboard

/// The list of several machines without a fleet.
struct MachinesListTests {
  private static let rows = Sample.rows.filter { [1, 4, 5, 8, 12].contains($0.id.rawValue) }
    .map { row in
      var row = row
      row.heldBack = nil
      row.readyAt = nil
      let index = row.id.rawValue == 5 || row.state == .queued ? 1 : 0
      row.machine = ["local", "nas"][index]
      row.id = TransferID(rawValue: row.id.rawValue * 64 + Int64(index))
      return row
    }

  private static let machines = [
    FleetHostRow(
      id: FleetHostID(rawValue: 0), name: "local", aliveForMilliseconds: 0, claimedCount: 1,
      completedCount: 4312, bytesPerSecond: 12_687_770, freeBytes: 1_400 << 30),
    FleetHostRow(
      id: FleetHostID(rawValue: 1), name: "nas", aliveForMilliseconds: 0,
      claimedCount: 1, completedCount: 0, bytesPerSecond: 512_000, freeBytes: 9 << 30),
  ]

  private func model(
    columns: Int, rows: Int, missing: [MachinesGlance.Missing] = []
  ) -> Dashboard {
    var model = Dashboard(size: ScreenSize(columns: columns, rows: rows))
    _ = model.update(.linkChanged(.connected), at: Sample.now)
    var totals = Totals()
    totals.counts = [.running: 2, .completed: 4312, .queued: 12, .verifying: 1]
    totals.bytesPerSecond = 13_199_770
    totals.machines = MachinesGlance(names: ["local", "nas"], missing: missing)
    let shown = Self.rows.filter { row in !missing.contains { $0.name == row.machine } }
    let window = ListWindow(first: 0, matchingCount: shown.count, rows: shown)
    _ = model.update(.rowsArrived(window, totals), at: Sample.now)
    _ = model.update(.machinesArrived(Self.machines), at: Sample.now)
    return model
  }

  @Test func `the list has the machines, and a pane of them`() {
    expectScreen(
      model(columns: 120, rows: 35).screen(),
      """
       ♨ local, nas   ↓ 12.6 MiB/s    ▶ 2  ≡ 1  · 12  ✔ 4,312
      ╭─┤¹speed├────────────────────────────────────────────────────────┤2:20├─╮╭─┤²machines├────────────────────────────┤2├─╮
      │ 15 MiB/s                                                             ⣀ ││ local               1 12.1 MiB/s   1.4 TiB │
      │                                                                      ⣿ ││ nas                 1  500 KiB/s   9.0 GiB │
      │                                                                      ⣿ ││                                            │
      │ 7.5 MiB/s                                                            ⣿ ││                                            │
      │                                                                      ⣿ ││                                            │
      │                                                                      ⣿ ││                                            │
      ╰─┤now 12.6 MiB/s · average 12.6 MiB/s · peak 12.6 MiB/s├────────────────╯╰────────────────────────────────────────────╯
      ╭─┤³downloads├───────────────────────────────────────────────────────────────────────────────────────────┤queue order├─╮
      │   File                             Progress                              Size             Speed    Left  Machine     │
      │▌▶ Networking Overview              ━━━━━━━━━━━━━╸──────────   61% 405/659 MiB      ⢸ 12.1 MiB/s    0:21  local       │
      │ ✔ AV Foundation Guide              done 14:02                          11 MiB                            local       │
      │ ▶ A stream without a length        ──────────────────━━━───           5.0 MiB      ⢀  500 KiB/s          nas         │
      │ · Next in line                     queued                                                                nas         │
      │ ≡ Checksummed                      ━━━━━━━━━━━━━━━━━━━━━━━━  100%     700 MiB         verifying          local       │
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
       p pause  x stop  Enter details  d remove  l limit │ a add  z undo  Space mark  / find │ : everything  ? keys  q leave
      """)
  }

  @Test func `the title says which machine is missing, and since when`() {
    let missing = MachinesGlance.Missing(
      name: "nas", since: Sample.time(seconds: -180))
    for columns in [80, 120] {
      let line = model(columns: columns, rows: 24, missing: [missing]).screen().lines[0]
      #expect(line.contains("nas missing since 11:57"), "\(line)")
    }
    #expect(
      Strings.areMissing([missing, missing], since: "11:57") == "2 machines missing since 11:57")
    #expect(
      Strings.names(MachinesGlance(names: (0..<9).map { "machine-\($0)" })) == "9 machines")
  }

  @Test func `keys work as in the list of one machine`() {
    var model = model(columns: 80, rows: 24)
    #expect(
      model.type("p") == [.service(.control(.pause, .ids([TransferID(rawValue: 64)])))])
    #expect(model.type("z") == [.service(.bin(.undo(nil)))])
  }
}
