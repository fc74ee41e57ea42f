import KettleModel

/// The table that `list` prints for people.
struct TransferTable {
  /// The width of the terminal; nil in a pipe, where nothing is cut.
  let columnCount: Int?

  private enum Column {
    static let id = 6
    static let state = 11
    static let percent = 5
    static let size = 16
    static let speed = 12
    static let left = 9
  }

  var header: String { line("ID", "STATE", "DONE", "SIZE", "SPEED", "LEFT", "FILE") }

  /// One line, and a second one when something went wrong.
  func text(of row: TransferSnapshot) -> String {
    var text = line(
      row.id.description, row.stateWords, row.percentWords, row.sizeWords, row.speedWords,
      row.leftWords, row.shownTitle)
    if let complaint = row.complaint {
      text += clipped(String(repeating: " ", count: Column.id + 2) + complaint)
    }
    return text
  }

  private func line(
    _ id: String, _ state: String, _ percent: String, _ size: String, _ speed: String,
    _ left: String, _ title: String
  ) -> String {
    clipped(
      [
        ColumnText.right(id, Column.id), ColumnText.left(state, Column.state),
        ColumnText.right(percent, Column.percent), ColumnText.right(size, Column.size),
        ColumnText.right(speed, Column.speed), ColumnText.right(left, Column.left), title,
      ].joined(separator: "  "))
  }

  private func clipped(_ line: String) -> String {
    (columnCount.map { ColumnText.clipped(line, to: $0) } ?? line) + "\n"
  }
}
