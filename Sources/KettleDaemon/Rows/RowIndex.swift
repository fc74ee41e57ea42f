import KettleEngine
import KettleModel

/// The rows of one view in their order, kept up to date row by row: to sort a long list anew for
/// each window would take longer than the time between two of them.
///
/// **Invariant:** each row that passes stands in it once, by the key that it was last told with.
struct RowIndex: Sendable {
  /// A row is another than it was.
  struct Change: Sendable {
    enum Before: Sendable {
      /// Not on the list.
      case new
      /// There; nil is that it did not pass.
      case at(RowKey?)
    }

    var id: TransferID
    var before: Before
    /// nil: gone, or it does not pass.
    var after: RowKey?
  }

  private(set) var order: MergedOrder

  /// So much drift is always worth keeping, and this part of the rows.
  static let driftMax = 20_000
  private static let driftShare = 10

  /// Makes it of what the store had.
  ///
  /// - Parameter told: all that it may have had otherwise, as it was told of, the last at the end.
  init(_ stored: FrozenOrder, told: [Change], removed: TransferIDSet) {
    var last: [TransferID: RowKey?] = [:]
    for change in told { last[change.id] = .some(change.after) }
    order = MergedOrder(
      stored, without: { last[$0] != nil || removed.contains($0) },
      and: last.values.compactMap(\.self))
  }

  /// The same rows, without the drift.
  init(freezing order: MergedOrder, _ sort: RowSort) {
    self.order = MergedOrder(FrozenOrder(StoredOrder(order.keys), sort))
  }

  var count: Int { order.count }

  /// Whether it is time to freeze it anew.
  func hasDrifted(_ driftMax: Int) -> Bool {
    order.driftCount > max(driftMax, order.frozen.count / Self.driftShare)
  }

  mutating func follow(_ change: Change) {
    switch change.before {
    case .new:
      // The store has it before it is told of, so a question of that moment has it too.
      order.hide(change.id)
    case .at(let before):
      guard before != change.after else { return }
      if let before { order.remove(before) }
    }
    if let after = change.after { order.insert(after) }
  }

  /// Where a row stands.
  func index(of key: RowKey) -> Int { order.count(before: key) }

  func window(first: Int, count: Int) -> [TransferID] { order.window(first: first, count: count) }
}

/// What a view has to know of a row.
struct RowKeys: Sendable {
  private let test: RowTest
  private let sort: RowSort

  init(_ view: RowView) {
    test = RowTest(view.filter)
    sort = view.sort
  }

  /// nil when it does not pass.
  func key(of row: TransferSnapshot) -> RowKey? { test.passes(row) ? sort.key(of: row) : nil }
}
