import KettleModel

/// The columns of the table. If they do not all fit, the least important are left out first.
package struct TableColumns: Hashable, Sendable {
  /// The column of the cursor's mark; the symbol of the state is beside it.
  package static let markColumn = 0
  package static let symbolColumn = 1
  private static let fileStart = 4

  package private(set) var file = fileStart..<(fileStart + 1)
  private var ranges: [TableColumn: Range<Int>] = [:]

  /// Words in place of numbers can use all columns from the speed to the last status column.
  package private(set) var words = 0..<0

  /// The room of words beside a time in the column `ready`.
  package var wordsBeforeReady: Range<Int> {
    guard let speed = self[.speed] else { return 0..<0 }
    let last = self[.connections] ?? speed
    return speed.lowerBound..<last.upperBound
  }

  /// The sort keys of the columns, from left to right.
  package var keys: [RowSort.Key] {
    let others = TableColumn.allCases.filter { self[$0] != nil }.map(\.traits.key)
    return [.title, .progress] + others.filter { $0 != .progress }
  }

  /// Where a column is; nil if there is no room for it.
  package subscript(column: TableColumn) -> Range<Int>? { ranges[column] }

  /// Chooses the columns by the width alone, so that they stay when rows change. What the texts in
  /// them do not need goes to the names.
  ///
  /// - Parameter hidden: what the user does not want to see.
  package init(
    width: Int, needs: ColumnNeeds = ColumnNeeds(), hidden: Set<TableColumn> = [],
    hasScrollbar: Bool = false
  ) {
    let choices = Self.choices.map { $0.filter { !hidden.contains($0) } }
    for choice in choices
    where arrange(choice, isLast: choice == choices.last, width: width, needs) { break }
    if hasScrollbar { words = words.clamped(to: 0..<(width - 1)) }
  }

  /// From the most columns to the fewest; the last choice always fits.
  private static let choices: [[TableColumn]] = [
    [.bar, .percent, .size, .speed, .connections, .ready, .host, .session, .added],
    [.bar, .percent, .size, .speed, .connections, .ready, .host, .added],
    [.bar, .percent, .size, .speed, .connections, .ready, .host],
    [.bar, .percent, .size, .speed, .connections, .ready],
    [.bar, .percent, .size, .speed, .ready],
    [.bar, .percent, .speed, .ready],
    [.bar, .percent, .speed],
    [.percent, .speed],
  ]

  /// Returns false when the file's name or the bar would be too short to be useful.
  private mutating func arrange(
    _ choice: [TableColumn], isLast: Bool, width: Int, _ needs: ColumnNeeds
  ) -> Bool {
    let hasBar = choice.contains(.bar)
    let widths = choice.map { Self.width(of: $0, in: choice) }
    let gaps = choice.reduce(0) { $0 + Self.gap(before: $1, hasBar: hasBar) }
    // The last column is for the scrollbar.
    let room = width - Self.fileStart - gaps - 1
    let standardRoom = room - widths.reduce(0, +)
    guard isLast || standardRoom >= Self.roomMin(choice) else { return false }
    let needed = zip(choice, widths).map { min($0.1, needs.width(of: $0.0) ?? .max) }
    let sharedRoom = room - needed.reduce(0, +)
    var barWidth = hasBar ? min(max(10, standardRoom / 3), 32) : 0
    if hasBar { barWidth = max(Self.barWidthMin, min(barWidth, sharedRoom - needs.name)) }
    var next = Self.fileStart + max(1, sharedRoom - barWidth)
    file = Self.fileStart..<next
    for (column, columnWidth) in zip(choice, needed) {
      next += Self.gap(before: column, hasBar: hasBar)
      let end = next + (column == .bar ? barWidth : columnWidth)
      ranges[column] = next..<end
      next = end
    }
    if let speed = self[.speed] {
      let end = (self[.ready] ?? speed).upperBound
      words = speed.lowerBound..<(end == next ? max(width, next) : end)
    }
    return true
  }

  private static let barWidthMin = 8
  /// Between a title and its subtitle.
  static let subtitleGap = 2
  /// A subtitle with less room than this is not shown in the table.
  static let subtitleWidthMin = 6
  /// A longer subtitle does not make the column of the names wider.
  fileprivate static let subtitleWidthMax = 24

  /// The minimum width for the file's name and the bar together.
  private static func roomMin(_ choice: [TableColumn]) -> Int {
    if choice.contains(.host) { return 38 }
    return choice.contains(.bar) ? 26 : 16
  }

  private static func gap(before column: TableColumn, hasBar: Bool) -> Int {
    // A column beside a bar needs only one blank.
    column == .percent && hasBar ? 1 : 2
  }

  private static func width(of column: TableColumn, in choice: [TableColumn]) -> Int {
    let width = column.traits.width
    if column != .speed { return width }
    return width + (choice.contains(.connections) ? 2 : choice.contains(.ready) ? 1 : 0)
  }
}

