import KettleModel

/// Every text that the dashboard shows, by area.
package enum Strings {
  static let product = "Kettle"
  static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  static func countWord(_ state: TransferState) -> String {
    switch state {
    case .idle: "idle"
    case .scheduled: "scheduled"
    case .queued: "queued"
    case .running: "running"
    case .waiting: "waiting"
    case .paused: "paused"
    case .verifying: "verifying"
    case .completed: "done"
    case .failed: "failed"
    }
  }

  static func transfers(_ count: Int) -> String {
    count == 1 ? "1 transfer" : "\(count) transfers"
  }

  static func files(_ count: Int) -> String { count == 1 ? "1 file" : "\(count) files" }

  /// From the longest form to the shortest.
  static func tooSmall(columns: Int, rows: Int) -> [[String]] {
    let need = "\(columns)x\(rows)"
    return [
      ["Too small for Kettle:", "it needs \(need)"], ["Too small:", "needs \(need)"],
      ["Too small, needs \(need)"], ["needs \(need)"], ["needs", need], [need],
    ]
  }
}
