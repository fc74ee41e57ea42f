import KettleModel
import Testing

@testable import KettleDashboard

struct TransferTableTests {
  private func line(_ columns: Int, _ row: TransferSnapshot) -> String {
    let lines = Sample.model(columns: columns, rows: 24, showing: [row]).screen().lines
    return lines[columns < 100 ? 2 : 3]
  }

  @Test func `a limit is shown beside the speed if it fits, otherwise below`() {
    let row = Sample.row(1, titled: "Slow", state: .running) {
      $0.bytesReceived = 1 << 20
      $0.bytesExpected = 1 << 30
      $0.bytesPerSecond = 1_992_294
      $0.limitBytesPerSecond = 2 << 20
      $0.connections = 1
    }
    #expect(line(100, row).contains(" 1.9/2 MiB/s "))
    #expect(line(80, row).hasSuffix("  1.9 MiB/s"))
    let long = Sample.row(1, titled: "Slow", state: .running) {
      $0.bytesPerSecond = 500_000
      $0.limitBytesPerSecond = 512_000
    }
    #expect(line(80, long).contains("  488 KiB/s"))
    #expect(line(120, long).contains(" 488/500 KiB/s"))
    let model = Sample.model(columns: 80, rows: 24, showing: [long])
    #expect(model.screen().lines[22].hasPrefix(" Limited to 500 KiB/s  "))
  }

  @Test func `a verifying transfer is labeled and shown at 100 percent`() {
    let row = Sample.row(1, titled: "Checksummed", state: .verifying) {
      $0.bytesReceived = 699 << 20
      $0.bytesExpected = 700 << 20
    }
    #expect(line(80, row).contains("100%     700 MiB  verifying"))
  }

  @Test func `an unfinished file that is compared after a crash is not shown at 100 percent`() {
    let row = Sample.row(1, titled: "Checked", state: .verifying) {
      $0.bytesReceived = 350 << 20
      $0.bytesExpected = 700 << 20
      $0.comparedByteCount = 0
    }
    #expect(line(80, row).contains(" 50%"))
    #expect(line(80, row).contains("checking"))
  }

  @Test func `an upload shows how much the object store has`() {
    let row = Sample.row(1, titled: "Stored", state: .verifying) {
      $0.bytesReceived = 700 << 20
      $0.bytesExpected = 700 << 20
      $0.storedByteCount = 175 << 20
    }
    #expect(line(80, row).contains(" 25% 175/700 MiB  uploading"))
  }

  @Test func `a subtitle follows the title where there is room`() {
    let row = Sample.row(1, titled: "Winter", state: .queued) { $0.subtitle = "Chapter 3 of 12" }
    #expect(line(100, row).contains(" Winter  Chapter 3 of 12 "))
    #expect(line(40, row).contains(" Winter  "))
    #expect(!line(40, row).contains("  Chapter 3 of 12"))
    let long = Sample.row(1, titled: String(repeating: "Winter ", count: 20), state: .queued) {
      $0.subtitle = "Chapter 3 of 12"
    }
    #expect(!line(120, long).contains("Chapter"))
  }

  @Test(arguments: 36...200)
  func `columns do not overlap and fit the screen`(width: Int) {
    let columns = TableColumns(width: width)
    let places = [columns.file] + TableColumn.allCases.compactMap { columns[$0] }
    for (one, next) in zip(places, places.dropFirst()) {
      #expect(one.upperBound < next.lowerBound)
    }
    #expect(places.last.map { $0.upperBound <= width } == true)
    #expect(columns.file.count >= 10)
    #expect(columns.words.upperBound <= width)
  }

  @Test func `a wider screen has all columns of a narrower one`() {
    func count(_ width: Int) -> Int {
      let columns = TableColumns(width: width)
      return TableColumn.allCases.compactMap { columns[$0] }.count
    }
    let counts = (36...200).map(count)
    #expect(counts == counts.sorted())
    #expect(counts.first == 2 && counts.last == 9)
  }

