import KettleControl
import KettleDashboard
import KettleModel

/// Prints what was queued: one id per line, or an array of objects with id and url.
///
/// It keeps the first console error and writes nothing after it.
struct AddedPrinter {
  private let console: any Console
  private let json: Bool
  private var array: JSONArrayPrinter?
  private var failure: ConsoleError?

  init(on console: any Console, json: Bool) {
    self.console = console
    self.json = json
    guard json else { return }
    do { array = try JSONArrayPrinter(on: console) } catch { failure = error }
  }

  mutating func print(_ ids: [TransferID], of request: AddRequest) {
    guard failure == nil else { return }
    do {
      if json {
        try array?.print(request.withURLs(ids).map(Self.object))
      } else {
        var text = ""
        for id in ids { text += String(id.rawValue) + "\n" }
        try console.write(text, to: .output)
      }
    } catch {
      failure = error
    }
  }

  func end() throws(ConsoleError) {
    if let failure { throw failure }
    try array?.end()
  }

  private static func object(_ id: TransferID, _ url: TransferURL) -> JSONValue {
    .object([
      .init("id", .integer(id.rawValue)), .init("url", .string(url.text)),
    ])
  }
}

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

  /// Without the session: the other columns, the gaps between all, and 20 for the tasks.
  private static let restColumnCount = 14 + 19 + 7 + 4 * 2 + 20

  func text(of sessions: [SessionSummary]) -> String {
    let rows = sessions.map(row)
    let limit = columnCount.map { max(30, $0 - Self.restColumnCount) } ?? .max
    let width = min(rows.map { ColumnText.width(of: $0.id) }.reduce(30, max), limit)
    let lines = zip(sessions, rows).map { session, row in
      // A second line when something went wrong.
      line(row, width) + (Sentences.launchNotice(of: session).map { clipped("  " + $0) } ?? "")
    }
    return line(Self.header, width) + lines.joined()
  }

  private func row(of session: SessionSummary) -> Row {
    let counts = TransferState.allCases.compactMap { state in
      session.counts[state.rawValue].map {
        CountText.text($0) + " " + Strings.countWord(state)
      }
    }
    return Row(
      id: session.id.rawValue.sanitizedForDisplay(limit: 255),
      program: session.processID.map { "process \($0)" } ?? "away",
      lastSeen: Sentences.dateText(session.lastSeenAt, clock),
      pending: CountText.text(session.unreportedCount),
      tasks: counts.isEmpty ? "none" : counts.joined(separator: ", "))
  }

  private func line(_ row: Row, _ idWidth: Int) -> String {
    clipped(
      [
        ColumnText.left(ColumnText.clipped(row.id, to: idWidth), idWidth),
        ColumnText.left(row.program, 14),
        ColumnText.left(row.lastSeen, 19), ColumnText.right(row.pending, 7), row.tasks,
      ].joined(separator: "  "))
  }

  private func clipped(_ line: String) -> String {
    (columnCount.map { ColumnText.clipped(line, to: $0) } ?? line) + "\n"
  }
}
