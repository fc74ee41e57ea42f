import KettleControl
import KettleEngine
import KettleModel

extension RowTable {
  enum WindowStep: Sendable {
    case ready(RowWindow)
    /// These rows must be read from the store.
    case missing([TransferID])
    /// The order of the view is being made.
    case unordered
    /// No client displays the view.
    case left
  }

  mutating func openWindow() -> RowWindowID {
    lastWindow += 1
    let id = RowWindowID(rawValue: lastWindow)
    windows.append(StoredRowCache(id))
    return id
  }

  mutating func closeWindow(_ id: RowWindowID) { windows.removeAll { $0.id == id } }

  /// Called before rows are read from the store. Returns the maker for their records.
  mutating func ask(for id: RowWindowID) -> RowMaker {
    withWindow(id) { $0.ask() }
    return maker
  }

  /// Adds rows that were read from the store.
  mutating func take(_ rows: [TransferSnapshot], of asked: [TransferID], for id: RowWindowID) {
    withWindow(id) { $0.take(rows, of: asked) }
  }

  /// Returns the awake rows with one of these URLs, and those that the store had when it was
  /// read. A row evicted since is as it was then; it only matters that it is on the list.
  func rows(with urls: Set<String>, _ stored: [TransferSnapshot]) -> [TransferSnapshot] {
    rows.values.filter { urls.contains($0.url) }
      + stored.filter { rows[$0.id] == nil && !removed.contains($0.id) }
  }

  private func known(_ id: RowWindowID) -> StoredRowCache? { windows.first { $0.id == id } }

  private mutating func withWindow(_ id: RowWindowID, _ body: (inout StoredRowCache) -> Void) {
    if let place = windows.firstIndex(where: { $0.id == id }) { body(&windows[place]) }
  }

  /// Returns the rows of a displayed viewport if all of them are available. The cost depends on the
  /// number of displayed rows, not on the length of the list.
  ///
  /// - Parameter isComplete: false leaves out unavailable rows.
  mutating func window(
    _ viewport: Viewport, for id: RowWindowID, isComplete: Bool = true
  ) -> WindowStep {
    let view = RowView(viewport)
    guard let known = known(id), let used = use(view) else { return .left }
    guard let index = used else { return .unordered }
    let ids = index.window(first: viewport.first, count: viewport.count)
    let wanted = ids + (viewport.anchor.map { [$0] } ?? [])
    let missing = wanted.filter { rows[$0] == nil && known[$0] == nil }
    guard missing.isEmpty || !isComplete else { return .missing(Array(Set(missing)).sorted()) }
    withWindow(id) { $0.keep(only: Set(wanted)) }
    func row(_ id: TransferID) -> TransferSnapshot? { rows[id] ?? known[id] ?? nil }
    let anchor = viewport.anchor.flatMap(row).flatMap(RowKeys(view).key)
    return .ready(
      RowWindow(
        first: viewport.first, matchingCount: index.count, rows: ids.compactMap(row),
        totals: totals, anchorIndex: anchor.map(index.index), tag: viewport.tag))
  }

  // MARK: The first screen

  /// The data for the beginning of the list before there is an order.
  struct Beginning: Sendable {
    /// The first rows of the list in the store, without awake ones.
    var rows: [TransferSnapshot] = []
    /// Whether there are no more.
    var isAll = false
  }

  /// Returns the rows of a viewport at the beginning of the whole list; nil if the available data
  /// is insufficient.
  ///
  /// - Parameter sleepCount: the value when the store was read. Rows evicted since are in neither
  ///   place.
  func firstScreen(
    _ viewport: Viewport, _ beginning: Beginning, for id: RowWindowID, sleepCount: Int
  ) -> RowWindow? {
    guard RowView(viewport).isPlain(hasCleared: hasCleared), sleepCount == self.sleepCount,
      let known = known(id)
    else { return nil }
    let end = beginning.isAll ? nil : beginning.rows.last.map(viewport.sort.key)
    if end == nil, !beginning.isAll { return nil }
    let dormant = beginning.rows.filter {
      rows[$0.id] == nil && known[$0.id] != nil && !removed.contains($0.id)
    }
    let awake = rows.values.filter { row in
      end.map { viewport.sort.key(of: row) < $0 } ?? true
    }
    let all = (dormant + awake).sorted { viewport.sort.key(of: $0) < viewport.sort.key(of: $1) }
    let part = all.dropFirst(max(0, viewport.first)).prefix(max(0, viewport.count))
    let isEnough = beginning.isAll || part.count == viewport.count
    let anchorIndex = viewport.anchor.map { anchor in all.firstIndex { $0.id == anchor } }
    if !isEnough || (anchorIndex == .some(nil) && !beginning.isAll) { return nil }
    return RowWindow(
      first: viewport.first, matchingCount: count, rows: Array(part), totals: totals,
      anchorIndex: anchorIndex ?? nil, tag: viewport.tag)
  }
}
