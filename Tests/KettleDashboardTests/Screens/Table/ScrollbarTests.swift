import KettleDashboard
import KettleModel
import Testing

/// Where the visible rows are in a long list.
struct ScrollbarTests {
  @Test func `a list that fits has no scrollbar`() {
    #expect(Scrollbar(first: 0, count: 20, height: 20).thumb == nil)
    #expect(Scrollbar(first: 0, count: 0, height: 20).thumb == nil)
  }

  @Test func `the thumb is at an end only when the list is`() {
    #expect(Scrollbar(first: 0, count: 40, height: 20).thumb == 0..<10)
    #expect(Scrollbar(first: 20, count: 40, height: 20).thumb == 10..<20)
    #expect(Scrollbar(first: 1, count: 1_000_000, height: 20).thumb == 1..<2)
    #expect(Scrollbar(first: 999_979, count: 1_000_000, height: 20).thumb == 18..<19)
    #expect(Scrollbar(first: 999_980, count: 1_000_000, height: 20).thumb == 19..<20)
  }

  @Test func `the last column and the last line show the position`() {
    let list = LongList(1204)
    var model = list.model(columns: 60, rows: 12)
    list.press(.pageDown, .pageDown, .down, in: &model)
    expectScreen(
      model.screen(),
      """
       ♨ ↓ 0 B/s       ·1,204           0 of 1,204 done ────────
         File              Progress                Speed    Left
       · file 8            queued                                │
       · file 9            queued                                ┃
       · file 10           queued                                │
       · file 11           queued                                │
       · file 12           queued                                │
       · file 13           queued                                │
       · file 14           queued                                │
      ▌· file 15           queued                                │
                                                         16/1,204
       p pause Enter details │ a add │ : everything ? keys q leave
      """)
    list.press(.end, in: &model)
    #expect(model.screen(.ascii).lines[9].hasSuffix("#"))
    #expect(model.screen().lines[10].hasSuffix(" 1,204/1,204"))
  }

  @Test func `names get the columns that others do not need`() {
    let rows = [
      Sample.row(1, titled: "debian-12.5.0-amd64-DVD-1.iso", state: .running) {
        $0.bytesReceived = 40
        $0.bytesExpected = 100
        $0.bytesPerSecond = 10
      },
      Sample.row(2, titled: "A stream without a length but a long name.mkv", state: .queued),
    ]
    expectScreen(
      Sample.model(columns: 80, rows: 10, showing: rows).screen(),
      """
       ♨ ↓ 10 B/s                ⢸  ▶1 ·1                             40% ━━━━──────
         File                  Progress                      Size      Speed    Left
      ▌▶ debian-12.5…VD-1.iso  ━━━━━━──────────   40%    40/100 B     10 B/s
       · A stream wi…name.mkv  queued
      (4 empty lines)
                                                                                  1/2
       p pause Enter details d remove l limit │ a add │ : everything ? keys q leave
      """)
    expectScreen(
      Sample.model(columns: 140, rows: 10, showing: rows).screen(),
      """
       ♨ kettle   ↓ 10 B/s        ▶ 1  · 1                                                                                    40% ━━━━━─────────
         File                                  Progress                                  Size             Speed Conns    Left  Host
      ▌▶ debian-12.5.0-amd64-DVD-1.iso         ━━━━━━━━━━━─────────────────   40%    40/100 B      ⢸     10 B/s                ▌ example.org
       · A stream without a leng…ong name.mkv  queued                                                                          ▌ example.org
      (4 empty lines)
                                                                                                                                              1/2
       p pause  x stop  Enter details  d remove  l limit │ a add  z undo  Space mark  / find  \\ filter  o sort │ : everything  ? keys  q leave
      """)
  }
}
