import KettleControl
import KettleModel

/// The table that `session list` prints for people.
struct SessionTableText {
  /// The width of the terminal; nil in a pipe, where nothing is cut.
  let columnCount: Int?
  let clock: any CommandClock

  private struct Row {
    var id: String
    var program: String
    var lastSeen: String
    var pending: String
    var tasks: String
  }

  private static let header = Row(
    id: "SESSION", program: "PROGRAM", lastSeen: "LAST SEEN", pending: "PENDING", tasks: "TASKS")

  func text(of sessions: [SessionSummary]) -> String {
    line(Self.header) + sessions.map(text).joined()
  }

  /// One line, and a second one when something went wrong.
  private func text(of session: SessionSummary) -> String {
    let counts = TransferState.allCases.compactMap { state in
      session.counts[state.rawValue].map { "\($0) \(state.rawValue)" }
    }
    let row = Row(
      id: session.id.rawValue.sanitizedForDisplay(limit: 255),
      program: session.processID.map { "process \($0)" } ?? "away",
      lastSeen: Sentences.dateText(session.lastSeenAt, clock),
      pending: String(session.unreportedCount),
      tasks: counts.isEmpty ? "none" : counts.joined(separator: ", "))
    return line(row) + (Sentences.launchNotice(of: session).map { clipped("  " + $0) } ?? "")
  }

  private func line(_ row: Row) -> String {
    clipped(
      [
        ColumnText.left(row.id, 30), ColumnText.left(row.program, 14),
        ColumnText.left(row.lastSeen, 19), ColumnText.right(row.pending, 7), row.tasks,
      ].joined(separator: "  "))
  }

  private func clipped(_ line: String) -> String {
    (columnCount.map { ColumnText.clipped(line, to: $0) } ?? line) + "\n"
  }
}
