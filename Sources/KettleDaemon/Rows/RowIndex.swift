import KettleEngine
import KettleModel

/// The rows of one view in order, updated row by row: sorting a long list for each window would
/// take longer than the interval between two windows.
///
/// **Invariant:** each row that matches the filter appears exactly once, under the sort key from
/// its latest update.
struct RowIndex: Sendable {
  /// A change of one row.
  struct Change: Sendable {
    enum Before: Sendable {
      /// New on the list.
      case new
      /// Already listed; nil if it did not match the filter.
      case at(RowKey?)
    }

    var id: TransferID
    var before: Before
    /// nil if the row was removed or does not match the filter.
    var after: RowKey?
  }

  private(set) var order: OrderWithOverlay

  /// Drift up to the larger of this number and this fraction of the rows is tolerated.
  static let driftMax = 20_000
  private static let driftShare = 10

  /// Creates the index from the store's order.
  ///
  /// - Parameter changes: all changes that the store's order may lack, oldest first.
  init(_ stored: OrderSnapshot, changes: [Change], removed: TransferIDSet) {
    var last: [TransferID: RowKey?] = [:]
    for change in changes { last[change.id] = .some(change.after) }
    order = OrderWithOverlay(
      stored, without: { last[$0] != nil || removed.contains($0) },
      and: last.values.compactMap(\.self))
  }

  /// Creates an index of the same rows without the drift.
  init(compacting order: OrderWithOverlay) {
    self.order = OrderWithOverlay(OrderSnapshot(StoredOrder(order.keys)))
  }

  var count: Int { order.count }

  /// Whether the order should be compacted.
  func hasDrifted(_ driftMax: Int) -> Bool {
    order.driftCount > max(driftMax, order.snapshot.count / Self.driftShare)
  }

  mutating func apply(_ change: Change) {
    switch change.before {
    case .new:
      // The store has it before the event arrives, so a query at that moment includes it too.
      order.removeFromSnapshot(change.id)
    case .at(let before):
      guard before != change.after else { return }
      if let before { order.remove(before) }
    }
    if let after = change.after { order.insert(after) }
  }

  /// Returns the position of a row.
  func index(of key: RowKey) -> Int { order.count(before: key) }

  func window(first: Int, count: Int) -> [TransferID] { order.window(first: first, count: count) }

  /// Returns the sizes of the groups of a grouped list, in their order, without empty ones.
  ///
  /// - Parameter sort: the order of the view.
  func groups(of sort: RowSort, folded: Set<ListGroup>) -> [ListedGroup] {
    let groups = sort.groups
    let starts = groups.indices.map { index in
      order.count(
        before: RowKey(
          section: sort.firstSection(ofGroupAt: index).nextDown, value: .unknown,
          id: TransferID(rawValue: .min), isDescending: false))
    }
    return zip(groups, zip(starts, starts.dropFirst() + [count])).compactMap {
      group, bounds in
      let size = bounds.1 - bounds.0
      guard size > 0 else { return nil }
      return ListedGroup(group, count: size, isFolded: folded.contains(group))
    }
  }
}
