import KettleModel

/// The table of `list`, for people.
protocol ListTable {
  var header: String { get }
  /// Returns the lines of a transfer, each with its line end.
  func text(of row: TransferSnapshot) -> String
}

/// The table that `list` prints into a pipe, and `kettle --plain` everywhere.
struct TransferTable: ListTable {
  /// The width of the terminal; nil in a pipe, where nothing is cut.
  let columnCount: Int?
  let clock: any CommandClock

  private static let idColumns = 6

  private struct Row {
    var id: String
    var state: String
    var percent: String
    var size: String
    var speed: String
    var ready: String
    var title: String
  }

  var header: String {
    line(
      Row(
        id: "ID", state: "STATE", percent: "DONE", size: "SIZE", speed: "SPEED", ready: "READY",
        title: "FILE"))
  }

  /// One line, and a second one when something went wrong.
  func text(of row: TransferSnapshot) -> String {
    var text = line(
      Row(
        id: row.id.description, state: row.stateWords, percent: row.percentWords,
        size: row.sizeWords, speed: row.speedWords,
        ready: row.readyAt.map { Sentences.shortTime($0, clock) } ?? "", title: row.shownTitle))
    if let complaint = row.complaint {
      text += clipped(String(repeating: " ", count: Self.idColumns + 2) + complaint)
    }
    return text
  }

  private func line(_ row: Row) -> String {
    clipped(
      [
        ColumnText.right(row.id, Self.idColumns), ColumnText.left(row.state, 11),
        ColumnText.right(row.percent, 5), ColumnText.right(row.size, 16),
        ColumnText.right(row.speed, 12), ColumnText.right(row.ready, 6), row.title,
      ].joined(separator: "  "))
  }

  private func clipped(_ line: String) -> String {
    (columnCount.map { ColumnText.clipped(line, to: $0) } ?? line) + "\n"
  }
}
