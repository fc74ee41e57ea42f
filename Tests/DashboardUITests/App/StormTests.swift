import SeededNumbers
import DashboardUI
import Testing
import TransferModel

/// Anything in any order.
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
    switch Int.random(in: 0..<20, using: &random) {
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
    case 9: return .commandFinished(Bool.random(using: &random) ? .added(count: 1) : addFailed)
    case 10:
      let found = DuplicateSearch.Found(id: TransferID(rawValue: 1), state: .running)
      return .duplicatesFound(["https://example.org/1": found])
    case 11: return .placesKnown(UserPlaces(home: "/home/me", workingDirectory: "/"))
    case 8: return .commandFinished(.failed(sentence: "no"))
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
        #expect(model.cursor >= 0 && model.firstVisible >= 0)
        if let tick = model.millisecondsToNextTick(at: now) { #expect(tick >= 20) }
      }
    }
  }

  // Fault 129
  @Test func `every size from 1x1 on is drawn exactly`() {
    for columns in 1...90 {
      for rows in [1, 2, 5, 7, 8, 9, 15, 16, 24] {
        let frame = Sample.model(columns: columns, rows: rows).screen()
        expectSound(frame, .text)
      }
    }
  }
}
