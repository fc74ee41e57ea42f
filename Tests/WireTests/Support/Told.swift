import KettleEngine
import KettleModel

/// What the engine reported to its observer about the transfers.
struct Told: Sendable, CustomStringConvertible {
  /// The latest snapshot of each transfer.
  private(set) var rows: [TransferID: TransferSnapshot] = [:]
  /// Every reported row, in order.
  private(set) var history: [TransferSnapshot] = []

  mutating func note(_ event: EngineEvent) {
    switch event {
    case .added(let row), .changed(let row), .progress(let row, _):
      rows[row.id] = row
      history.append(row)
    case .listed(let listed):
      for row in listed.rows {
        rows[row.id] = row
        history.append(row)
      }
    case .removed(let row): rows[row.id] = nil
    case .recovered, .loaded, .evicted, .cleared, .uncovered, .limited, .queues, .hooksDue: break
    }
  }

  /// The reported byte counts of a transfer, from the first one that is at least `byteCount`.
  func byteCounts(of id: TransferID, afterReaching byteCount: Int64) -> [Int64] {
    let shown = history.filter { $0.id == id }.map(\.bytesReceived)
    return Array(shown.drop { $0 < byteCount })
  }

  var description: String {
    rows.values.sorted { $0.id < $1.id }.map { row in
      let reason = row.reason.map { " (\($0))" } ?? ""
      let error = row.error.map { " \($0.code) \($0.detail ?? "")" } ?? ""
      return "\(row.id.rawValue): \(row.state)\(reason) \(row.bytesReceived) bytes\(error)"
    }.joined(separator: ", ")
  }
}
