import KettleModel

/// The columns of the table. If they do not all fit, the least important are left out first. Their
/// places depend on the width alone, so that nothing moves sideways when rows change.
package struct TableColumns: Hashable, Sendable {
  /// The column of the cursor; the symbol of the state is beside it.
  package static let cursorColumn = 0
  package static let symbolColumn = 1
  private static let fileStart = 3

  package private(set) var file = fileStart..<(fileStart + 1)
  private var ranges: [TableColumn: Range<Int>] = [:]
  /// The recent speeds of a row, within the column of the speed; empty without room.
  package private(set) var trend = 0..<0

  /// The sort keys of the columns, from left to right.
  package var keys: [RowSort.Key] {
    let others = TableColumn.allCases.filter { self[$0] != nil }.map(\.traits.key)
    return [.title, .progress] + others.filter { $0 != .progress }
  }

  /// Where a column is; nil if there is no room for it.
  package subscript(column: TableColumn) -> Range<Int>? { ranges[column] }

  /// The speed beside its recent values.
  var speed: Range<Int>? {
    self[.speed].map { trend.isEmpty ? $0 : (trend.upperBound + 1)..<$0.upperBound }
  }

  /// Words can use the columns from the bar on, or from the first number, as far as those of the
  /// time.
  package var words: Range<Int> {
    let first = [TableColumn.bar, .percent, .size, .speed].lazy.compactMap { self[$0] }.first
    let last = self[.ready] ?? self[.connections] ?? self[.speed]
    guard let first, let last else { return 0..<0 }
    return first.lowerBound..<max(first.lowerBound, last.upperBound)
  }

  /// - Parameters:
  ///   - hidden: what the user does not want to see.
  ///   - hasMachines: whether the rows have machines.
  package init(width: Int, hidden: Set<TableColumn> = [], hasMachines: Bool = false) {
    let choices = (hasMachines ? Self.choicesOfFleet : Self.choices).map { choice in
      Choice(
        columns: choice.columns.filter { !hidden.contains($0) }, hasTrend: choice.hasTrend,
        roomMin: choice.roomMin)
    }
    for choice in choices where arrange(choice, isLast: choice == choices.last, width: width) {
      break
    }
  }

  private struct Choice: Hashable {
    var columns: [TableColumn]
    /// Whether the recent speeds are beside the speed.
    var hasTrend = false
    /// The minimum width for the file's name and the bar together.
    var roomMin: Int

    /// With the blank after it.
    var trendWidth: Int { hasTrend ? TableColumns.trendWidth + 1 : 0 }
  }

  /// From the most columns to the fewest; the last choice always fits.
  private static let choices: [Choice] = [
    Choice(
      columns: [.bar, .percent, .size, .speed, .connections, .ready, .host, .session, .added],
      hasTrend: true, roomMin: 60),
    Choice(
      columns: [.bar, .percent, .size, .speed, .connections, .ready, .host, .added],
      hasTrend: true, roomMin: 54),
    Choice(
      columns: [.bar, .percent, .size, .speed, .connections, .ready, .host], hasTrend: true,
      roomMin: 54),
    Choice(
      columns: [.bar, .percent, .size, .speed, .ready, .host], hasTrend: true, roomMin: 40),
    Choice(columns: [.bar, .percent, .size, .speed, .ready], hasTrend: true, roomMin: 40),
    Choice(columns: [.bar, .percent, .size, .speed, .ready], roomMin: 30),
    Choice(columns: [.bar, .percent, .speed, .ready], roomMin: 26),
    Choice(columns: [.bar, .percent, .speed], roomMin: 22),
    Choice(columns: [.percent, .speed], roomMin: 10),
  ]

  /// The machines take the place of the sessions, and are shown wherever there is a bar.
  private static let choicesOfFleet = choices.map { choice in
    var choice = choice
    choice.columns.removeAll { $0 == .session }
    if let index = choice.columns.firstIndex(of: .ready) {
      choice.columns.insert(.machine, at: index + 1)
    }
    return choice
  }

  private static let trendWidth = 6
  /// Between the columns and the scrollbar.
  private static let scrollbarWidth = 2

  /// Returns false when the file's name or the bar would be too short to be useful.
  private mutating func arrange(_ choice: Choice, isLast: Bool, width: Int) -> Bool {
    let hasBar = choice.columns.contains(.bar)
    let widths = choice.columns.map { $0.traits.width + ($0 == .speed ? choice.trendWidth : 0) }
    let gaps = choice.columns.reduce(0) { $0 + $1.gap }
    let room = width - Self.fileStart - Self.scrollbarWidth - gaps - widths.reduce(0, +)
    guard isLast || room >= choice.roomMin else { return false }
    let barWidth = hasBar ? min(max(Self.barWidthMin, room * 9 / 20), Self.barWidthMax) : 0
    var next = Self.fileStart + max(1, room - barWidth)
    file = Self.fileStart..<next
    for (column, columnWidth) in zip(choice.columns, widths) {
      next += column.gap
      let end = next + (column == .bar ? barWidth : columnWidth)
      ranges[column] = next..<end
      if column == .speed, choice.hasTrend { trend = next..<(next + Self.trendWidth) }
      next = end
    }
    return true
  }

  private static let barWidthMin = 8
  private static let barWidthMax = 48
  /// Between a title and its subtitle.
  static let subtitleGap = 2
  /// A subtitle with less room than this is not shown in the table.
  static let subtitleWidthMin = 6
}

/// A column of the table beside that of the names.
package enum TableColumn: String, Hashable, Sendable, CaseIterable, Codable {
  case bar, percent, size, speed, connections, ready, machine, host, session, added

  /// The columns that can be hidden. The percentage stands in for the bar, and in place of the
  /// speed the table says why a transfer does not move.
  static let canBeHidden: [TableColumn] = [
    .bar, .size, .connections, .ready, .host, .session, .added,
  ]
}

