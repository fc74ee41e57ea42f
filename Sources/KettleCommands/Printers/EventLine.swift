import KettleControl
import KettleDashboard
import KettleModel

/// Formats an event as a line for people: time, id, what happened, title.
struct EventLine {
  let clock: any CommandClock

  func text(of event: TransferEvent) -> String {
    let words: String
    switch event.kind {
    case .added: words = "added, \(event.snapshot.stateWords)"
    case .removed: words = "removed"
    case .stateChanged: words = Self.stateWords(event.snapshot)
    case .progress: words = event.snapshot.progressWords
    }
    let id = ColumnText.right(event.id.description, 4)
    return "\(time(event.at))  \(id)  \(event.snapshot.shownTitle): \(words)"
  }

  private static func stateWords(_ row: TransferSnapshot) -> String {
    if row.state == .completed, let path = row.path {
      return "completed, \(row.sizeWords) in \(Sentences.quoted(path, limit: 1024))"
    }
    return row.complaint.map { "\(row.stateWords): \($0)" } ?? row.stateWords
  }

  private func time(_ time: WallTime) -> String {
    guard let local = clock.localTime(of: time) else { return time.iso8601 }
    return Self.digits(local.hour) + ":" + Self.digits(local.minute) + ":"
      + Self.digits(local.second)
  }

  private static func digits(_ number: Int64) -> String {
    (number < 10 ? "0" : "") + String(number)
  }
}
