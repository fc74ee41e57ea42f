import KettleDashboard
import KettleModel

/// The table that `list` prints on a terminal, in the style of the dashboard.
struct TerminalTable: ListTable {
  private let columnCount: Int
  private let look: Look
  private let clock: ClockText
  private let now: Moment
  private var columns = ListColumns()

  /// - Parameter rows: The first rows of the list, which determine the columns.
  init(
    of rows: [TransferSnapshot], columnCount: Int, look: Look, clock: ClockText, now: Moment
  ) {
    self.columnCount = columnCount
    self.look = look
    self.clock = clock
    self.now = now
    columns = ListColumns(
      width: columnCount, widths: widths(of: rows),
      reason: rows.flatMap(stateForms).map(width).filter { $0 <= Self.reasonMax }.max() ?? 0)
  }

  var header: String {
    var line = Canvas(lineColumns: columnCount, look: look)
    for column in ListColumns.Column.allCases {
      put(Self.name(of: column), in: column, .columnHeader, on: &line)
    }
    return line.line + "\n"
  }

  /// One line, and more when something went wrong.
  func text(of row: TransferSnapshot) -> String {
    var line = Canvas(lineColumns: columnCount, look: look)
    for column in ListColumns.Column.allCases {
      let (text, role) = cell(column, of: row)
      put(text, in: column, role, on: &line)
    }
    if let bar = bar(of: row), let range = columns.ranges[.bar] {
      line.draw(bar, column: range.lowerBound, width: range.count)
    }
    return line.line + "\n" + complaint(of: row)
  }

  private func complaint(of row: TransferSnapshot) -> String {
    guard let complaint = row.complaint else { return "" }
    let indent = columns.ranges[.state]?.lowerBound ?? 0
    let lines = Fold.lines(complaint, width: columnCount - indent)
    return lines.reduce(into: "") { text, words in
      var line = Canvas(lineColumns: columnCount, look: look)
      line.write(words, row: 0, column: indent, width: columnCount)
      text += line.line + "\n"
    }
  }

  // MARK: Cells

  private static func name(of column: ListColumns.Column) -> String {
    switch column {
    case .id: "ID"
    case .state: "STATE"
    case .file: "FILE"
    case .bar: ""
    case .done: "DONE"
    case .size: "SIZE"
    case .speed: "SPEED"
    case .ready: "READY"
    case .host: "HOST"
    }
  }

  private func cell(
    _ column: ListColumns.Column, of row: TransferSnapshot
  ) -> (text: String, role: Role) {
    switch column {
    case .id: return (row.id.description, .plain)
    case .state:
      let room = columns.ranges[.state]?.count ?? 0
      let text = stateForms(row).first { width($0) <= room } ?? row.stateWords
      return (text, row.stateWordsRole)
    case .file: return (row.title, .plain)
    case .bar: return ("", .plain)
    case .done: return (row.percentWords, .plain)
    case .size: return (row.sizeWords, .plain)
    case .speed: return (row.speedWords, .plain)
    case .ready: return (row.readyAt.map { clock.short($0, now: now.wall) } ?? "", .plain)
    case .host: return (String(row.host), .quiet)
    }
  }

  /// The state with the reason in the dashboard's words for a row that does not move, the longest
  /// form first; the last form is the state alone.
  private func stateForms(_ row: TransferSnapshot) -> [String] {
    switch row.state {
    case .queued, .scheduled, .waiting, .failed:
      guard case .words(let forms, _) = RowStatus(row, clock: clock, now: now.wall) else { break }
      // The dashboard's shortest form leaves out the state, which has a symbol there.
      return forms.dropLast() + [row.stateWords]
    case .idle, .running, .paused, .verifying, .completed: break
    }
    return [row.stateWords]
  }

  private func bar(of row: TransferSnapshot) -> ProgressBar? {
    guard row.bytesExpected != nil, !row.state.isFinished else { return nil }
    return ProgressBar(row, at: now, isLive: true)
  }

  private func put(
    _ text: String, in column: ListColumns.Column, _ role: Role, on line: inout Canvas
  ) {
    guard let range = columns.ranges[column] else { return }
    switch column {
    case .id, .done, .size, .speed, .ready:
      line.writeRight(text, row: 0, column: range.lowerBound, width: range.count, role)
    case .file:
      line.write(
        text, row: 0, column: range.lowerBound, width: range.count, role, cut: .middle)
    case .state, .bar, .host:
      line.write(text, row: 0, column: range.lowerBound, width: range.count, role)
    }
  }

  // MARK: Widths

  private static let reasonMax = 30
  private static let hostMax = 32
  /// What rows after the first ones can need.
  private static let usual: [ListColumns.Column: Int] = [
    .id: 8, .done: 5, .size: 12, .speed: 10, .ready: 6,
  ]

  private func widths(of rows: [TransferSnapshot]) -> [ListColumns.Column: Int] {
    let isComplete = rows.count < ListReader.usualPageCount
    var widths = isComplete ? [:] : Self.usual
    for column in ListColumns.Column.allCases {
      let needed = rows.reduce(0) { max($0, width(cell(column, of: $1).text)) }
      guard needed > 0 else { continue }
      let named = max(needed, Self.name(of: column).utf8.count)
      widths[column] = max(widths[column, default: 0], named)
    }
    if let host = widths[.host] { widths[.host] = min(host, Self.hostMax) }
    if rows.contains(where: { bar(of: $0) != nil }) {
      widths[.bar] = min(max(8, columnCount / 10), 16)
    }
    return widths
  }

  private func width(_ text: String) -> Int {
    ShownText(text, charset: look.charset, columnsMax: 400).columns
  }
}
