import KettleControl
import KettleEngine
import KettleModel

/// The windows that clients display.
extension RowTable {
  enum WindowStep: Sendable {
    case ready(RowWindow)
    /// These rows must be read from the store.
    case missing([TransferID])
    /// The order of the view is being made.
    case unordered
    /// No client displays the view.
    case abandoned
  }

  /// Called before rows are read from the store. Returns the maker for their records.
  mutating func beginQuery(for id: RowWindowID) -> RowMaker {
    withCache(of: id) { $0.beginQuery() }
    return maker
  }

  /// Caches rows that were read from the store.
  mutating func endQuery(
    of ids: [TransferID], found rows: [TransferSnapshot], for id: RowWindowID
  ) {
    let shown = rows.map(collections.filled)
    withCache(of: id) { $0.endQuery(for: ids, found: shown) }
  }

  /// Returns the rows of a displayed viewport if all of them are available. The cost depends on the
  /// number of displayed rows, not on the length of the list.
  ///
  /// - Parameter isComplete: false leaves out unavailable rows.
  mutating func window(
    _ viewport: Viewport, for id: RowWindowID, isComplete: Bool = true
  ) -> WindowStep {
    let view = RowView(viewport)
    guard let cache = cache(of: id), let used = use(view) else { return .abandoned }
    guard let index = used else { return .unordered }
    let groups =
      view.sort.isGrouped ? index.groups(of: view.sort, folded: Set(viewport.folded ?? [])) : nil
    let unfolded = groups.map { UnfoldedRows($0) }
    let ids =
      unfolded?.wholeRanges(first: viewport.first, count: viewport.count)
      .flatMap { index.window(first: $0.lowerBound, count: $0.count) }
      ?? index.window(first: viewport.first, count: viewport.count)
    let wanted = ids + (viewport.anchor.map { [$0] } ?? [])
    let missing = wanted.filter { rows[$0] == nil && cache[$0] == nil }
    guard missing.isEmpty || !isComplete else { return .missing(Array(Set(missing)).sorted()) }
    withCache(of: id) { $0.drop(except: Set(wanted)) }
    func row(_ id: TransferID) -> TransferSnapshot? { rows[id] ?? cache[id] ?? nil }
    let anchor = viewport.anchor.flatMap(row).flatMap(RowKeys(view).key).map(index.index)
    return .ready(
      RowWindow(
        first: viewport.first, matchingCount: index.count, rows: ids.compactMap(row),
        totals: totals, anchorIndex: unfolded.map { anchor.flatMap($0.index) } ?? anchor,
        tag: viewport.tag, groups: groups))
  }

  // MARK: The first screen

  /// The data for the beginning of the list before there is an order.
  struct Beginning: Sendable {
    /// The first rows of the list in the store, without awake ones. In a grouped list these are the
    /// queued ones: those of the groups before them are awake.
    var rows: [TransferSnapshot] = []
    /// Whether there are no more.
    var isAll = false
  }

  /// Returns the rows of a viewport at the beginning of the whole list; nil if the available data
  /// is insufficient.
  ///
  /// - Parameter evictionCount: the value when the store was read. Rows evicted since are in
  ///   neither place.
  func firstScreen(
    _ viewport: Viewport, from beginning: Beginning, for id: RowWindowID, evictionCount: Int
  ) -> RowWindow? {
    guard RowView(viewport).isPlain(hasCleared: hasCleared, hasMembers: hasMembers),
      viewport.folded == nil,
      evictionCount == self.evictionCount, let cache = cache(of: id)
    else { return nil }
    let end = beginning.isAll ? nil : beginning.rows.map(viewport.sort.key).max()
    if end == nil, !beginning.isAll { return nil }
    let dormant = beginning.rows.filter {
      rows[$0.id] == nil && cache[$0.id] != nil && !removed.contains($0.id)
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
      anchorIndex: anchorIndex ?? nil, tag: viewport.tag,
      groups: viewport.sort.isGrouped ? groups : nil)
  }

  /// The sizes of the groups, before there is an order to count in. The totals have the states and
  /// not the reasons.
  private var groups: [ListedGroup] {
    var counts = totals.counts.reduce(into: [RowGroup: Int]()) { counts, state in
      counts[RowGroup(state.key, nil), default: 0] += state.value
    }
    counts[.needsUser] = needsUserCount
    counts[.next, default: 0] -= needsUserCount
    return RowGroup.allCases.compactMap { group in
      counts[group].flatMap { $0 > 0 ? ListedGroup(.work(group), count: $0) : nil }
    }
  }
}

/// Identifies a displayed window, whose stored rows are cached.
struct RowWindowID: RawRepresentable, Hashable, Sendable {
  let rawValue: UInt64
}

/// A cache of the rows of a window that only the store has, so that the store is not queried ten
/// times a second. Rows that are loaded or removed are dropped, so none is stale.
struct StoredRowCache: Sendable {
  /// The state of a query: a row that changes during the query makes its result stale.
  private enum Query: Sendable {
    case none
    case underWay(changed: Set<TransferID>)
    case outdated
  }

  let id: RowWindowID
  /// nil values: the store has no such row.
  private var rows: [TransferID: TransferSnapshot?] = [:]
  private var query = Query.none

  init(_ id: RowWindowID) { self.id = id }

  /// Outer nil: not cached. Inner nil: does not exist.
  subscript(id: TransferID) -> TransferSnapshot?? { rows[id] }

  /// Called before the store is queried.
  mutating func beginQuery() { query = .underWay(changed: []) }

  /// Caches the result of the query for `ids`, except rows that changed meanwhile.
  mutating func endQuery(for ids: [TransferID], found: [TransferSnapshot]) {
    defer { query = .none }
    guard case .underWay(let changed) = query else { return }
    for id in ids where !changed.contains(id) { rows[id] = .some(nil) }
    for row in found where !changed.contains(row.id) { rows[row.id] = row }
  }

  /// Called when the transfer was loaded or removed.
  mutating func drop(_ id: TransferID) {
    rows[id] = nil
    guard case .underWay(var changed) = query else { return }
    query = .none
    changed.insert(id)
    query = .underWay(changed: changed)
  }

  /// Called when any row may have changed.
  mutating func dropAll() {
    rows = [:]
    switch query {
    case .none: break
    case .underWay, .outdated: query = .outdated
    }
  }

  mutating func drop(except ids: Set<TransferID>) {
    if rows.count > ids.count { rows = rows.filter { ids.contains($0.key) } }
  }
}
