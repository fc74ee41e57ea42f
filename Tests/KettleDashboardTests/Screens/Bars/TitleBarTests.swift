import KettleDashboard
import KettleModel
import Testing

struct TitleBarTests {
  private func totals(_ change: (inout Totals) -> Void = { _ in }) -> Totals {
    var totals = Totals()
    totals.bytesPerSecond = 40_000_000
    totals.counts = [.running: 3, .queued: 12, .completed: 41, .failed: 1]
    totals.freeBytes = 182 << 30
    totals.batch = BatchProgress(
      transferCount: 53, finishedCount: 38, bytesReceived: 402 << 20, bytesExpected: 659 << 20,
      unknownSizeCount: 0, secondsLeft: 21)
    change(&totals)
    return totals
  }

  private func model(columns: Int, rows: Int, _ totals: Totals) -> Dashboard {
    var model = Dashboard(size: ScreenSize(columns: columns, rows: rows))
    _ = model.update(.linkChanged(.connected), at: Sample.now)
    let window = ListWindow(first: 0, matchingCount: 1, rows: [Sample.rows[0]])
    _ = model.update(.rowsArrived(window, totals), at: Sample.now)
    return model
  }

  private func lines(columns: Int, rows: Int, _ totals: Totals) -> [String] {
    Array(model(columns: columns, rows: rows, totals).screen().lines.prefix(2))
  }

