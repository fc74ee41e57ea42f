import KettleDashboard
import KettleModel
import Testing

/// The days of the history and their totals.
struct HistoryDaysTests {
  private static func finished(_ number: Int64, secondsAgo: Int64, megabytes: Int64)
    -> TransferSnapshot
  {
    Sample.row(number, titled: "file-\(number).iso", state: .completed) {
      $0.finishedAt = Sample.time(seconds: -secondsAgo)
      $0.bytesExpected = megabytes * Sample.mebibyte
      $0.bytesReceived = megabytes * Sample.mebibyte
    }
  }

  private static let rows: [TransferSnapshot] = [
    finished(1, secondsAgo: 0, megabytes: 100), finished(2, secondsAgo: 600, megabytes: 100),
    finished(3, secondsAgo: 1200, megabytes: 100), finished(4, secondsAgo: 1800, megabytes: 100),
    finished(5, secondsAgo: 2400, megabytes: 100), finished(6, secondsAgo: 86_400, megabytes: 7),
    finished(7, secondsAgo: 864_000, megabytes: 1000),
    finished(8, secondsAgo: 864_001, megabytes: 1000),
    finished(9, secondsAgo: 864_002, megabytes: 1000),
  ]

  private func history(columns: Int, rows: Int, first: Int = 0, of count: Int? = nil) -> Dashboard {
    var model = Sample.model(columns: columns, rows: rows, showing: [])
    _ = model.press(.character("H"))
    let window = ListWindow(
      first: first, matchingCount: count ?? Self.rows.count, rows: Self.rows)
    _ = model.update(.rowsArrived(window, Totals()), at: Sample.now)
    return model
  }

  @Test func `each day has its name and its total`() {
    expectScreen(
      history(columns: 80, rows: 24).screen(),
      """
       ♨ Nothing downloading
         Day                 File               Size  Host                Finished ↓
      ▌✔ today               file-1.iso      100 MiB  example.org              12:00
       ✔ 5 files, 500 MiB    file-2.iso      100 MiB  example.org              11:50
       ✔                     file-3.iso      100 MiB  example.org              11:40
       ✔                     file-4.iso      100 MiB  example.org              11:30
       ✔                     file-5.iso      100 MiB  example.org              11:20
       ✔ yesterday           file-6.iso      7.0 MiB  example.org              12:00
       ✔ 11 Nov              file-7.iso     1000 MiB  example.org              12:00
       ✔ 3 files, 2.9 GiB    file-8.iso     1000 MiB  example.org              11:59
       ✔                     file-9.iso     1000 MiB  example.org              11:59
      (10 empty lines)
       History, H goes back
                                                                                  1/9
       Enter details  d remove  D delete file │ a add │ : everything  ? keys  q leave
      """)
  }

  @Test func `a narrow history has no days`() {
    let lines = history(columns: 60, rows: 16).screen().lines
    #expect(lines.contains { $0.contains("✔ file-1.iso") && $0.hasSuffix("12:00") })
    #expect(lines.contains { $0.contains("file-7.iso") && $0.contains("11 Nov 12:00") })
  }

  @Test func `a day of which rows are missing has no total`() {
    let lines = history(columns: 80, rows: 24, of: 20).screen().lines
    #expect(lines.contains { $0.contains("5 files, 500 MiB") })
    #expect(!lines.contains { $0.contains("3 files, 2.9 GiB") })
  }

  @Test func `in another order the rows have their dates`() {
    var model = history(columns: 80, rows: 24)
    _ = model.press(.character("o"), .character("n"))
    let window = ListWindow(first: 0, matchingCount: Self.rows.count, rows: Self.rows)
    _ = model.update(.rowsArrived(window, Totals()), at: Sample.now)
    let lines = model.screen().lines
    #expect(!lines.contains { $0.contains("yesterday") })
    #expect(lines.contains { $0.contains("11 Nov") })
  }
}
