import KettleDashboard
import KettleModel
import SeededNumbers
import Testing

/// Random events in random order.
struct StormTests {
  private static let keys: [Key] =
    Bindings.all.flatMap(\.keys)
    + [
      .paste("https://example.org/1\nx\n\u{1B}"),
      .paste("curl 'https://example.org/1' \\\n -H 'Cookie: a=b' ^ $'\\u"), .character("文"),
      .character("e\u{0301}"),
      .alt("x"), .unknown, .tab, .function(5), .character("h"), .character(":"), .character("/"),
    ]

  private static let addFailed = CommandOutcome.addFailed(sentence: "The disk is full")

  private static func message(
    _ random: inout SeededGenerator, list: inout [TransferSnapshot]
  ) -> DashboardMessage {
    switch Int.random(in: 0..<24, using: &random) {
    case 0:
      return .resized(
        ScreenSize(
          columns: Int.random(in: 0...150, using: &random),
          rows: Int.random(in: 0...45, using: &random)))
    case 1...3:
      list.shuffle(using: &random)
      if Bool.random(using: &random), !list.isEmpty { list.removeLast() }
      if let row = Sample.rows.randomElement(using: &random) { list.append(row) }
      let first = Int.random(in: -2...5, using: &random)
      let rows = Array(list.dropFirst(max(0, first)).prefix(12))
      return .rowsArrived(
        ListWindow(first: first, matchingCount: list.count, rows: rows),
        Sample.totals(of: list))
    case 4:
      return .linkChanged([.connecting, .connected, .lost].randomElement(using: &random) ?? .lost)
    case 5: return .detailsArrived(Sample.details)
    case 6: return .ticked
    case 7: return .commandFinished(.reset(deletedCount: 1, keptPaths: ["/a", "/b"]))
    case 9:
      let added = CommandOutcome.added(count: 1, first: TransferID(rawValue: 2))
      return .commandFinished(Bool.random(using: &random) ? added : addFailed)
    case 10:
      let found = DuplicateSearch.Found(id: TransferID(rawValue: 1), state: .running)
      return .duplicatesFound(["https://example.org/1": found])
    case 11: return .directoriesKnown(UserDirectories(home: "/home/me", workingDirectory: "/"))
    case 8: return .commandFinished(.failed(sentence: "no"))
    case 9...11:
      let kind = MouseEvent.Kind.allCases.randomElement(using: &random) ?? .click
      return .mouse(
        MouseEvent(
          kind, row: Int.random(in: -1...46, using: &random),
          column: Int.random(in: -1...151, using: &random)))
    case 12:
      let search = RowSearch(
        filter: RowFilter(), sort: RowSort(), text: "x", start: nil, startIndex: 0)
      let id = TransferID(rawValue: Int64.random(in: 0...20, using: &random))
      let index = [0, 3, 14, 900, .max, -1].randomElement(using: &random) ?? 0
      return .found(search, FoundRow(id: id, index: index, hasWrapped: true))
    default: return .keyPressed(keys.randomElement(using: &random) ?? .enter)
    }
  }

  @Test func `keys, sizes and rows in any order never break the screen`() {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("storm seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for _ in 0..<40 {
      var model = Sample.model(columns: 80, rows: 24)
      var list = Sample.rows
      for step in 0..<120 {
        let now = Sample.moment(seconds: Int64(step))
        _ = model.update(Self.message(&random, list: &list), at: now)
        let look = Bool.random(using: &random) ? Look.text : .ascii
        let frame = model.frame(at: now, look: look)
        #expect(frame.size == model.size)
        expectSound(frame, look)
        #expect(model.list.cursor.index >= 0 && model.list.cursor.firstVisible >= 0)
        if let tick = model.millisecondsToNextTick(at: now) { #expect(tick >= 20) }
      }
    }
  }

  /// The service answers requests late or not at all, and rows move and disappear meanwhile.
  @Test func `with a slow service the cursor and the marks stay correct`() {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("storm seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for _ in 0..<20 {
      var list = LongList(Int64.random(in: 0...300, using: &random)) { number, row in
        row.state = TransferState.allCases[Int(number) % TransferState.allCases.count]
      }
      var model = list.model(columns: 80, rows: 24)
      var asked: [DashboardEffect] = []
      for step in 0..<150 {
        let now = Sample.moment(seconds: Int64(step))
        if Int.random(in: 0..<3, using: &random) == 0, !asked.isEmpty {
          asked += list.answerOne(asked.removeFirst(), &model)
        }
        if Int.random(in: 0..<8, using: &random) == 0 {
          list.rows.shuffle(using: &random)
          list.rows.removeLast(min(list.rows.count, Int.random(in: 0...2, using: &random)))
        }
        let before = model
        asked += model.update(Self.step(&random), at: now)
        expectTrue(model, after: before, seed)
      }
    }
  }

  private static func step(_ random: inout SeededGenerator) -> DashboardMessage {
    if Int.random(in: 0..<6, using: &random) > 0 {
      return .keyPressed(keys.randomElement(using: &random) ?? .enter)
    }
    return .mouse(
      MouseEvent(
        MouseEvent.Kind.allCases.randomElement(using: &random) ?? .click,
        row: Int.random(in: 0...23, using: &random),
        column: Int.random(in: 0...79, using: &random)))
  }

  private func expectTrue(_ model: Dashboard, after before: Dashboard, _ seed: UInt64) {
    let count = model.list.window?.matchingCount ?? 0
    #expect((0...max(0, count - 1)).contains(model.list.cursor.index), "seed \(seed)")
    #expect((0...model.list.cursor.index).contains(model.list.cursor.firstVisible), "seed \(seed)")
    let height = model.size.rows - 3
    #expect(model.list.cursor.index - model.list.cursor.firstVisible < height, "seed \(seed)")
    #expect(model.list.selected.count >= 0, "seed \(seed)")
    // Without marks a control would apply to the row under the cursor.
    if model.list.view.marks.isEmpty, let row = model.list.cursorRow {
      #expect(model.list.selected.selection == .ids([row.id]), "seed \(seed)")
    }
    if case .ids(let ids) = model.list.view.marks.selection {
      #expect(ids.allSatisfy { (0..<300).contains($0.rawValue) }, "seed \(seed)")
      #expect(ids.count == model.list.selected.count, "seed \(seed)")
    }
    if model.list.isFrozen, before.list.isFrozen {
      #expect(model.list.window == before.list.window, "seed \(seed)")
    }
  }

  // Fault 129
  @Test func `a frame has exactly the screen size, from 1x1 up`() {
    for columns in 1...90 {
      for rows in [1, 2, 5, 7, 8, 9, 15, 16, 24] {
        let frame = Sample.model(columns: columns, rows: rows).screen()
        expectSound(frame, .text)
      }
    }
  }
}
