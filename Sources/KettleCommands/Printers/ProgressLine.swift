import KettleDashboard
import KettleModel

/// The line that `get` shows of its transfer.
struct ProgressLine {
  let row: TransferSnapshot
  let now: WallTime

  /// The line for a pipe.
  var text: String { "\(row.id)  \(row.shownTitle): \(words)" }

  var words: String {
    switch row.state {
    case .running: running
    case .waiting, .scheduled: waiting
    case .queued:
      "queued" + (row.heldBack.map { ", " + Strings.obstacle(of: row, $0) } ?? "")
    case .completed: "completed, \(row.sizeWords)"
    case .idle, .paused, .verifying, .failed: row.stateWords
    }
  }

  private var running: String {
    let progress = row.progressWords.isEmpty ? "running" : row.progressWords
    guard let heldBack = row.heldBack else { return progress }
    return progress + ", " + Strings.obstacle(of: row, heldBack)
  }

  /// The reason and a countdown.
  private var waiting: String {
    let until = (row.heldBack?.until ?? row.goesOnAt).map { " in " + countdown(to: $0) } ?? ""
    guard row.state == .waiting else { return "starts\(until)" }
    let reason = row.complaint ?? row.heldBack.map { Strings.obstacle(of: row, $0) }
    let next = until.isEmpty || row.reason?.isRetry == true ? until : ", next check" + until
    return (row.reason?.isRetry == true ? "retrying" : row.stateWords) + next
      + (reason.map { ": " + $0 } ?? "")
  }

  private func countdown(to time: WallTime) -> String {
    let (distance, overflow) = time.millisecondsSince1970.subtractingReportingOverflow(
      now.millisecondsSince1970)
    guard !overflow else { return "a long time" }
    return DurationText.countdown(max(0, distance) / 1000 + (distance % 1000 > 0 ? 1 : 0))
  }
}
