import TransferCore
import TransferModel

/// Which rows a client looks at, and in which order.
struct RowView: Sendable, Hashable {
  var filter: RowFilter
  var sort: RowSort

  init(filter: RowFilter, sort: RowSort) {
    self.filter = filter
    self.sort = sort
  }

  init(_ viewport: Viewport) { self.init(filter: viewport.filter, sort: viewport.sort) }

  /// The whole list in its own order, which is kept anyhow.
  var isPlain: Bool { filter == RowFilter() && sort == RowSort() }

  /// The same without what was cleared: while nothing is, there is no difference.
  var isPlainWhenNoneIsCleared: Bool {
    filter == RowFilter(scope: .uncleared) && sort == RowSort()
  }
}

/// The rows of one view in their order, kept up to date row by row: to sort a long list anew for
/// each window would take longer than the time between two of them.
struct RowIndex: Sendable {
  private let test: RowTest
  private let sort: RowSort
  private var keys: SortedBlocks<RowKey>

  /// - Parameter places: of all rows; the nearer to the order of the view, the sooner it is sorted.
  init(_ view: RowView, of rows: [TransferID: TransferSnapshot], in places: [QueuePlace]) {
    test = RowTest(view.filter)
    sort = view.sort
    var unsorted: [RowKey] = []
    // No row is taken out of the table for this: each has a dozen texts to be counted.
    for place in places {
      guard let index = rows.index(forKey: place.id), test.passes(rows.values[index]) else {
        continue
      }
      unsorted.append(sort.key(of: rows.values[index]))
    }
    keys = SortedBlocks(sorted: unsorted.sorted())
  }

  var count: Int { keys.count }

  /// A row is another than it was; nil before it was added and after it was removed.
  mutating func change(from old: TransferSnapshot?, to new: TransferSnapshot?) {
    let (before, after) = (old.flatMap(key), new.flatMap(key))
    guard before != after else { return }
    if let before { keys.remove(before) }
    if let after { keys.insert(after) }
  }

  func window(first: Int, count: Int) -> [TransferID] {
    keys.window(first: first, count: count).map(\.id)
  }

  /// Where a row stands; nil when it does not pass.
  func index(of row: TransferSnapshot) -> Int? { key(of: row).flatMap(keys.index) }

  private func key(of row: TransferSnapshot) -> RowKey? {
    test.passes(row) ? sort.key(of: row) : nil
  }
}
