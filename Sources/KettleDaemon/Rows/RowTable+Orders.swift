import KettleEngine
import KettleModel

/// The making of orders. They are made without holding the table.
extension RowTable {
  /// The source of an order.
  enum OrderSource: Sendable {
    /// The store, plus these awake transfers, which it may have in an older version.
    case store(awake: [TransferID], RowMaker)
    /// The existing order.
    case order(OrderWithOverlay)
  }

  /// Returns nil when no client displays the view any more. Changes from now on are recorded.
  mutating func beginOrder(of view: RowView) -> OrderSource? {
    let current: RowIndex?? =
      withSubscription(to: view) { subscription in
        guard case .requested = subscription.making else { return nil }
        subscription.beginOrder()
        return .some(subscription.index)
      } ?? nil
    guard let current else { return nil }
    return current.map { .order($0.order) } ?? .store(awake: Array(rows.keys), maker)
  }

  /// Returns the sort keys of the given rows that are in memory.
  func keys(of ids: some Sequence<TransferID>, in view: RowView) -> [RowIndex.Change] {
    guard let keys = subscription(to: view)?.keys else { return [] }
    return ids.compactMap { id in
      rows[id].map { RowIndex.Change(id: id, before: .new, after: keys.key(of: $0)) }
    }
  }

  /// Returns the changes recorded since the last call; nil if the order is no longer wanted, or is
  /// outdated.
  mutating func takeRecordedChanges(of view: RowView) -> [RowIndex.Change]? {
    withSubscription(to: view) { $0.takeRecordedChanges() } ?? nil
  }

  /// Installs an order if at most `changeCountMax` changes were recorded since. Returns whether it
  /// was installed.
  mutating func install(_ index: RowIndex, as view: RowView, changeCountMax: Int) -> Bool {
    withSubscription(to: view) { subscription in
      guard subscription.recordedChangeCount <= changeCountMax,
        let changes = subscription.takeRecordedChanges()
      else { return false }
      var index = index
      for change in changes { index.apply(change) }
      subscription.install(index)
      return true
    } ?? false
  }

  /// Called when an order could not be made.
  mutating func abandonOrder(of view: RowView) {
    _ = withSubscription(to: view) { $0.abandonOrder() }
  }
}
