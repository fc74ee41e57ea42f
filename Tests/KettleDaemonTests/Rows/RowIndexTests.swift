import KettleEngine
import KettleModel
import SeededNumbers
import Testing

@testable import KettleDaemon

/// Compares the orders with sorting all rows again.
struct RowIndexTests {
  private static let filters = [
    RowFilter(), RowFilter(states: [.running, .queued]), RowFilter(session: .kettle),
    RowFilter(host: "A.example"), RowFilter(text: "DEB a.ex"), RowFilter(text: "ä"),
    RowFilter(scope: .uncleared), RowFilter(needsUser: true),
    RowFilter(queue: QueueName("night")),
  ]

  /// All sorts, and each filter with three random ones.
  private static func views(_ seed: UInt64) -> [Viewport] {
    var random = SeededGenerator(seed: seed)
    let groupings: [RowSort.Grouping?] = [nil, .work, .queues, .directories]
    let sorts = RowSort.Key.allCases.flatMap { key in
      groupings.flatMap { grouping in
        [false, true].map { isDescending in
          var sort = RowSort(key: key, isDescending: isDescending, grouping: grouping)
          if grouping == .queues {
            sort.queues = [.standard] + [QueueName("night")].compactMap(\.self)
          }
          return sort
        }
      }
    }
    return sorts.map { Viewport(sort: $0) }
      + filters.flatMap { filter in
        sorts.shuffled(using: &random).prefix(3).map { Viewport(filter: filter, sort: $0) }
      }
  }

  @Test(arguments: [(0, 20_000), (60, 20_000), (60, 12)])
  func `orders agree with a full sort after any history`(
    dormantCount: Int, driftMax: Int
  ) throws {
    let seed = UInt64.random(in: .min ... .max)
    print("row index seed \(seed)")
    var history = RowHistory(seed: seed, dormantCount: dormantCount, driftMax: driftMax)
    let views = Self.views(seed)
    for view in views { history.table.switchSubscription(from: nil, to: RowView(view)) }
    for _ in 1...8 {
      history.steps(25)
      for view in views { make(RowView(view), &history) }
      history.deliverAdded()
      for view in views { try check(view, in: history, seed: seed) }
      checkTotals(of: history, seed: seed)
    }
    #expect(history.dormantCount > 0)
  }

  /// Makes an order as the service does on another thread, with events between any two steps.
  private func make(_ view: RowView, _ history: inout RowHistory) {
    func pass(_ history: inout RowHistory) {
      history.steps(Int.random(in: 0...2, using: &history.random))
    }
    while true {
      _ = history.table.use(view)
      guard let source = history.table.beginOrder(of: view) else { return }
      pass(&history)
      var index: RowIndex
      switch source {
      case .order(let order): index = RowIndex(compacting: order)
      case .store(let awake, _):
        let changes = history.table.keys(of: awake, in: view)
        pass(&history)
        let stored = history.storedOrder(of: view)
        pass(&history)
        let recorded = history.table.takeRecordedChanges(of: view) ?? []
        index = RowIndex(
          OrderSnapshot(stored), changes: changes + recorded, removed: history.table.removed)
      }
      pass(&history)
      if let changes = history.table.takeRecordedChanges(of: view) {
        for change in changes { index.apply(change) }
        pass(&history)
        if history.table.install(index, as: view, changeCountMax: .max) { return }
      }
      history.table.abandonOrder(of: view)
    }
  }

  private func check(_ view: Viewport, in history: RowHistory, seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    // An unused order that has drifted was dropped.
    guard let made = history.table.subscription(to: RowView(view))?.index else { return }
    let expected = NaiveOrder.rows(history.current, view).map(\.id)
    let (first, count) = (
      Int.random(in: 0...20, using: &random), Int.random(in: 0...30, using: &random)
    )
    #expect(made.count == expected.count, "seed \(seed), \(view)")
    for (first, count) in [(first, count), (0, .max)] {
      #expect(
        made.window(first: first, count: count)
          .elementsEqual(expected.dropFirst(first).prefix(count)), "seed \(seed), \(view)")
    }
    if view.sort.isGrouped {
      let directoryCountMax = Int.random(in: 1...9, using: &random)
      let sizes = made.groups(
        of: view.sort, folded: [.next], directoryCountMax: directoryCountMax)
      let rows = expected.compactMap { history.current[$0] }
      let groups = NaiveOrder.groups(
        rows, view.sort, directoryCountMax: directoryCountMax)
      #expect(sizes.map(\.group) == groups.map(\.0), "seed \(seed), \(view)")
      #expect(sizes.map(\.count) == groups.map(\.1), "seed \(seed), \(view)")
      #expect(sizes.filter(\.isFolded).map(\.group).allSatisfy { $0 == .next })
    }
    for (index, id) in expected.enumerated() {
      let row = try #require(history.current[id])
      #expect(made.index(of: view.sort.key(of: row)) == index, "seed \(seed), \(view)")
    }
  }

  private func checkTotals(of history: RowHistory, seed: UInt64) {
    let rows = history.current.values
    let counts = Dictionary(grouping: rows, by: \.state).mapValues(\.count)
    #expect(history.table.totals.counts == counts, "seed \(seed)")
    #expect(
      history.table.totals.bytesPerSecond == rows.reduce(0) { $0 + $1.bytesPerSecond },
      "seed \(seed)")
    #expect(history.table.hasCleared == rows.contains { $0.isCleared == true }, "seed \(seed)")
  }
}
