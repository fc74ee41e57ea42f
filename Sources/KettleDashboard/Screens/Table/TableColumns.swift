import KettleModel

/// The columns of the table. If they do not all fit, the least important are left out first.
package struct TableColumns: Hashable, Sendable {
  /// The column of the cursor's mark; the symbol of the state is beside it.
  package static let markColumn = 0
  package static let symbolColumn = 1
  private static let fileStart = 4

  package private(set) var file = fileStart..<(fileStart + 1)
  package private(set) var bar: Range<Int>?
  package private(set) var percent: Range<Int>?
  package private(set) var size: Range<Int>?
  package private(set) var speed: Range<Int>?
  package private(set) var connections: Range<Int>?
  /// When the transfer will be ready, or was.
  package private(set) var ready: Range<Int>?
  package private(set) var host: Range<Int>?
  package private(set) var session: Range<Int>?
  package private(set) var added: Range<Int>?

  /// Words in place of numbers can use all columns from the speed to the last status column.
  package private(set) var words = 0..<0

  /// The room of words beside a time in the column `ready`.
  package var wordsBeforeReady: Range<Int> {
    guard let speed, let last = connections ?? self.speed else { return 0..<0 }
    return speed.lowerBound..<last.upperBound
  }

  /// The sort keys of the columns, from left to right.
  package var keys: [RowSort.Key] {
    let optional: [(Range<Int>?, RowSort.Key)] = [
      (size, .size), (speed, .speed), (connections, .connections), (ready, .secondsLeft),
      (host, .host), (session, .session), (added, .createdAt),
    ]
    return [.title, .progress] + optional.compactMap { $0.0 == nil ? nil : $0.1 }
  }

  fileprivate typealias Column = TableColumn

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
  private static let choices: [[Column]] = [
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
    _ choice: [Column], isLast: Bool, width: Int, _ needs: ColumnNeeds
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
      set(column, to: next..<end)
      next = end
    }
    let lastOfWords = ready ?? speed
    let isAtEnd = lastOfWords?.upperBound == next
    if let speed, let lastOfWords {
      words = speed.lowerBound..<(isAtEnd ? max(width, next) : lastOfWords.upperBound)
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
  private static func roomMin(_ choice: [Column]) -> Int {
    if choice.contains(.host) { return 38 }
    return choice.contains(.bar) ? 26 : 16
  }

  private static func gap(before column: Column, hasBar: Bool) -> Int {
    switch column {
    // A column beside a bar needs only one blank.
    case .percent: hasBar ? 1 : 2
    case .bar, .size, .speed, .connections, .ready, .host, .session, .added: 2
    }
  }

  /// The bar shares its width with the file's name.
  private static func width(of column: Column, in choice: [Column]) -> Int {
    switch column {
    case .bar: 0
    case .percent: 5
    case .size: 12
    case .speed: choice.contains(.connections) ? 13 : choice.contains(.ready) ? 12 : 11
    case .connections: 5
    case .ready: 7
    case .host: 20
    case .session: 12
    case .added: 10
    }
  }

  private mutating func set(_ column: Column, to range: Range<Int>) {
    switch column {
    case .bar: bar = range
    case .percent: percent = range
    case .size: size = range
    case .speed: speed = range
    case .connections: connections = range
    case .ready: ready = range
    case .host: host = range
    case .session: session = range
    case .added: added = range
    }
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

/// The widths that the texts of some rows need.
package struct ColumnNeeds: Hashable, Sendable {
  private(set) var name = 0
  private var size: Int?
  private(set) var host: Int?
  private var session: Int?

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
    size = max(Strings.columnSize.count + 1, widest(\.longestSizeText))
    host = max(Strings.columnHost.count + 2, widest { String($0.host) })
    session = max(Strings.columnSession.count + 2, widest(\.session.rawValue))
  }

  fileprivate func width(of column: TableColumns.Column) -> Int? {
    switch column {
    case .size: size
    case .host: host
    case .session: session
    case .bar, .percent, .speed, .connections, .ready, .added: nil
    }
  }
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
    draw(Strings.columnProgress, key: .progress, in: columns.bar, side: .leading, on: &canvas)
    // Beside a bar the percentage needs no name.
    if columns.bar == nil { draw("%", key: .progress, in: columns.percent, on: &canvas) }
    draw(Strings.columnSize, key: .size, in: columns.size, on: &canvas)
    draw(Strings.columnSpeed, key: .speed, in: columns.speed, on: &canvas)
    draw(Strings.columnConnections, key: .connections, in: columns.connections, on: &canvas)
    draw(Strings.columnReady, key: .secondsLeft, in: columns.ready, on: &canvas)
    draw(Strings.columnHost, key: .host, in: columns.host, side: .leading, on: &canvas)
    draw(Strings.columnSession, key: .session, in: columns.session, side: .leading, on: &canvas)
    draw(Strings.columnAdded, key: .createdAt, in: columns.added, on: &canvas)
  }

  func draw(_ columns: HistoryColumns, on canvas: inout Canvas) {
    fill(on: &canvas)
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
    _ name: String, key: RowSort.Key, in columns: Range<Int>?, side: Side = .trailing,
    on canvas: inout Canvas
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
