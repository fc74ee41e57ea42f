import KettleControl
import KettleEngine
import KettleModel
import KettleScheduler

/// The rows of awake transfers, the totals over all transfers (updated, not counted), and the
/// orders of displayed views. Rows of dormant transfers are only in the store.
struct RowTable: Sendable {
  private(set) var rows: [TransferID: TransferSnapshot] = [:]
  private(set) var maker: RowMaker
  private var batch = BatchTally()
  private var sums = Totals()
  private var clearedCount = 0
  /// Transfers that wait for the user are always awake.
  private(set) var needsUserCount = 0
  /// The transfers in view whose latest hook failed; `maker` has how. Those that were cleared from
  /// view since are not among them.
  private var failedHooksInView: Set<TransferID> = []
  private(set) var collections = CollectionRows()
  /// A reader may query the store before it has recorded their removal.
  private(set) var removed = TransferIDSet()

  // Arrays, because there are few elements, and iterating over a dictionary retains its values:
  // each would be copied when mutated.
  private(set) var subscriptions: [ViewSubscription] = []
  private var caches: [StoredRowCache] = []
  /// Views whose order must be made.
  private var requestedOrders: [RowView] = []
  private var lastWindow: UInt64 = 0
  /// The number of evictions, counting transfers that were dormant when they were listed.
  private(set) var evictionCount = 0

  private let driftMax: Int

  /// - Parameters:
  ///   - maker: makes rows from the records in the store.
  ///   - driftMax: how far an order may drift before it is made again.
  init(_ maker: RowMaker, driftMax: Int = RowIndex.driftMax) {
    self.maker = maker
    self.driftMax = driftMax
  }

  /// The number of transfers on the list.
  var count: Int { sums.transferCount }

  var hasCleared: Bool { clearedCount > 0 }

  /// Whether members of collections may be on the list.
  var hasMembers: Bool { collections.hasMembers }

  var totals: Totals {
    var totals = sums
    totals.batch = batch.progress(bytesPerSecond: sums.bytesPerSecond)
    totals.needsUserCount = needsUserCount
    totals.failedHookCount = failedHooksInView.isEmpty ? nil : failedHooksInView.count
    return totals
  }

  /// Returns nil when only the store has the row.
  func row(_ id: TransferID) -> TransferSnapshot? { rows[id] }

  /// Returns the awake rows with one of these URLs, and those that the store had when it was
  /// read. A row evicted since is as it was then; it only matters that it is on the list.
  func rows(with urls: Set<String>, stored: [TransferSnapshot]) -> [TransferSnapshot] {
    rows.values.filter { urls.contains($0.url) }
      + stored.filter { rows[$0.id] == nil && !removed.contains($0.id) }
  }
}

// MARK: - Engine events

extension RowTable {
  /// Starts with the totals of the dormant transfers.
  mutating func begin(
    _ dormant: EvictedTally, members: [TransferID: MemberTally] = [:], clearedUpTo: Int64?
  ) {
    batch = BatchTally(dormant)
    collections = CollectionRows(members)
    sums.counts = dormant.states.mapValues(\.count).filter { $0.value > 0 }
    clearedCount = dormant.clearedCount
    maker.clearedUpTo = clearedUpTo
  }

  /// Adds or updates a row, and that of its collection. A transfer that runs again has no failed
  /// hook any more.
  mutating func update(_ row: TransferSnapshot) {
    let collection = row.member?.collection
    if let collection { collections.change(collection, from: rows[row.id], to: row) }
    set(row)
    if let collection { updateCollection(collection) }
  }

  private mutating func updateCollection(_ id: TransferID) {
    if let row = collections.raw[id] { set(row) } else { dropFromCaches(id) }
  }

  private mutating func set(_ row: TransferSnapshot) {
    var row = row
    if row.collection != nil { row = collections.shown(row) }
    if row.state == .running { forgetFailedHook(of: row.id) }
    row.failedHook = maker.failedHooks[row.id]
    let old = rows.updateValue(row, forKey: row.id)
    if let old {
      uncount(old)
    } else {
      // Undo brings removed transfers back.
      _ = removed.remove(row.id)
    }
    count(row)
    // Its members are counted.
    if row.collection == nil { batch.change(from: old, to: row) }
    updateOrders(row.id, from: old, to: row)
  }