/// A column of the table beside that of the names.
package enum TableColumn: String, Hashable, Sendable, CaseIterable, Codable {
  case bar, percent, size, speed, connections, ready, host, session, added

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
    case .size: Traits(heading: Strings.columnSize, key: .size, width: 12)
    case .speed: Traits(heading: Strings.columnSpeed, key: .speed, width: 11)
    case .connections:
      Traits(
        heading: Strings.columnConnections, name: "Connections", key: .connections, width: 5)
    case .ready: Traits(heading: "Ready", key: .secondsLeft, width: 7)
    case .host:
      Traits(heading: Strings.columnHost, key: .host, width: 20, isLeading: true, isQuiet: true)
    case .session:
      Traits(
        heading: Strings.columnSession, key: .session, width: 12, isLeading: true, isQuiet: true)
    case .added: Traits(heading: "Added", key: .createdAt, width: 10, isQuiet: true)
    }
  }

  /// The text of a row; nil for none, and where `TransferRow` draws more than a text.
  func text(of row: TransferSnapshot, _ context: ScreenContext) -> String? {
    switch self {
    case .percent: row.percentText
    case .size: row.sizeText
    case .host: String(row.host)
    case .session: row.session.rawValue
    case .added: context.clock.short(row.createdAt, now: context.now.wall)
    case .bar, .speed, .connections, .ready: nil
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

/// The widths that the texts of some rows need.
package struct ColumnNeeds: Hashable, Sendable {
  private(set) var name = 0
  private var widths: [TableColumn: Int] = [:]

  /// No column is narrower than without rows.
  package init() {}

  package init(_ rows: [TransferSnapshot], _ charset: Charset) {
    guard !rows.isEmpty else { return }
    func width(of text: String, max columnsMax: Int = 200) -> Int {
      ShownText(text, charset: charset, columnsMax: columnsMax).columns
    }
    func widest(_ text: (TransferSnapshot) -> String) -> Int {
      rows.reduce(0) { max($0, width(of: text($1))) }
    }
    let widestName = rows.reduce(0) { widest, row in
      let subtitleWidth =
        row.shownSubtitle.map {
          TableColumns.subtitleGap + width(of: $0, max: TableColumns.subtitleWidthMax)
        } ?? 0
      return max(widest, width(of: row.shownTitle) + subtitleWidth)
    }
    // Steps of four, so that the columns do not move with every row that appears.
    name = (widestName + 3) / 4 * 4
    widths[.size] = max(Strings.columnSize.count + 1, widest(\.longestSizeText))
    widths[.host] = max(Strings.columnHost.count + 2, widest { String($0.host) })
    widths[.session] = max(Strings.columnSession.count + 2, widest(\.session.rawValue))
  }

  /// nil for a column that has its width whatever the texts.
  func width(of column: TableColumn) -> Int? { widths[column] }
}

extension TransferSnapshot {
  /// The size column at its widest: it does not grow while bytes arrive.
  fileprivate var longestSizeText: String {
    guard !isWhole, let bytesExpected else { return sizeText }
    return ByteText.progress(bytesExpected, of: bytesExpected)
  }
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