/// The traits and the text of each column. A new column needs a case in both, and a place in
/// `TableColumns.choices`.
extension TableColumn {
  struct Traits {
    /// Above the column.
    let heading: String
    /// In the menu, where it is not the heading.
    var name: String?
    /// A click on the heading sorts by it.
    let key: RowSort.Key
    let width: Int
    /// Whether texts are aligned to the left edge of the column.
    var isLeading = false
    var isQuiet = false
  }

  var traits: Traits {
    switch self {
    // The bar shares its width with the file's name.
    case .bar:
      Traits(heading: "Progress", key: .progress, width: 0, isLeading: true)
    case .percent: Traits(heading: "%", name: "Percentage", key: .progress, width: 5)
    case .size: Traits(heading: Strings.columnSize, key: .size, width: 11)
    case .speed: Traits(heading: Strings.columnSpeed, key: .speed, width: 10)
    case .connections:
      Traits(
        heading: Strings.columnConnections, name: "Connections", key: .connections, width: 5)
    case .ready: Traits(heading: "Left", key: .secondsLeft, width: 7)
    case .host:
      Traits(heading: Strings.columnHost, key: .host, width: 17, isLeading: true, isQuiet: true)
    case .session:
      Traits(
        heading: Strings.columnSession, key: .session, width: 12, isLeading: true, isQuiet: true)
    case .machine:
      Traits(heading: Strings.labelMachine, key: .machine, width: 10, isLeading: true)
    case .added: Traits(heading: "Added", key: .createdAt, width: 10, isQuiet: true)
    }
  }

  /// The blanks before it.
  var gap: Int {
    switch self {
    case .bar, .machine, .host, .session, .added: 2
    case .percent, .size, .speed, .connections, .ready: 1
    }
  }

  /// The text of a row; nil for none, and where `TransferRow` draws more than a text.
  func text(of row: TransferSnapshot, _ context: ScreenContext) -> String? {
    switch self {
    case .session: row.session.rawValue
    case .machine: row.machine
    case .added: context.clock.short(row.createdAt, now: context.now.wall)
    case .bar, .percent, .size, .speed, .connections, .ready, .host: nil
    }
  }
}

/// Names of columns that other lists have too.
extension Strings {
  static let columnFile = "File"
  static let columnSize = "Size"
  static let columnSpeed = "Speed"
  static let columnConnections = "Conns"
  static let columnHost = "Host"
  static let columnSession = "Session"
  static let columnFinished = "Finished"
  static let columnDay = "Day"
  static let today = "today"
  static let yesterday = "yesterday"
}

/// The line with the column names. It shows the sort column, and a click on a name sorts by it.
struct ColumnNames {
  let row: Int
  let sort: RowSort

  func draw(_ columns: TableColumns, on canvas: inout Canvas) {
    fill(on: &canvas)
    let sign = TableColumns.symbolColumn
    draw("", key: .state, in: sign..<(sign + 1), side: .leading, on: &canvas)
    draw(Strings.columnFile, key: .title, in: columns.file, side: .leading, on: &canvas)
    for column in TableColumn.allCases {
      // Beside a bar the percentage needs no name.
      if column == .percent, columns[.bar] != nil { continue }
      let traits = column.traits
      draw(
        traits.heading, key: traits.key, in: columns[column],
        side: traits.isLeading ? .leading : .trailing, on: &canvas)
    }
  }

  func draw(_ columns: HistoryColumns, on canvas: inout Canvas) {
    fill(on: &canvas)
    if let day = columns.day {
      canvas.write(
        Strings.columnDay, row: row, column: day.lowerBound, width: day.count, .columnHeader)
    }
    draw(Strings.columnFile, key: .title, in: columns.file, side: .leading, on: &canvas)
    draw(Strings.columnSize, key: .size, in: columns.size, side: .trailingInside, on: &canvas)
    draw(Strings.columnHost, key: .host, in: columns.host, side: .leading, on: &canvas)
    draw(
      Strings.columnFinished, key: .finishedAt, in: columns.finished, side: .trailingInside,
      on: &canvas)
  }

  private enum Side {
    case leading
    /// If a name fills its column, its arrow uses the gap before it.
    case trailing
    /// The arrow follows the name.
    case trailingInside
  }

  private func fill(on canvas: inout Canvas) {
    canvas.fill(row: row, column: 0, width: canvas.size.columns, .columnHeader)
  }

  private func draw(
    _ name: String, key: RowSort.Key, in columns: Range<Int>?, side: Side, on canvas: inout Canvas
  ) {
    guard let columns else { return }
    let arrow = sort.key == key ? canvas.look.glyphs.arrow(of: sort) : ""
    let named = name.isEmpty || arrow.isEmpty ? name + arrow : name + " " + arrow
    canvas.claim(row: row, columns: columns, for: .column(key))
    switch side {
    case .leading:
      canvas.write(named, row: row, column: columns.lowerBound, width: columns.count, .columnHeader)
    case .trailing:
      let text = arrow.isEmpty ? name : arrow + name
      let start = columns.lowerBound - 1
      canvas.writeRight(text, row: row, column: start, width: columns.count + 1, .columnHeader)
    case .trailingInside:
      canvas.writeRight(
        named, row: row, column: columns.lowerBound, width: columns.count, .columnHeader)
    }
  }
}

extension GlyphSet {
  /// Down means that the largest comes first.
  package func arrow(of sort: RowSort) -> String { sort.isDescending ? arrowDown : arrowUp }
}
