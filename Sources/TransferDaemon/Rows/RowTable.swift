import ControlProtocol
import TransferCore
import TransferModel

/// Every transfer as clients are shown it, with the totals kept up to date instead of counted, and
/// the orders that somebody looks at kept instead of sorted.
struct RowTable: Sendable {
  private struct Look: Sendable {
    var lookerCount: Int
    /// Built when the first window is asked for.
    var index: RowIndex?
  }

  private var rows: [TransferID: TransferSnapshot] = [:]
  /// As the user ordered them.
  private var order = SortedBlocks<QueuePlace>()
  private var looks: [RowView: Look] = [:]
  private var batch = BatchTally()
  private var sums = Totals()
  private var clearedCount = 0

  var count: Int { rows.count }

  /// How many orders are kept besides that of the list.
  var indexCount: Int { looks.values.count { $0.index != nil } }

  var totals: Totals {
    var totals = sums
    totals.batch = batch.progress(bytesPerSecond: sums.bytesPerSecond)
    return totals
  }

  func row(_ id: TransferID) -> TransferSnapshot? { rows[id] }

  // MARK: Changes

  mutating func put(_ row: TransferSnapshot) {
    let old = rows.updateValue(row, forKey: row.id)
    if old?.place != row.place {
      if let old { order.remove(old.place) }
      order.insert(row.place)
    }
    if let old { uncount(old) }
    if row.isCleared == true { clearedCount += 1 }
    sums.counts[row.state, default: 0] += 1
    sums.bytesPerSecond += row.bytesPerSecond
    follow(from: old, to: row)
  }

  mutating func remove(_ id: TransferID) {
    guard let old = rows.removeValue(forKey: id) else { return }
    order.remove(old.place)
    uncount(old)
    follow(from: old, to: nil)
  }

  /// Takes finished rows out of the uncleared ones.
  mutating func clear(_ ids: [TransferID]) {
    for id in ids {
      guard var row = rows[id], row.state == .completed else { continue }
      row.isCleared = true
      put(row)
    }
  }

  mutating func limit(toBytesPerSecond limit: Int64?) { sums.limitBytesPerSecond = limit }

  private mutating func uncount(_ row: TransferSnapshot) {
    if row.isCleared == true { clearedCount -= 1 }
    sums.bytesPerSecond -= row.bytesPerSecond
    let left = sums.count(row.state) - 1
    sums.counts[row.state] = left > 0 ? left : nil
  }

  private mutating func follow(from old: TransferSnapshot?, to new: TransferSnapshot?) {
    batch.change(from: old, to: new)
    for place in looks.values.indices {
      looks.values[place].index?.change(from: old, to: new)
    }
  }

  // MARK: Looking

  /// Somebody looks at another view than before, nil being none. The order of a view is kept from
  /// its first window until the last one has left it; whoever only scrolls stays in it.
  mutating func look(from old: RowView?, to new: RowView?) {
    guard old != new else { return }
    if let new, !new.isPlain { looks[new, default: Look(lookerCount: 0)].lookerCount += 1 }
    guard let old, var left = looks[old] else { return }
    left.lookerCount -= 1
    looks[old] = left.lookerCount > 0 ? left : nil
  }

  /// By id, which is the order in which they were added.
  func matching(_ filter: RowFilter, except: Set<TransferID>) -> [TransferID] {
    let test = RowTest(filter)
    return rows.values.filter { !except.contains($0.id) && test.passes($0) }.map(\.id).sorted()
  }

  /// The first row with each of these URLs.
  ///
  /// Goes through all: this is asked when a person has stopped typing, and an index of every URL
  /// would take as much memory as the rows.
  func find(_ urls: Set<String>) -> [FindURLs.Found] {
    var found: [String: FindURLs.Found] = [:]
    for row in rows.values where urls.contains(row.url) {
      if let other = found[row.url], other.id < row.id { continue }
      found[row.url] = FindURLs.Found(url: row.url, id: row.id, state: row.state)
    }
    return found.values.sorted { $0.id < $1.id }
  }

  /// The rows of a viewport: of a view that somebody looks at it costs those that are shown, of
  /// another one it is sorted once.
  mutating func window(_ viewport: Viewport, freeBytes: Int64?) -> RowWindow {
    var totals = totals
    totals.freeBytes = freeBytes
    let anchor = viewport.anchor.flatMap { rows[$0] }
    let view = RowView(viewport)
    guard !isInListOrder(view) else {
      let part = order.window(first: viewport.first, count: viewport.count).map(\.id)
      return RowWindow(
        first: viewport.first, matchingCount: order.count, rows: part.compactMap { rows[$0] },
        totals: totals, anchorIndex: anchor.flatMap { order.index(of: $0.place) })
    }
    let index = index(of: view)
    let part = index.window(first: viewport.first, count: viewport.count)
    return RowWindow(
      first: viewport.first, matchingCount: index.count, rows: part.compactMap { rows[$0] },
      totals: totals, anchorIndex: anchor.flatMap(index.index))
  }

  /// All rows of a view in its order, and where one of them stands.
  mutating func inOrder(
    _ view: RowView, with wanted: TransferID?
  ) -> (ids: [TransferID], place: Int?) {
    let row = wanted.flatMap { rows[$0] }
    guard !isInListOrder(view) else {
      return (order.all.map(\.id), row.flatMap { order.index(of: $0.place) })
    }
    let index = index(of: view)
    return (index.window(first: 0, count: index.count), row.flatMap(index.index))
  }

  /// What a dashboard shows at first is that, and needs no order of its own.
  private func isInListOrder(_ view: RowView) -> Bool {
    view.isPlain || (clearedCount == 0 && view.isPlainWhenNoneIsCleared)
  }

  private mutating func index(of view: RowView) -> RowIndex {
    if let index = looks[view]?.index { return index }
    let index = RowIndex(view, of: rows, in: order.all)
    looks[view]?.index = index
    return index
  }
}

extension TransferSnapshot {
  /// A row of a service that does not tell it stands where it was added.
  var place: QueuePlace { QueuePlace(position: queuePosition ?? id.rawValue, id: id) }
}
