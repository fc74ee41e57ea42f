import ControlProtocol
import TransferModel

/// Every transfer as clients are shown it, with the totals kept up to date instead of counted.
struct RowTable: Sendable {
  private var rows: [TransferID: TransferSnapshot] = [:]
  /// Sorted, which is the order in which they were added.
  private var ids = OrderedIDs()
  private(set) var totals = Totals()

  var count: Int { ids.count }

  func row(_ id: TransferID) -> TransferSnapshot? { rows[id] }

  mutating func put(_ row: TransferSnapshot) {
    if let old = rows.updateValue(row, forKey: row.id) {
      uncount(old)
    } else {
      ids.insert(row.id)
    }
    totals.counts[row.state, default: 0] += 1
    totals.bytesPerSecond += row.bytesPerSecond
  }

  mutating func remove(_ id: TransferID) {
    guard let old = rows.removeValue(forKey: id) else { return }
    uncount(old)
    ids.remove(id)
  }

  private mutating func uncount(_ row: TransferSnapshot) {
    totals.bytesPerSecond -= row.bytesPerSecond
    let left = totals.count(row.state) - 1
    totals.counts[row.state] = left > 0 ? left : nil
  }

  /// In the order in which they were added.
  func matching(_ filter: RowFilter, except: Set<TransferID>) -> [TransferID] {
    ids.all.filter { id in !except.contains(id) && rows[id].map(filter.passes) == true }
  }

  /// Everything that passes a filter, in an order.
  func inOrder(_ filter: RowFilter, _ sort: RowSort) -> [TransferSnapshot] {
    sort.sorted(ids.all.compactMap { rows[$0] }.filter(filter.passes))
  }

  /// The rows of a viewport. Without filter and sort it costs the rows that are shown, not all.
  func window(_ viewport: Viewport, freeBytes: Int64?) -> RowWindow {
    var shown = totals
    shown.freeBytes = freeBytes
    if viewport.filter == RowFilter(), viewport.sort == RowSort() {
      let part = ids.window(first: viewport.first, count: viewport.count)
      return RowWindow(
        first: viewport.first, matchingCount: ids.count, rows: part.compactMap { rows[$0] },
        totals: shown)
    }
    let matching = ids.all.compactMap { rows[$0] }.filter(viewport.filter.passes)
    let sorted = viewport.sort.sorted(matching)
    let part = sorted.dropFirst(viewport.first).prefix(viewport.count)
    return RowWindow(
      first: viewport.first, matchingCount: matching.count, rows: Array(part), totals: shown)
  }
}

extension RowFilter {
  func passes(_ row: TransferSnapshot) -> Bool {
    if let states, !states.contains(row.state) { return false }
    if let session, session != row.session { return false }
    if let host, !row.hasHost(host) { return false }
    return row.hasWords(words)
  }
}

extension RowSort {
  /// Equal rows keep the order of their ids, so that nothing jumps about on the screen.
  func sorted(_ rows: [TransferSnapshot]) -> [TransferSnapshot] {
    guard key != .queue else { return isDescending ? rows.reversed() : rows }
    return rows.sorted { left, right in
      let (low, high) = isDescending ? (right, left) : (left, right)
      switch key {
      case .queue: return left.id < right.id
      case .title: return before(low.title.lowercased(), high.title.lowercased(), left, right)
      case .state: return before(low.state.order, high.state.order, left, right)
      case .size: return before(low.bytesExpected ?? -1, high.bytesExpected ?? -1, left, right)
      case .progress: return before(low.fraction, high.fraction, left, right)
      case .speed: return before(low.bytesPerSecond, high.bytesPerSecond, left, right)
      case .secondsLeft:
        return before(low.secondsLeft ?? .max, high.secondsLeft ?? .max, left, right)
      case .createdAt: return before(low.createdAt, high.createdAt, left, right)
      case .finishedAt:
        return before(
          low.finishedAt?.millisecondsSince1970 ?? .max,
          high.finishedAt?.millisecondsSince1970 ?? .max, left, right)
      case .connections: return before(low.connections, high.connections, left, right)
      case .priority: return before(low.priority, high.priority, left, right)
      case .host: return before(low.host, high.host, left, right)
      case .session: return before(low.session.rawValue, high.session.rawValue, left, right)
      }
    }
  }

  private func before<Value: Comparable>(
    _ low: Value, _ high: Value, _ left: TransferSnapshot, _ right: TransferSnapshot
  ) -> Bool {
    low == high ? left.id < right.id : low < high
  }
}

extension TransferState {
  /// What needs attention or moves comes first.
  fileprivate var order: Int {
    switch self {
    case .running: 0
    case .verifying: 1
    case .waiting: 2
    case .queued: 3
    case .scheduled: 4
    case .paused: 5
    case .failed: 6
    case .idle: 7
    case .completed: 8
    }
  }
}

extension TransferSnapshot {
  fileprivate var fraction: Double {
    guard let bytesExpected, bytesExpected > 0 else { return state == .completed ? 1 : 0 }
    return Double(bytesReceived) / Double(bytesExpected)
  }
}
