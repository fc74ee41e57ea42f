import ControlProtocol
import SeededNumbers
import Testing
import TransferModel

@testable import TransferDaemon

/// The orders that are kept, against sorting everything anew.
struct RowIndexTests {
  private static func row(
    _ id: Int64, using random: inout SeededGenerator
  ) -> TransferSnapshot {
    let size = Int64.random(in: 0...4, using: &random)
    let host = ["a.example", "cdn.a.example", "b.example"].randomElement(using: &random) ?? ""
    var row = TransferSnapshot(
      id: TransferID(rawValue: id), session: id % 3 == 0 ? .kettle : SessionID(rawValue: "org.x"),
      taskIdentifier: id, title: ["Debian", "alpine", "Ä", ""].randomElement(using: &random) ?? "",
      url: "http://\(host)/\(id)",
      state: TransferState.allCases.randomElement(using: &random) ?? .idle,
      bytesReceived: Int64.random(in: 0...size, using: &random),
      bytesExpected: size > 3 ? nil : size,
      bytesPerSecond: Int64.random(in: 0...3, using: &random),
      secondsLeft: Bool.random(using: &random) ? nil : Int64.random(in: 0...3, using: &random),
      connections: Int.random(in: 0...2, using: &random),
      priority: [.low, .normal, .high].randomElement(using: &random) ?? .normal,
      createdAt: WallTime(millisecondsSince1970: Int64.random(in: 0...3, using: &random)))
    row.queuePosition = Int64.random(in: -5...5, using: &random)
    if row.state == .completed {
      row.finishedAt = WallTime(millisecondsSince1970: Int64.random(in: 0...3, using: &random))
      row.isCleared = Bool.random(using: &random) ? true : nil
    }
    return row
  }

  private static let filters = [
    RowFilter(), RowFilter(states: [.running, .queued]), RowFilter(session: .kettle),
    RowFilter(host: "A.example"), RowFilter(text: "DEB a.ex"), RowFilter(text: "ä"),
    RowFilter(scope: .uncleared),
  ]

  private static let views: [Viewport] = filters.flatMap { filter in
    RowSort.Key.allCases.flatMap { key in
      [false, true].map { isDescending in
        Viewport(filter: filter, sort: RowSort(key: key, isDescending: isDescending))
      }
    }
  }

  @Test func `any changes leave the kept orders as a sort of everything gives them`() {
    let seed = UInt64.random(in: .min ... .max)
    print("row index seed \(seed)")
    var random = SeededGenerator(seed: seed)
    var table = RowTable()
    var model: [TransferID: TransferSnapshot] = [:]
    for view in Self.views {
      table.look(from: nil, to: RowView(view))
      _ = table.window(view, freeBytes: nil)
    }
    for step in 1...600 {
      let id = TransferID(rawValue: Int64.random(in: 1...60, using: &random))
      if Int.random(in: 0..<4, using: &random) == 0 {
        table.remove(id)
        model[id] = nil
      } else {
        let row = Self.row(id.rawValue, using: &random)
        table.put(row)
        model[id] = row
      }
      guard step % 60 == 0 else { continue }
      for view in Self.views { check(view, &table, model, seed, &random) }
    }
  }