  @Test func `a click on a column name sorts by it`() {
    let model = Sample.model(columns: 200, rows: 24)
    let header = Array(model.screen().lines[2])
    let names: [(String, RowSort.Key)] = [
      ("File", .title), ("Progress", .progress), ("Size", .size), ("Speed", .speed),
      ("Conns", .connections), ("Left", .secondsLeft), ("Host", .host), ("Session", .session),
      ("Added", .createdAt),
    ]
    for (name, key) in names {
      let column = header.indices.first { String(header[$0...].prefix(name.count)) == name }
      let target = column.flatMap { model.target(row: 2, column: $0, at: Sample.now) }
      #expect(target == .column(key), "\(name)")
    }
    #expect(model.target(row: 2, column: 2, at: Sample.now) == .column(.state))
  }

  @Test func `a stopped row says what is kept, and until when`() {
    var stopped = Sample.row(1, titled: "Stopped", state: .idle)
    stopped.kept = KeptBytes(
      byteCount: 99 << 20, until: Sample.now.wall.advanced(byMilliseconds: 600_000))
    #expect(line(120, stopped).contains("  stopped, 99 MiB kept until 12:10  "))
    stopped.kept?.until = Sample.now.wall
    #expect(line(120, stopped).contains("  stopped  "))
  }

  @Test func `a finished row whose file is damaged has no sign of success`() {
    var done = Sample.row(1, titled: "Checked", state: .completed)
    done.finishedAt = Sample.time(seconds: 5)
    #expect(line(120, done).contains("✔ Checked"))
    done.check = FileCheck(.intact, at: Sample.time(seconds: 6))
    #expect(line(120, done).contains("✔ Checked"))
    done.check = FileCheck(.damaged, at: Sample.time(seconds: 6))
    #expect(line(120, done).contains("✘ Checked"))
    #expect(line(120, done).contains("  done 12:00  damaged  "))
    // It is fetched again.
    done.state = .running
    #expect(line(120, done).contains("▶ Checked"))
  }

  @Test func `a row that is done says its time, its speed, its proof and a failed hook`() {
    let running = Sample.row(1, titled: "Checked", state: .running) {
      ($0.bytesReceived, $0.bytesExpected, $0.bytesPerSecond) = (0, 50 << 20, 1 << 20)
    }
    var model = Sample.model(columns: 120, rows: 24, showing: [running])
    var done = running
    (done.state, done.bytesReceived) = (.completed, 50 << 20)
    done.finishedAt = Sample.time(seconds: 5)
    done.verifiedBy = .sha256
    done.averageBytesPerSecond = 10 << 20
    done.failedHook = "\"notify-me\" exited with 1"
    let window = ListWindow(first: 0, matchingCount: 1, rows: [done])
    _ = model.update(
      .rowsArrived(window, Sample.totals(of: [done])), at: Sample.moment(seconds: 5))
    let lines = model.screen(at: Sample.moment(seconds: 5)).lines
    #expect(lines[3].contains("  done 12:00  hook failed          50 MiB  "))
    #expect(lines[3].contains(" 50 MiB        10.0 MiB/s  "))
    #expect(lines[21].hasPrefix("│ The hook failed: \"notify-me\" exited with 1 "))
    #expect(line(80, done).contains("  done 12:00  hook failed     50 MiB"))
  }

  @Test(
    arguments: [
      (59, "0:59"), (3599, "59:59"), (3600, "1:00 h"), (35_999, "9:59 h"), (36_000, "10 h"),
      (86_399, "23 h"), (86_400, "1 d"), (Int64.max, "999 d"), (.min, "0:00"),
    ] as [(Int64, String)])
  func `the time that is left fits its column, also as a guess`(seconds: Int64, text: String) {
    #expect(DurationText.brief(seconds) == text)
    #expect(Strings.guessed(text, isGuess: true).count <= TableColumn.ready.traits.width)
  }
}
