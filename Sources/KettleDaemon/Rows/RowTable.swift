import KettleControl
import KettleEngine
import KettleModel

/// The rows of awake transfers, the totals over all transfers (updated, not counted), and the
/// orders of displayed views. Rows of dormant transfers are only in the store.
struct RowTable: Sendable {
  private(set) var rows: [TransferID: TransferSnapshot] = [:]
  private(set) var maker: RowMaker
  private var batch = BatchTally()
  private var sums = Totals()
  private var clearedCount = 0
  /// A reader may query the store before it has recorded their removal.
  private(set) var removed = TransferIDSet()

  // Arrays, because there are few elements, and iterating over a dictionary retains its values:
  // each would be copied when mutated.
  var looks: [ViewSubscription] = []
  var windows: [StoredRowCache] = []
  /// Views whose order must be made.
  var wantedOrders: [RowView] = []
  var lastWindow: UInt64 = 0
  /// The number of evictions, counting transfers that were dormant when they were listed.
  private(set) var sleepCount = 0

  let driftMax: Int

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

  var totals: Totals {
    var totals = sums
    totals.batch = batch.progress(bytesPerSecond: sums.bytesPerSecond)
    return totals
  }

  /// Returns nil when only the store has the row.
  func row(_ id: TransferID) -> TransferSnapshot? { rows[id] }

  // MARK: What the engine tells

  /// Starts with the totals of the dormant transfers.
  mutating func begin(_ dormant: DormantTally, clearedUpTo: Int64?) {
    batch = BatchTally(dormant)
    sums.counts = dormant.states.mapValues(\.count).filter { $0.value > 0 }
    clearedCount = dormant.clearedCount
    maker.clearedUpTo = clearedUpTo
  }

  /// Adds or updates a row.
  mutating func put(_ row: TransferSnapshot) {
    let old = rows.updateValue(row, forKey: row.id)
    if let old { uncount(old) }
    count(row)
    batch.change(from: old, to: row)
    follow(row.id, from: old, to: row)
  }

  /// Adds new transfers that only the store has.
  mutating func list(_ listed: ListedTransfers) {
    sleepCount += 1
    for (state, count) in listed.counts { sums.counts[state, default: 0] += count }
    batch.add(listed.counts)
    // Rows are present only for the orders of displayed views.
    if looks.isEmpty { return }
    for row in listed.rows { follow(row.id, from: nil, to: row) }
  }

  mutating func remove(_ id: TransferID) {
    guard let old = rows.removeValue(forKey: id) else { return }
    removed.insert(id)
    uncount(old)
    batch.change(from: old, to: nil)
    follow(id, from: old, to: nil)
  }

  /// It was counted all the time, and its row matches the store.
  mutating func wake(_ row: TransferSnapshot) {
    guard rows.updateValue(row, forKey: row.id) == nil else { return }
    dropFromWindows(row.id)
    for place in looks.indices { looks[place].note(row) }
  }

  /// The store has these rows in their current version.
  mutating func letGo(_ ids: [TransferID]) {
    sleepCount += 1
    for id in ids {
      rows[id] = nil
      // The store may have been read while it was in memory.
      dropFromWindows(id)
    }
  }

  /// Hides completed transfers from now on.
  mutating func clear(upTo finishNumber: Int64) {
    maker.clearedUpTo = finishNumber
    for place in windows.indices { windows[place].dropAll() }
    for place in looks.indices where looks[place].view.dependsOnClearing { looks[place].clear() }
    removeUnusedLooks()
    for var row in rows.values.filter({ $0.state == .completed && $0.isCleared != true }) {
      row.isCleared = true
      put(row)
    }
    clearedCount = sums.count(.completed)
  }

  mutating func limit(toBytesPerSecond limit: Int64?) { sums.limitBytesPerSecond = limit }

  private mutating func count(_ row: TransferSnapshot) {
    if row.isCleared == true { clearedCount += 1 }
    sums.counts[row.state, default: 0] += 1
    sums.bytesPerSecond += row.bytesPerSecond
  }

  private mutating func uncount(_ row: TransferSnapshot) {
    if row.isCleared == true { clearedCount -= 1 }
    sums.bytesPerSecond -= row.bytesPerSecond
    let left = sums.count(row.state) - 1
    sums.counts[row.state] = left > 0 ? left : nil
  }

  private mutating func dropFromWindows(_ id: TransferID) {
    for place in windows.indices { windows[place].drop(id) }
  }

  private mutating func follow(
    _ id: TransferID, from old: TransferSnapshot?, to new: TransferSnapshot?
  ) {
    if old == nil || new == nil { dropFromWindows(id) }
    var forgottenCount = 0
    for place in looks.indices {
      switch looks[place].follow(id, from: old, to: new) {
      case .nothing: break
      case .wanted: wantedOrders.append(looks[place].view)
      case .forgotten: forgottenCount += 1
      }
    }
    if forgottenCount > 0 { removeUnusedLooks() }
  }
}
