import KettleModel

/// Identifies a displayed window, whose dormant rows are cached.
struct RowWindowID: RawRepresentable, Hashable, Sendable {
  let rawValue: UInt64
}

/// A cache of the rows of a window that only the store has, so that the store is not queried ten
/// times a second. Rows that are loaded or removed are dropped, so none is stale.
struct StoredRowCache: Sendable {
  /// The state of a query: a row that changes during the query makes its result stale.
  private enum Question: Sendable {
    case none
    case underWay(changed: Set<TransferID>)
    case outdated
  }

  let id: RowWindowID
  /// nil values: the store has no such row.
  private var rows: [TransferID: TransferSnapshot?] = [:]
  private var question = Question.none

  init(_ id: RowWindowID) { self.id = id }

  /// Outer nil: not cached. Inner nil: does not exist.
  subscript(id: TransferID) -> TransferSnapshot?? { rows[id] }

  var count: Int { rows.count }

  /// Called before the store is queried.
  mutating func ask() { question = .underWay(changed: []) }

  mutating func take(_ found: [TransferSnapshot], of asked: [TransferID]) {
    defer { question = .none }
    guard case .underWay(let changed) = question else { return }
    for id in asked where !changed.contains(id) { rows[id] = .some(nil) }
    for row in found where !changed.contains(row.id) { rows[row.id] = row }
  }

  /// Called when the transfer was loaded or removed.
  mutating func drop(_ id: TransferID) {
    rows[id] = nil
    guard case .underWay(var changed) = question else { return }
    question = .none
    changed.insert(id)
    question = .underWay(changed: changed)
  }

  /// Called when any row may have changed.
  mutating func dropAll() {
    rows = [:]
    switch question {
    case .none: break
    case .underWay, .outdated: question = .outdated
    }
  }

  mutating func keep(only ids: Set<TransferID>) {
    if rows.count > ids.count { rows = rows.filter { ids.contains($0.key) } }
  }
}
