import KettleDashboard
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
  /// Whether the rows are of several machines.
  var hasMachines = false

  private static let idColumns = 6
  private static let machineColumns = 16

  private struct Row {
    var id: String
    var machine: String
    var state: String
    var percent: String
    var size: String
    var speed: String
    var left: String
    var title: String
  }

  var header: String {
    line(
      Row(
        id: "ID", machine: "MACHINE", state: "STATE", percent: "%", size: "SIZE", speed: "SPEED",
        left: "LEFT", title: "FILE"))
  }

  /// One line, and a second one when something went wrong.
  func text(of row: TransferSnapshot) -> String {
    var text = line(
      Row(
        id: row.id.description, machine: row.machine?.sanitizedForDisplay(limit: 100) ?? "",
        state: row.stateWords, percent: row.percentWords, size: row.sizeText,
        speed: row.speedWords, left: row.leftWords(at: clock.now().wall), title: row.shownTitle))
    if let complaint = row.complaint {
      text += clipped(String(repeating: " ", count: Self.idColumns + 2) + complaint)
    }
    return text
  }

  private func line(_ row: Row) -> String {
    let machine = hasMachines ? [ColumnText.left(row.machine, Self.machineColumns)] : []
    return clipped(
      ([ColumnText.right(row.id, Self.idColumns)] + machine + [
        ColumnText.left(row.state, 11),
        ColumnText.right(row.percent, 5), ColumnText.right(row.size, 16),
        ColumnText.right(row.speed, 12), ColumnText.right(row.left, 7), row.title,
      ]).joined(separator: "  "))
  }

  private func clipped(_ line: String) -> String {
    (columnCount.map { ColumnText.clipped(line, to: $0) } ?? line) + "\n"
  }
}

/// The columns of the table that `list` prints on a terminal. If they do not all fit, the least
/// important are left out first.
struct ListColumns: Hashable, Sendable {
  enum Column: Hashable, Sendable, CaseIterable {
    case id, state, file, bar, percent, size, speed, left, machine, host
  }

  private(set) var ranges: [Column: Range<Int>] = [:]

  /// No columns.
  init() {}

  /// - Parameters:
  ///   - width: The width of the terminal.
  ///   - widths: What the rows need. A column that needs nothing is left out.
  ///   - reason: What the state needs together with its reason. It is shown before a host is, and
  ///     before a name gets more than its share.
  init(width: Int, widths: [Column: Int], reason: Int) {
    let state = widths[.state, default: 0]
    let file = widths[.file, default: 0]
    let fileMin = min(file, max(Self.fileMin, width / 4))
    var columns = Column.allCases.filter { widths[$0, default: 0] > 0 }
    /// The room for the state and the file.
    func room() -> Int {
      columns.reduce(width) { room, column in
        let isShared = column == .state || column == .file
        return room - Self.gap(before: column, in: columns)
          - (isShared ? 0 : widths[column, default: 0])
      }
    }
    for least in Self.leastImportant {
      if room() >= (columns.contains(.host) ? reason : state) + fileMin { break }
      columns.removeAll { $0 == least }
    }
    let stateWidth = max(state, min(reason, room() - fileMin))
    let fileWidth = min(file, max(1, room() - stateWidth))
    var next = 0
    for column in columns {
      next += Self.gap(before: column, in: columns)
      let end =
        switch column {
        case .state: next + stateWidth
        case .file: next + fileWidth
        case .id, .bar, .percent, .size, .speed, .left, .machine, .host:
          next + widths[column, default: 0]
        }
      ranges[column] = next..<end
      next = end
    }
  }

  private static let fileMin = 24
  private static let leastImportant: [Column] = [
    .host, .size, .bar, .machine, .speed, .left, .percent,
  ]

  private static func gap(before column: Column, in columns: [Column]) -> Int {
    if column == columns.first { return 0 }
    return column == .percent && columns.contains(.bar) ? 1 : 2
  }
}

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
      // Beside a bar the percentage needs no name.
      if column == .percent, columns.ranges[.bar] != nil { continue }
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
      line.draw(bar, of: row, column: range.lowerBound, width: range.count)
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
    case .bar: "PROGRESS"
    case .percent: "%"
    case .size: "SIZE"
    case .speed: "SPEED"
    case .left: "LEFT"
    case .machine: "MACHINE"
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
      let forms = stateForms(row)
      return (forms.first { width($0) <= room } ?? forms.last ?? "", row.stateWordsRole)
    case .file: return (row.title, .plain)
    case .bar: return ("", .plain)
    case .percent: return (row.state == .completed ? "" : row.percentWords, .plain)
    case .size: return (row.sizeText, .plain)
    case .speed: return (row.speedWords, .plain)
    case .left: return (row.leftWords(at: now.wall), .plain)
    case .machine: return (row.machine?.sanitizedForDisplay(limit: 100) ?? "", .plain)
    case .host: return (String(row.host), .quiet)
    }
  }

  /// The symbol and the words of the state, the longest form first; the last form is the state
  /// alone. ASCII has no symbols that say more than the words.
  private func stateForms(_ row: TransferSnapshot) -> [String] {
    let words = stateWords(row)
    let symbol = row.reason?.needsUser == true ? "⚑" : look.glyphs.symbol(row.state)
    switch look.charset {
    case .utf8, .console: return words.map { symbol + " " + $0 }
    case .ascii: return words
    }
  }

  /// The state with the reason in the dashboard's words for a row that does not move, or with the
  /// time of the end for one that is done.
  private func stateWords(_ row: TransferSnapshot) -> [String] {
    switch row.state {
    case .failed:
      return (row.error.map { [row.stateWords + ": " + Strings.shortFailure($0)] } ?? [])
        + [row.stateWords]
    case .queued, .scheduled, .waiting:
      guard case .words(let forms) = RowStatus(row, clock: clock, now: now.wall) else { break }
      // The dashboard's shortest form leaves out the state, which has a symbol there.
      return forms.dropLast() + [row.stateWords]
    case .completed:
      let time = row.finishedAt.map { " " + clock.short($0, now: now.wall) } ?? ""
      return [row.stateWords + time + row.proofWords, row.stateWords + time, row.stateWords]
    case .idle, .running, .paused, .verifying: break
    }
    return [row.stateWords]
  }

  private func bar(of row: TransferSnapshot) -> ProgressBar? {
    guard row.bytesExpected != nil, !row.state.isFinished,
      row.bytesReceived > 0 || row.state == .running
    else { return nil }
    return ProgressBar(row, at: now, isLive: true)
  }

  private func put(
    _ text: String, in column: ListColumns.Column, _ role: Role, on line: inout Canvas
  ) {
    guard let range = columns.ranges[column] else { return }
    switch column {
    case .id, .percent, .size, .speed, .left:
      line.writeRight(text, row: 0, column: range.lowerBound, width: range.count, role)
    case .file:
      line.write(
        text, row: 0, column: range.lowerBound, width: range.count, role, cut: .middle)
    case .state, .bar, .machine, .host:
      line.write(text, row: 0, column: range.lowerBound, width: range.count, role)
    }
  }

  // MARK: Widths

  private static let reasonMax = 30
  private static let hostMax = 32
  /// What rows after the first ones can need.
  private static let usual: [ListColumns.Column: Int] = [
    .id: 8, .percent: 4, .size: 12, .speed: 10, .left: 7,
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
