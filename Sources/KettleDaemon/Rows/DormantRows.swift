import KettleModel

/// Who shows a window has the dormant rows of it kept.
struct RowWindowID: RawRepresentable, Hashable, Sendable {
  let rawValue: UInt64
}

/// The rows of a window that the store alone has, so that it is not asked for them ten times a
/// second. Whoever wakes up or goes is dropped, so none is older than the truth.
struct DormantRows: Sendable {
  /// Of a question that is under way: what was changed since makes its answer old.
  private enum Question: Sendable {
    case none
    case underWay(changed: Set<TransferID>)
    case outdated
  }

  let id: RowWindowID
  /// nil: the store has none.
  private var rows: [TransferID: TransferSnapshot?] = [:]
  private var question = Question.none

  init(_ id: RowWindowID) { self.id = id }

  /// nil: not known; nil in it: not there.
  subscript(id: TransferID) -> TransferSnapshot?? { rows[id] }

  var count: Int { rows.count }

  /// The store is about to be asked.
  mutating func ask() { question = .underWay(changed: []) }

  mutating func take(_ found: [TransferSnapshot], of asked: [TransferID]) {
    defer { question = .none }
    guard case .underWay(let changed) = question else { return }
    for id in asked where !changed.contains(id) { rows[id] = .some(nil) }
    for row in found where !changed.contains(row.id) { rows[row.id] = row }
  }

  /// It is awake, or gone.
  mutating func drop(_ id: TransferID) {
    rows[id] = nil
    guard case .underWay(var changed) = question else { return }
    question = .none
    changed.insert(id)
    question = .underWay(changed: changed)
  }

  /// All may be others.
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
