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

  @Test func `the title with state names and the batch line in 100 columns`() {
    let text = lines(columns: 100, rows: 30, totals { $0.limitBytesPerSecond = 2 << 20 })
    #expect(
      text == [
        " Kettle   ↓ 38.1 of 2 MiB/s █          3 running  12 queued  41 done  1 failed",
        " ██████████████████▉               61 %  0:21 left  38 of 53 done  402/659 MiB   182 GiB free after",
      ])
  }

  @Test func `the bars say when everything is ready, and how much space is free then`() {
    let full = totals {
      $0.batch?.readyAt = Sample.time(seconds: 7200)
      $0.batch?.bytesExpected = 200 << 30
      $0.freeBytes = 100 << 30
    }
    #expect(
      lines(columns: 100, rows: 30, full)[1]
        == " ▏              0 %  all by 14:00  0:21 left  38 of 53 done  0.3/200 GiB   "
        + "100 GiB too little space")
    #expect(
      lines(columns: 80, rows: 24, full)[0]
        == " Kettle   ↓ 38.1 MiB/s   ▶3 ·12 ✔41 ✘1                        "
        + "0 %  all by 14:00")
    let mixed = totals {
      $0.batch?.readyAt = Sample.time(seconds: 90_000)
      $0.batch?.unpredictableCount = 2
    }
    #expect(
      lines(columns: 100, rows: 30, mixed)[1]
        == " ██████████▎         61 %  all but 2 by 22 Nov 13:00  0:21 left  38 of 53 done   "
        + "182 GiB free after")
  }

  @Test func `impossible numbers of the service do not end the dashboard`() {
    let absurd = totals {
      $0.freeBytes = -1
      $0.batch?.bytesReceived = 0
      $0.batch?.bytesExpected = .max
    }
    #expect(lines(columns: 160, rows: 30, absurd)[1].hasSuffix("too little space"))
  }

  @Test func `the least important parts are dropped first, and nothing wraps`() {
    let full = totals { $0.limitBytesPerSecond = 1_572_864 }
    let widths = stride(from: 151, through: 43, by: -9)
    #expect(
      widths.map { lines(columns: $0, rows: 24, full)[0] }.joined(separator: "\n") == """
         Kettle   ↓ 38.1 of 1.5 MiB/s █          3 running  12 queued  41 done  1 failed                      ██████      61 %  0:21 left   182 GiB free after
         Kettle   ↓ 38.1 of 1.5 MiB/s █          3 running  12 queued  41 done  1 failed             ██████      61 %  0:21 left   182 GiB free after
         Kettle   ↓ 38.1 of 1.5 MiB/s █          3 running  12 queued  41 done  1 failed    ██████      61 %  0:21 left   182 GiB free after
         Kettle   ↓ 38.1 of 1.5 MiB/s   3 running  12 queued  41 done  1 failed    ██████      61 %  0:21 left   182 GiB free after
         Kettle   ↓ 38.1 of 1.5 MiB/s   3 running  12 queued  41 done  1 failed       61 %  0:21 left   182 GiB free after
         Kettle   ↓ 38.1 of 1.5 MiB/s   3 running  12 queued  41 done  1 failed                   61 %  0:21 left
         Kettle   ↓ 38.1 of 1.5 MiB/s   3 running  12 queued  41 done  1 failed          61 %  0:21 left
         Kettle   ↓ 38.1 of 1.5 MiB/s   ▶3 ·12 ✔41 ✘1      61 %  0:21 left   182 GiB free after
         Kettle   ↓ 38.1 of 1.5 MiB/s   ▶3 ·12 ✔41 ✘1                  61 %  0:21 left
         Kettle   ↓ 38.1 of 1.5 MiB/s   ▶3 ·12 ✔41 ✘1         61 %  0:21 left
         Kettle   ↓ 38.1 MiB/s   ▶3 ·12 ✔41 ✘1       61 %  0:21 left
         Kettle   ↓ 38.1 MiB/s   ▶3 ·12 ✔41 ✘1         61 %
         Kettle   ↓ 38.1 MiB/s   ▶3 ·12 ✔41 ✘1
        """)
  }

  @Test func `the batch line reports that nothing is under way`() {
    let idle = totals {
      $0.batch = nil
      $0.counts = [.completed: 2]
    }
    #expect(lines(columns: 100, rows: 30, idle)[1].hasPrefix(" nothing is under way   "))
    #expect(lines(columns: 100, rows: 30, idle)[1].hasSuffix("   182 GiB free"))
  }

  @Test func `with unknown sizes the bar shows the share of finished files`() {
    let unknown = totals {
      $0.batch = BatchProgress(
        transferCount: 4, finishedCount: 1, bytesReceived: 0, bytesExpected: 0,
        unknownSizeCount: 3, secondsLeft: nil)
    }
    let text = lines(columns: 140, rows: 40, unknown)[1]
    #expect(text.contains("█   ") && text.contains("1 of 4 done  3 of unknown size"))
  }

  @Test func `without room for the time the title keeps the percentage`() {
    var totals = Sample.totals
    for state in TransferState.allCases { totals.counts[state] = 100 }
    totals.batch?.readyAt = Sample.time(seconds: 40 * 86_400)
    totals.batch?.unpredictableCount = 1
    let line = model(columns: 80, rows: 24, totals).screen().lines[0]
    #expect(line.contains("42 %"))
    #expect(!line.contains("all but"))
  }

  @Test func `a nearly finished batch is not shown as finished`() {
    let nearly = totals { $0.batch?.bytesReceived = 659 << 20 }
    #expect(lines(columns: 140, rows: 40, nearly)[1].contains(" 99 %"))
    let done = totals { $0.batch?.finishedCount = 53 }
    #expect(lines(columns: 140, rows: 40, done)[1].contains(" 100 %"))
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
}
