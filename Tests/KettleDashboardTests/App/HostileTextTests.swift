import KettleDashboard
import KettleModel
import Testing

/// Names of transfers, servers and files cannot send control sequences to the terminal.
struct HostileTextTests {
  private static let texts = [
    "\u{1B}[2J\u{1B}[1;1Howned", "\u{1B}]0;title\u{7}", "\u{9B}31m", "a\r\nb\tc\u{8}",
    "\u{202E}gpj.exe", "a\u{200B}\u{2066}b\u{FEFF}", "\u{0}\u{7F}\u{85}",
    String(repeating: "文", count: 4000), String(repeating: "x", count: 10_000),
    "e" + String(repeating: "\u{0301}", count: 3000), "\u{0301}\u{0301}", "👩‍👩‍👧‍👦🇩🇪👍🏿✔️",
    "\u{2028}\u{2029}", "\u{E0041}\u{E0042}", "\u{FFFF}\u{10FFFF}", "ﷺ", "",
  ]

  private static func model(_ text: String, columns: Int, rows: Int) -> Dashboard {
    var list: [TransferSnapshot] = []
    for (index, state) in TransferState.allCases.enumerated() {
      list.append(
        Sample.row(Int64(index), titled: text, state: state) {
          $0.url = text
          $0.path = "/" + text
          $0.error = TransferFailure(.httpStatus, on: text, detail: text)
          $0.reason = .retry
        })
    }
    return Sample.model(columns: columns, rows: rows, showing: list)
  }

  private static func details(_ text: String) -> TransferDetails {
    var details = TransferDetails(
      snapshot: Sample.row(0, titled: text, state: .failed) {
        $0.url = text
        $0.path = text
        $0.error = TransferFailure(.hostNotFound, on: text)
        $0.session = SessionID(rawValue: text)
      })
    details.currentURL = text
    details.partialPath = text
    details.entityTag = text
    details.lastModified = text
    details.checksum = text
    details.headers = [HeaderField(received: text, text)]
    details.history = [.init(at: Sample.now.wall, .unpacked(coding: text))]
    details.redirects = [text]
    details.directory = text
    details.snapshot.bytesExpected = 100
    details.liveConnections = [
      .init(lower: 0, upper: 100, receivedUpTo: 7, bytesPerSecond: 1, url: text)
    ]
    return details
  }

  private static func models(_ text: String, columns: Int, rows: Int) -> [Dashboard] {
    var models = [model(text, columns: columns, rows: rows)]
    for keys in [
      [Key.character("d")], [.character("a"), .paste(text)], [.character("R")], [.enter],
      [.character("a"), .paste("curl '" + text)], [.character("l"), .paste(text)],
      [.character("u"), .paste(text)],
      [.character("a"), .tab, .paste(text), .tab, .tab, .tab, .tab, .paste("Cookie: " + text)],
      [.enter, .character("2")], [.enter, .character("3")], [.enter, .character("4")],
      [.enter, .character("5")],
      [.character("\\"), .paste(text)], [.character("\\"), .paste("state:\(text)"), .enter],
      [.character("/"), .paste(text), .enter], [.character("H")],
    ] {
      var next = model(text, columns: columns, rows: rows)
      for key in keys { _ = next.press(key) }
      _ = next.update(.detailsArrived(details(text)), at: Sample.now)
      models.append(next)
      _ = next.press(.end)
      models.append(next)
    }
    var said = model(text, columns: columns, rows: rows)
    _ = said.update(.commandFinished(.failed(sentence: text)), at: Sample.now)
    models.append(said)
    var report = model(text, columns: columns, rows: rows)
    _ = report.update(
      .commandFinished(.reset(deletedCount: 1, keptPaths: [text])), at: Sample.now)
    models.append(report)
    return models
  }

  // Fault 127
  @Test(arguments: texts)
  func `no frame contains a control or invisible scalar`(text: String) {
    for (columns, rows) in [(80, 24), (37, 9)] {
      for model in Self.models(text, columns: columns, rows: rows) {
        for look in [Look.text, .ascii] { expectSound(model.screen(look), look) }
      }
    }
  }

  @Test func `a name with hidden characters is shown in full`() {
    let line = Self.model("a\u{202E}gpj.exe", columns: 80, rows: 24).screen().lines[2]
    #expect(line.contains("a\u{FFFD}gpj.exe"))
  }
}

/// Expects a frame to have exactly the cells of its size, each safe for a terminal.
func expectSound(
  _ frame: Frame, _ look: Look, sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect(frame.cells.count == frame.size.columns * frame.size.rows, sourceLocation: sourceLocation)
  var problem: String?
  // Few cells of a screen differ, most equal the one before, and checking one takes long.
  var checked: Set<Cell> = []
  var previous: Cell?
  for row in 0..<frame.size.rows {
    var followsWide = false
    for (column, cell) in frame.row(row).enumerated() {
      let isNew = cell != previous && checked.insert(cell).inserted
      if (cell.width == 0) != followsWide || isNew && !isSound(cell, look) {
        problem = "row \(row), column \(column): \(cell)"
      }
      previous = cell
      followsWide = cell.width == 2
    }
    if followsWide { problem = "half a character at the end of row \(row)" }
  }
  #expect(problem == nil, sourceLocation: sourceLocation)
}

private func isSound(_ cell: Cell, _ look: Look) -> Bool {
  let scalars = cell.text.unicodeScalars
  let isTame = scalars.allSatisfy { !$0.isControl && !$0.isInvisible }
  let isASCII = look.charset == .utf8 || scalars.allSatisfy(\.isASCII)
  let fits = cell.width == 0 ? scalars.isEmpty : (1...4).contains(scalars.count)
  let measured = scalars.first.map { DisplayWidth.columns(of: $0) } ?? 0
  return isTame && isASCII && fits && measured == Int(cell.width)
}