  /// Adds new transfers that only the store has.
  mutating func add(_ listed: ListedTransfers) {
    evictionCount += 1
    for (state, count) in listed.counts { sums.counts[state, default: 0] += count }
    batch.add(listed.counts)
    for (id, tally) in listed.members {
      collections.add(tally, to: id)
      updateCollection(id)
    }
    // Rows are present only for the orders of displayed views.
    if subscriptions.isEmpty { return }
    for row in listed.rows { updateOrders(row.id, from: nil, to: row) }
  }

  mutating func remove(_ id: TransferID) {
    forgetFailedHook(of: id)
    guard let old = rows.removeValue(forKey: id) else { return }
    collections.forget(id)
    if let collection = old.member?.collection {
      collections.change(collection, from: old, to: nil)
      updateCollection(collection)
    }
    removed.insert(id)
    uncount(old)
    if old.collection == nil { batch.change(from: old, to: nil) }
    updateOrders(id, from: old, to: nil)
  }

  /// Loads a row from the store. It is already counted, and it matches the store.
  mutating func load(_ row: TransferSnapshot) {
    var row = row.collection == nil ? row : collections.shown(row)
    row.failedHook = maker.failedHooks[row.id]
    guard rows.updateValue(row, forKey: row.id) == nil else { return }
    dropFromCaches(row.id)
    for index in subscriptions.indices { subscriptions[index].recordLoaded(row) }
  }

  /// Drops rows of which the store has the current version.
  mutating func evict(_ ids: [TransferID]) {
    evictionCount += 1
    for id in ids {
      rows[id] = nil
      collections.forget(id)
      // The store may have been read while it was in memory.
      dropFromCaches(id)
    }
  }

  /// Shows cleared transfers again, except those up to this finish number.
  ///
  /// - Parameters:
  ///   - clearedCount: how many stay hidden.
  ///   - residents: which of the awake ones do.
  mutating func uncover(
    clearedUpTo finishNumber: Int64?, clearedCount count: Int, residents: Set<TransferID>
  ) {
    setCleared(upTo: finishNumber)
    for var row in rows.values.filter({ $0.isCleared == true && !residents.contains($0.id) }) {
      row.isCleared = nil
      update(row)
    }
    clearedCount = count
  }

  private mutating func setCleared(upTo finishNumber: Int64?) {
    maker.clearedUpTo = finishNumber
    for index in caches.indices { caches[index].dropAll() }
    for index in subscriptions.indices where subscriptions[index].view.dependsOnClearing {
      subscriptions[index].invalidateOrder()
    }
    removeUnusedSubscriptions()
  }

  /// Hides completed transfers from now on.
  mutating func clear(upTo finishNumber: Int64) {
    setCleared(upTo: finishNumber)
    for var row in rows.values.filter({ $0.state == .completed && $0.isCleared != true }) {
      row.isCleared = true
      update(row)
    }
    clearedCount = sums.count(.completed)
    failedHooksInView = []
  }

  /// Records how a hook ended; the latest one of a transfer counts.
  mutating func hookEnded(_ run: HookRun) {
    guard let id = run.transfer, let end = run.end else { return }
    let sentence = end.outcome.isSuccess ? nil : run.happened
    if sentence == nil { failedHooksInView.remove(id) } else { failedHooksInView.insert(id) }
    guard maker.failedHooks[id] != sentence else { return }
    maker.failedHooks[id] = sentence
    dropFromCaches(id)
    if let row = rows[id] { return update(row) }
    // Of a dormant row only the store knows the place.
    for index in subscriptions.indices where subscriptions[index].view.filter.hookFailed {
      subscriptions[index].invalidateOrder()
    }
    removeUnusedSubscriptions()
  }

  private mutating func forgetFailedHook(of id: TransferID) {
    guard !maker.failedHooks.isEmpty, maker.failedHooks.removeValue(forKey: id) != nil else {
      return
    }
    failedHooksInView.remove(id)
  }

  /// Sets the limit for all transfers together.
  mutating func setLimit(_ limit: TotalLimit.Effective) {
    sums.limitBytesPerSecond = limit.bytesPerSecond
    sums.limitUntil = limit.until
  }

  private mutating func count(_ row: TransferSnapshot) {
    if row.isCleared == true { clearedCount += 1 }
    if RowGroup(row.state, row.reason) == .needsUser { needsUserCount += 1 }
    sums.counts[row.state, default: 0] += 1
    if row.collection == nil { sums.bytesPerSecond += row.bytesPerSecond }
  }

  private mutating func uncount(_ row: TransferSnapshot) {
    if row.isCleared == true { clearedCount -= 1 }
    if RowGroup(row.state, row.reason) == .needsUser { needsUserCount -= 1 }
    if row.collection == nil { sums.bytesPerSecond -= row.bytesPerSecond }
    let left = sums.count(row.state) - 1
    sums.counts[row.state] = left > 0 ? left : nil
  }