  private func check(
    _ view: Viewport, _ table: inout RowTable, _ model: [TransferID: TransferSnapshot],
    _ seed: UInt64, _ random: inout SeededGenerator
  ) {
    let expected = Naive.rows(model, view).map(\.id)
    var view = view
    view.first = Int.random(in: 0...20, using: &random)
    view.count = Int.random(in: 0...30, using: &random)
    view.anchor = model.keys.randomElement(using: &random)
    let window = table.window(view, freeBytes: nil)
    #expect(
      window.rows.map(\.id).elementsEqual(expected.dropFirst(view.first).prefix(view.count)),
      "seed \(seed), \(view)")
    #expect(window.matchingCount == expected.count, "seed \(seed), \(view)")
    #expect(
      window.anchorIndex == view.anchor.flatMap { expected.firstIndex(of: $0) },
      "seed \(seed), \(view)")
  }

  /// Filters and sorts everything, by rules that are written down a second time.
  private enum Naive {
    static func rows(
      _ rows: [TransferID: TransferSnapshot], _ view: Viewport
    ) -> [TransferSnapshot] {
      let passing = rows.values.filter { passes($0, view.filter) }
      return passing.sorted { left, right in
        let order = compare(left, right, view.sort)
        return order == 0 ? left.id < right.id : order < 0
      }
    }

    private static func passes(_ row: TransferSnapshot, _ filter: RowFilter) -> Bool {
      let text = (row.title + "\n" + row.url).lowercased()
      let words = (filter.text ?? "").lowercased().split(separator: " ")
      return filter.states?.contains(row.state) != false
        && (filter.session == nil || filter.session == row.session)
        && (filter.host == nil || row.url.contains("a.example"))
        && words.allSatisfy { text.contains($0) }
        && (filter.scope == .all || row.isCleared != true)
    }

    private static func compare(
      _ left: TransferSnapshot, _ right: TransferSnapshot, _ sort: RowSort
    ) -> Int {
      func order<Value: Comparable>(_ value: (TransferSnapshot) -> Value) -> Int {
        let (left, right) = (value(left), value(right))
        let order = left == right ? 0 : left < right ? -1 : 1
        return sort.isDescending ? -order : order
      }
      func known<Value: Comparable>(_ value: (TransferSnapshot) -> Value?) -> Int {
        guard let one = value(left), let other = value(right) else {
          return (value(left) == nil ? 1 : 0) - (value(right) == nil ? 1 : 0)
        }
        let order = one == other ? 0 : one < other ? -1 : 1
        return sort.isDescending ? -order : order
      }
      let states: [TransferState] = [
        .running, .verifying, .waiting, .queued, .scheduled, .paused, .failed, .idle, .completed,
      ]
      switch sort.key {
      case .queue: return order { $0.queuePosition ?? 0 }
      case .title: return order { $0.shownTitle.lowercased() }
      case .state: return order { states.firstIndex(of: $0.state) ?? -1 }
      case .size: return order { $0.bytesExpected ?? -1 }
      case .progress:
        return order { row -> Double in
          guard let size = row.bytesExpected, size > 0 else {
            return row.state == .completed ? 1 : 0
          }
          return Double(row.bytesReceived) / Double(size)
        }
      case .speed: return order(\.bytesPerSecond)
      case .secondsLeft: return known(\.secondsLeft)
      case .connections: return order(\.connections)
      case .priority: return order(\.priority)
      case .host: return order { String($0.host) }
      case .session: return order(\.session.rawValue)
      case .createdAt: return order(\.createdAt)
      case .finishedAt: return known(\.finishedAt)
      }
    }
  }

  @Test func `an order is kept from its first window until the last one leaves it`() {
    var table = RowTable()
    let view = Viewport(sort: RowSort(key: .size))
    _ = table.window(view, freeBytes: nil)
    #expect(table.indexCount == 0)
    table.look(from: nil, to: RowView(view))
    #expect(table.indexCount == 0)
    table.look(from: nil, to: RowView(view))
    _ = table.window(view, freeBytes: nil)
    #expect(table.indexCount == 1)
    table.look(from: RowView(view), to: nil)
    #expect(table.indexCount == 1)
    table.look(from: RowView(view), to: nil)
    table.look(from: RowView(view), to: nil)
    #expect(table.indexCount == 0)
    // The list itself is in order anyhow.
    table.look(from: nil, to: RowView(Viewport()))
    _ = table.window(Viewport(), freeBytes: nil)
    #expect(table.indexCount == 0)
  }

  @Test func `who scrolls keeps the order, and who looks elsewhere gives it up`() {
    var table = RowTable()
    var view = Viewport(sort: RowSort(key: .size))
    table.look(from: nil, to: RowView(view))
    _ = table.window(view, freeBytes: nil)
    view.first = 500
    view.anchor = TransferID(rawValue: 7)
    table.look(from: RowView(view), to: RowView(view))
    #expect(table.indexCount == 1)
    table.look(from: RowView(view), to: RowView(Viewport(sort: RowSort(key: .title))))
    #expect(table.indexCount == 0)
  }
}