  @Test func `the title in 100 columns`() {
    let text = lines(columns: 100, rows: 30, totals { $0.limitBytesPerSecond = 2 << 20 })
    #expect(
      text[0]
        == " ♨ kettle   ↓ 38.1 MiB/s of 2 MiB/s    ▶ 3  · 12  ✔ 41  ✘ 1            "
        + "61% ━━━━━━━━────── 0:21 left")
  }

  private func shows(_ text: String, columns: Int, rows: Int, _ totals: Totals) -> Bool {
    model(columns: columns, rows: rows, totals).screen().lines.contains { $0.contains(text) }
  }

  @Test func `the title says when everything is done, and a box how much space is left then`() {
    let full = totals {
      $0.batch?.readyAt = Sample.time(seconds: 7200)
      $0.batch?.bytesExpected = 200 << 30
      $0.freeBytes = 100 << 30
    }
    #expect(shows("100 GiB too little space", columns: 100, rows: 30, full))
    #expect(shows("100 GiB too little space", columns: 140, rows: 40, full))
    #expect(
      lines(columns: 80, rows: 24, full)[0]
        == " ♨ ↓ 38.1 MiB/s  ▶3 ·12 ✔41 ✘1 disk 100 GiB short        0% ━─────── done 14:00")
    let mixed = totals {
      $0.batch?.readyAt = Sample.time(seconds: 90_000)
      $0.batch?.unpredictableCount = 2
    }
    #expect(
      lines(columns: 120, rows: 30, mixed)[0].hasSuffix("─ done 22 Nov 13:00, 2 unknown"))
    #expect(shows("182 GiB left afterwards", columns: 100, rows: 30, mixed))
  }

  @Test func `impossible numbers of the service do not end the dashboard`() {
    let absurd = totals {
      $0.freeBytes = -1
      $0.batch?.bytesReceived = 0
      $0.batch?.bytesExpected = .max
    }
    #expect(shows("too little space", columns: 160, rows: 30, absurd))
  }

  @Test func `the least important parts are dropped first, and nothing wraps`() {
    let full = totals { $0.limitBytesPerSecond = 1_572_864 }
    let widths = stride(from: 151, through: 43, by: -9)
    #expect(
      widths.map { lines(columns: $0, rows: 24, full)[0] }.joined(separator: "\n") == """
         ♨ kettle   ↓ 38.1 MiB/s of 1.5 MiB/s    ▶ 3  · 12  ✔ 41  ✘ 1                                                             61% ━━━━━━━━────── 0:21 left
         ♨ kettle   ↓ 38.1 MiB/s of 1.5 MiB/s    ▶ 3  · 12  ✔ 41  ✘ 1                                                    61% ━━━━━━━━────── 0:21 left
         ♨ kettle   ↓ 38.1 MiB/s of 1.5 MiB/s    ▶ 3  · 12  ✔ 41  ✘ 1                                           61% ━━━━━━━━────── 0:21 left
         ♨ kettle   ↓ 38.1 MiB/s of 1.5 MiB/s    ▶ 3  · 12  ✔ 41  ✘ 1                                  61% ━━━━━━━━────── 0:21 left
         ♨ kettle   ↓ 38.1 MiB/s of 1.5 MiB/s    ▶ 3  · 12  ✔ 41  ✘ 1                         61% ━━━━━━━━────── 0:21 left
         ♨ kettle   ↓ 38.1 MiB/s of 1.5 MiB/s    ▶ 3  · 12  ✔ 41  ✘ 1                61% ━━━━━━━━────── 0:21 left
         ♨ ↓ 38.1 MiB/s of 1.5 MiB/s            ⢸  ▶3 ·12 ✔41 ✘1                61% ━━━━━━──── 0:21 left
         ♨ ↓ 38.1 MiB/s of 1.5 MiB/s            ⢸  ▶3 ·12 ✔41 ✘1       61% ━━━━━━──── 0:21 left
         ♨ ↓ 38.1 MiB/s of 1.5 MiB/s  ▶3 ·12 ✔41 ✘1             61% ━━━━──── 0:21 left
         ♨ ↓ 38.1 MiB/s of 1.5 MiB/s  ▶3 ·12 ✔41 ✘1    61% ━━━━──── 0:21 left
         ♨ ↓ 38.1 MiB/s of 1.5 MiB/s  ▶3 ·12 ✔41 ✘1              61%
         ♨ ↓ 38.1 MiB/s of 1.5 MiB/s  ▶3 ·12 ✔41 ✘1     61%
         ♨ ↓ 38.1 MiB/s  ▶3 ·12 ✔41 ✘1         61%
        """)
  }

  @Test func `the title says that nothing is under way`() {
    let idle = totals {
      $0.batch = nil
      $0.counts = [.completed: 2]
    }
    #expect(lines(columns: 100, rows: 30, idle)[0] == " ♨ kettle   All done    ✔ 2")
    #expect(shows("182 GiB free", columns: 100, rows: 30, idle))
    let failed = totals {
      $0.batch = nil
      $0.counts = [.completed: 2, .failed: 1]
    }
    #expect(lines(columns: 100, rows: 30, failed)[0].hasPrefix(" ♨ kettle   Nothing downloading  "))
  }

  @Test func `with unknown sizes the bar shows the share of finished files`() {
    let unknown = totals {
      $0.batch = BatchProgress(
        transferCount: 4, finishedCount: 1, bytesReceived: 0, bytesExpected: 0,
        unknownSizeCount: 3, secondsLeft: nil)
    }
    #expect(lines(columns: 140, rows: 40, unknown)[0].hasSuffix(" 1 of 4 done ━━━───────────"))
  }

  @Test func `without room for the time the title keeps the percentage`() {
    var totals = Sample.totals
    for state in TransferState.allCases { totals.counts[state] = 100 }
    totals.batch?.readyAt = Sample.time(seconds: 40 * 86_400)
    totals.batch?.unpredictableCount = 1
    let line = model(columns: 80, rows: 24, totals).screen().lines[0]
    #expect(line.contains("42%"))
    #expect(!line.contains("unknown"))
  }

  @Test func `a nearly finished batch is not shown as finished`() {
    let nearly = totals { $0.batch?.bytesReceived = 659 << 20 }
    #expect(lines(columns: 140, rows: 40, nearly)[0].contains(" 99% "))
    let done = totals { $0.batch?.finishedCount = 53 }
    #expect(lines(columns: 140, rows: 40, done)[0].contains(" 100% "))
  }

  @Test func `out-of-range numbers do not break the layout`() {
    let absurd = totals {
      $0.batch = BatchProgress(
        transferCount: .min, finishedCount: .max, bytesReceived: .min, bytesExpected: .max,
        unknownSizeCount: .max, secondsLeft: .min)
      $0.counts = [.running: .max, .failed: .min]
      $0.limitBytesPerSecond = .min
      $0.freeBytes = .max
    }
    for (columns, rows) in [(36, 8), (80, 24), (100, 30), (200, 50)] {
      let frame = model(columns: columns, rows: rows, absurd).screen()
      #expect(frame.cells.count == columns * rows)
    }
  }

  @Test func `a count in the title is a click target for its state`() {
    for (columns, rows) in [(60, 24), (80, 24), (140, 40)] {
      let model = model(columns: columns, rows: rows, totals())
      let line = Array(model.screen().lines[0])
      for (state, number) in [(TransferState.running, "3"), (.queued, "12"), (.failed, "1")] {
        let column = line.indices.first { column in
          String(line[column...].prefix(number.count)) == number
            && model.target(row: 0, column: column, at: Sample.now) == .state(state)
        }
        #expect(column != nil, "\(state) in \(columns)")
      }
      #expect(model.target(row: 0, column: 1, at: Sample.now) == nil)
    }
  }

  @Test func `the title warns of failed hooks and of a full disk`() {
    let hooks = totals { $0.failedHookCount = 2 }
    #expect(lines(columns: 80, rows: 24, hooks)[0].contains("  ▶3 ·12 ✔41 ✘1 2 hooks failed "))
    let short = totals { $0.freeBytes = 100 << 20 }
    #expect(lines(columns: 80, rows: 24, short)[0].contains("  ▶3 ·12 ✔41 ✘1 disk 157 MiB short "))
    #expect(
      lines(columns: 120, rows: 35, short)[0].contains("  ✔ 41  ✘ 1  disk 157 MiB short "))
    let low = totals {
      $0.freeBytes = 100 << 20
      $0.batch?.unknownSizeCount = 1
    }
    #expect(lines(columns: 80, rows: 24, low)[0].contains(" disk 100 MiB free "))
    let idle = totals {
      $0.freeBytes = 0
      $0.counts = [.completed: 41]
      $0.batch = nil
    }
    #expect(!lines(columns: 80, rows: 24, idle)[0].contains("disk"))
  }
}
