import KettleControl
import KettleModel

/// The table that `session list` prints for people.
struct SessionTableText {
  /// The width of the terminal; nil in a pipe, where nothing is cut.
  let columnCount: Int?
  let clock: any CommandClock

  private enum Column {
    static let id = 30
    static let program = 14
    static let date = 19
    static let untold = 6
  }

  func text(of sessions: [SessionSummary]) -> String {
    line("SESSION", "PROGRAM", "LAST SEEN", "UNTOLD", "TASKS") + sessions.map(text).joined()
  }

  /// One line, and a second one when something went wrong.
  private func text(of session: SessionSummary) -> String {
    let counts = TransferState.allCases.compactMap { state in
      session.counts[state.rawValue].map { "\($0) \(state.rawValue)" }
    }
    let row = line(
      session.id.rawValue.sanitizedForDisplay(limit: 255),
      session.processID.map { "process \($0)" } ?? "away",
      Sentences.dateText(session.lastSeenAt, clock), String(session.untoldCount),
      counts.isEmpty ? "none" : counts.joined(separator: ", "))
    return row + (Sentences.launchNotice(of: session).map { clipped("  " + $0) } ?? "")
  }

  private func line(
    _ id: String, _ program: String, _ date: String, _ untold: String, _ tasks: String
  ) -> String {
    clipped(
      [
        ColumnText.left(id, Column.id), ColumnText.left(program, Column.program),
        ColumnText.left(date, Column.date), ColumnText.right(untold, Column.untold), tasks,
      ].joined(separator: "  "))
  }

  private func clipped(_ line: String) -> String {
    (columnCount.map { ColumnText.clipped(line, to: $0) } ?? line) + "\n"
  }
}
