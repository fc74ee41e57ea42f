import KettleEngine
import KettleModel

/// The orders of the views, made by somebody who need not hold the table meanwhile.
extension RowTable {
  /// What an order is made of.
  enum OrderSource: Sendable {
    /// The store, and these that are awake: it may have them as they were.
    case store(awake: [TransferID], RowMaker)
    /// The one that there is.
    case order(MergedOrder)
  }

  /// How many orders are kept.
  var orderCount: Int { looks.count { $0.index != nil } }

  func look(at view: RowView) -> RowLook? { looks.first { $0.view == view } }

  /// Changes what is known of a view; nil when nobody looks at it.
  mutating func withLook<Result>(
    at view: RowView, _ body: (inout RowLook) -> Result
  ) -> Result? {
    guard let place = looks.firstIndex(where: { $0.view == view }) else { return nil }
    return body(&looks[place])
  }

  /// The orders that nobody looks at have so many rows at most, together. Who turns from one view
  /// to another often turns back; with a few MiB nobody waits twice for an order of a hundred
  /// thousand.
  static let restingRowCountMax = 300_000

  /// Somebody looks at another view than before, nil being none. The order of a view is kept from
  /// its first window until the last one has left it, and for a while after; whoever only scrolls
  /// stays in it.
  ///
  /// - Returns: whether nobody looks at the old one any more.
  @discardableResult
  mutating func look(from old: RowView?, to new: RowView?) -> Bool {
    guard old != new else { return false }
    if let new {
      if look(at: new) == nil { looks.append(RowLook(new, driftMax: driftMax)) }
      _ = withLook(at: new) { $0.lookerCount += 1 }
    }
    guard let old,
      let place = looks.firstIndex(where: { $0.view == old && $0.lookerCount > 0 })
    else { return false }
    looks[place].lookerCount -= 1
    guard looks[place].lookerCount == 0 else { return false }
    // The last one that was left is the last here.
    var left = looks.remove(at: place)
    left.rest()
    looks.append(left)
    forgetResting(but: Self.restingRowCountMax)
    return true
  }

  /// Forgets orders that nobody looks at, those that were left first before others.
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

  /// Removes what nobody looks at and what has no order that somebody could turn back to.
  mutating func removeUnusedLooks() { looks.removeAll { $0.lookerCount == 0 && $0.index == nil } }

  mutating func takeWantedOrders() -> [RowView] {
    guard !wantedOrders.isEmpty else { return [] }
    defer { wantedOrders = [] }
    return wantedOrders
  }

  /// nil when nobody looks any more. What changes from now on is noted.
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

  /// Where some of the rows stand that are awake.
  func keys(of ids: some Sequence<TransferID>, in view: RowView) -> [RowIndex.Change] {
    guard let keys = look(at: view)?.keys else { return [] }
    return ids.compactMap { id in
      rows[id].map { RowIndex.Change(id: id, before: .new, after: keys.key(of: $0)) }
    }
  }

  /// What was noted since the last time; nil when the order is wanted no more, or not as it is.
  mutating func notes(on view: RowView) -> [RowIndex.Change]? {
    withLook(at: view) { $0.takeNotes() } ?? nil
  }

  /// Takes an order when little was noted since, and answers whether it was taken.
  mutating func install(_ index: RowIndex, _ view: RowView, noteCountMax: Int) -> Bool {
    withLook(at: view) { look in
      guard look.noteCount <= noteCountMax, let notes = look.takeNotes() else { return false }
      var index = index
      for note in notes { index.follow(note) }
      look.endMaking(index)
      return true
    } ?? false
  }

  /// An order could not be made.
  mutating func giveUpOrder(_ view: RowView) { _ = withLook(at: view) { $0.giveUpMaking() } }

  /// Somebody wants rows of a view; nil when nobody looks at it.
  mutating func use(_ view: RowView) -> RowIndex?? {
    withLook(at: view) { look in
      (look.use(), look.index)
    }.map { need, index in
      if need == .wanted { wantedOrders.append(view) }
      return index
    }
  }
}
