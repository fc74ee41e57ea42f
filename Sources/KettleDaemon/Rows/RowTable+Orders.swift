import KettleEngine
import KettleModel

/// The orders of the views. They are made without holding the table.
extension RowTable {
  /// The source of an order.
  enum OrderSource: Sendable {
    /// The store, plus these awake transfers, which it may have in an older version.
    case store(awake: [TransferID], RowMaker)
    /// The existing order.
    case order(OrderWithOverlay)
  }

  /// The number of orders kept.
  var orderCount: Int { looks.count { $0.index != nil } }

  func look(at view: RowView) -> ViewSubscription? { looks.first { $0.view == view } }

  /// Updates the state of a view. Returns nil if no client displays it.
  mutating func withLook<Result>(
    at view: RowView, _ body: (inout ViewSubscription) -> Result
  ) -> Result? {
    guard let place = looks.firstIndex(where: { $0.view == view }) else { return nil }
    return body(&looks[place])
  }

  /// The maximum number of rows in all orders that no client displays. Clients often switch back to
  /// a previous view; a few MiB avoid making an order of a hundred thousand twice.
  static let restingRowCountMax = 300_000

  /// A client switches from one view to another; nil means none. The order of a view is kept from
  /// its first window until the last client has left, and for a while after. Scrolling stays within
  /// the same view.
  ///
  /// - Returns: whether no client displays the old view any more.
  @discardableResult
  mutating func look(from old: RowView?, to new: RowView?) -> Bool {
    guard old != new else { return false }
    if let new {
      if look(at: new) == nil { looks.append(ViewSubscription(new, driftMax: driftMax)) }
      _ = withLook(at: new) { $0.lookerCount += 1 }
    }
    guard let old,
      let place = looks.firstIndex(where: { $0.view == old && $0.lookerCount > 0 })
    else { return false }
    looks[place].lookerCount -= 1
    guard looks[place].lookerCount == 0 else { return false }
    // The most recently abandoned view is the last element.
    var left = looks.remove(at: place)
    left.rest()
    looks.append(left)
    forgetResting(but: Self.restingRowCountMax)
    return true
  }

  /// Drops orders that no client displays, the longest abandoned first.
  mutating func forgetResting(but rowCountMax: Int = 0) {
    var left = rowCountMax
    for place in looks.indices.reversed() where looks[place].lookerCount == 0 {
      if let count = looks[place].restingRowCount, count <= left {
        left -= count
      } else {
        looks[place].forget()
      }
    }
    removeUnusedLooks()
  }

  /// Removes views that no client displays and that have no order to return to.
  mutating func removeUnusedLooks() { looks.removeAll { $0.lookerCount == 0 && $0.index == nil } }

  mutating func takeWantedOrders() -> [RowView] {
    guard !wantedOrders.isEmpty else { return [] }
    defer { wantedOrders = [] }
    return wantedOrders
  }

  /// Returns nil when no client displays the view any more. Changes from now on are noted.
  mutating func beginOrder(_ view: RowView) -> OrderSource? {
    let current: RowIndex?? =
      withLook(at: view) { look in
        guard case .wanted = look.making else { return nil }
        look.beginMaking()
        return .some(look.index)
      } ?? nil
    guard let current else { return nil }
    return current.map { .order($0.order) } ?? .store(awake: Array(rows.keys), maker)
  }

  /// Returns the sort keys of the given rows that are in memory.
  func keys(of ids: some Sequence<TransferID>, in view: RowView) -> [RowIndex.Change] {
    guard let keys = look(at: view)?.keys else { return [] }
    return ids.compactMap { id in
      rows[id].map { RowIndex.Change(id: id, before: .new, after: keys.key(of: $0)) }
    }
  }

  /// Returns the changes noted since the last call; nil if the order is no longer wanted, or is
  /// outdated.
  mutating func notes(on view: RowView) -> [RowIndex.Change]? {
    withLook(at: view) { $0.takeNotes() } ?? nil
  }

  /// Installs an order if few changes were noted since. Returns whether it was installed.
  mutating func install(_ index: RowIndex, _ view: RowView, noteCountMax: Int) -> Bool {
    withLook(at: view) { look in
      guard look.noteCount <= noteCountMax, let notes = look.takeNotes() else { return false }
      var index = index
      for note in notes { index.follow(note) }
      look.endMaking(index)
      return true
    } ?? false
  }

  /// Called when an order could not be made.
  mutating func giveUpOrder(_ view: RowView) { _ = withLook(at: view) { $0.giveUpMaking() } }

  /// Requests the rows of a view. Returns nil if no client displays it.
  mutating func use(_ view: RowView) -> RowIndex?? {
    withLook(at: view) { look in
      (look.use(), look.index)
    }.map { need, index in
      if need == .wanted { wantedOrders.append(view) }
      return index
    }
  }
}
