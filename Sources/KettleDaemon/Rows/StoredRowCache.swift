import KettleModel

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