  private mutating func dropFromCaches(_ id: TransferID) {
    for index in caches.indices { caches[index].drop(id) }
  }

  private mutating func updateOrders(
    _ id: TransferID, from old: TransferSnapshot?, to new: TransferSnapshot?
  ) {
    if old == nil || new == nil { dropFromCaches(id) }
    var droppedCount = 0
    for index in subscriptions.indices {
      switch subscriptions[index].update(id, from: old, to: new) {
      case .none: break
      case .orderRequested: requestedOrders.append(subscriptions[index].view)
      case .orderDropped: droppedCount += 1
      }
    }
    if droppedCount > 0 { removeUnusedSubscriptions() }
  }
}

// MARK: - Caches of displayed windows

extension RowTable {
  mutating func openWindow() -> RowWindowID {
    lastWindow += 1
    let id = RowWindowID(rawValue: lastWindow)
    caches.append(StoredRowCache(id))
    return id
  }

  mutating func closeWindow(_ id: RowWindowID) { caches.removeAll { $0.id == id } }

  func cache(of id: RowWindowID) -> StoredRowCache? { caches.first { $0.id == id } }

  /// Does nothing if the window was closed.
  mutating func withCache(of id: RowWindowID, _ body: (inout StoredRowCache) -> Void) {
    if let index = caches.firstIndex(where: { $0.id == id }) { body(&caches[index]) }
  }
}

// MARK: - Subscriptions

extension RowTable {
  /// The maximum number of rows in all orders without a subscriber. Clients often switch back to a
  /// previous view; a few MiB avoid making an order of a hundred thousand twice.
  static let idleRowCountMax = 300_000

  func subscription(to view: RowView) -> ViewSubscription? {
    subscriptions.first { $0.view == view }
  }

  /// Returns nil if no client displays the view.
  mutating func withSubscription<Result>(
    to view: RowView, _ body: (inout ViewSubscription) -> Result
  ) -> Result? {
    guard let index = subscriptions.firstIndex(where: { $0.view == view }) else { return nil }
    return body(&subscriptions[index])
  }

  /// A client switches from one view to another; nil means none. The order of a view is kept from
  /// its first window until the last client has left, and for a while after. Scrolling stays within
  /// the same view.
  ///
  /// - Returns: whether no client displays the old view any more.
  @discardableResult
  mutating func switchSubscription(from old: RowView?, to new: RowView?) -> Bool {
    guard old != new else { return false }
    if let new {
      if subscription(to: new) == nil {
        subscriptions.append(ViewSubscription(new, driftMax: driftMax))
      }
      _ = withSubscription(to: new) { $0.subscriberCount += 1 }
    }
    guard let old,
      let index = subscriptions.firstIndex(where: { $0.view == old && $0.subscriberCount > 0 })
    else { return false }
    subscriptions[index].subscriberCount -= 1
    guard subscriptions[index].subscriberCount == 0 else { return false }
    // The most recently abandoned view is the last element.
    var abandoned = subscriptions.remove(at: index)
    abandoned.markUnused()
    subscriptions.append(abandoned)
    dropIdleOrders(rowCountMax: Self.idleRowCountMax)
    return true
  }

  /// Drops orders without a subscriber, those abandoned first before others, until the
  /// rest have at most `rowCountMax` rows.
  mutating func dropIdleOrders(rowCountMax: Int) {
    var left = rowCountMax
    for index in subscriptions.indices.reversed()
    where subscriptions[index].subscriberCount == 0 {
      if let count = subscriptions[index].idleRowCount, count <= left {
        left -= count
      } else {
        subscriptions[index].dropOrder()
      }
    }
    removeUnusedSubscriptions()
  }

  /// Removes views that no client displays and that have no order to return to.
  private mutating func removeUnusedSubscriptions() {
    subscriptions.removeAll { $0.subscriberCount == 0 && $0.index == nil }
  }

  /// Requests the rows of a view. Returns nil if no client displays it.
  mutating func use(_ view: RowView) -> RowIndex?? {
    withSubscription(to: view) { subscription in
      (subscription.use(), subscription.index)
    }.map { consequence, index in
      if consequence == .orderRequested { requestedOrders.append(view) }
      return index
    }
  }

  mutating func takeRequestedOrders() -> [RowView] {
    guard !requestedOrders.isEmpty else { return [] }
    defer { requestedOrders = [] }
    return requestedOrders
  }
}
