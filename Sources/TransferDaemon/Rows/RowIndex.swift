import TransferCore
import TransferModel

/// Which rows a client looks at, and in which order.
struct RowView: Sendable, Hashable {
  var filter: RowFilter
  var sort: RowSort

  init(_ viewport: Viewport) {
    filter = viewport.filter
    sort = viewport.sort
  }

  /// The whole list in its own order, which is kept anyhow.
  var isPlain: Bool { filter == RowFilter() && sort == RowSort() }
}

/// The rows of one view in their order, kept up to date row by row: to sort a long list anew for
/// each window would take longer than the time between two of them.
struct RowIndex: Sendable {
  private let test: RowTest
  private let sort: RowSort
  private var keys: SortedBlocks<RowKey>

  init(_ view: RowView, of rows: some Sequence<TransferSnapshot>) {
    let (test, sort) = (RowTest(view.filter), view.sort)
    self.test = test
    self.sort = sort
    keys = SortedBlocks(sorted: rows.filter(test.passes).map(sort.key).sorted())
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
