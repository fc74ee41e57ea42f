import KettleModel

/// The days of the history, in the order in which its rows were finished.
struct HistoryDays {
  private let rows: [TransferSnapshot]
  /// The index in the list of the first of `rows`.
  private let firstRow: Int
  private let matchingCount: Int
  /// Whether the rows of a day are together.
  let isByDay: Bool
  private let context: ScreenContext

  init(of window: ListWindow, _ view: ListView, _ context: ScreenContext) {
    rows = window.rows
    firstRow = window.firstRow
    matchingCount = window.matchingCount
    isByDay = view.sort.key == .finishedAt && !view.sort.isGrouped
    self.context = context
  }

  /// Returns the name of the day in its first visible row, and its total in the second row of the
  /// day. The total is missing if the service has not sent all rows of the day.
  func text(at index: Int, firstVisible: Int) -> (text: String, isTotal: Bool)? {
    let place = index - firstRow
    guard isByDay, rows.indices.contains(place), let finishedAt = rows[place].finishedAt else {
      return nil
    }
    if index == firstVisible || !isSameDay(place, place - 1) {
      return (context.clock.day(finishedAt, now: context.now.wall), false)
    }
    let isSecond = index - 1 == firstVisible || !isSameDay(place - 1, place - 2)
    guard isSecond, let total = total(at: place) else { return nil }
    return (total, true)
  }

  private func isSameDay(_ place: Int, _ other: Int) -> Bool {
    guard rows.indices.contains(place), rows.indices.contains(other),
      let one = rows[place].finishedAt, let two = rows[other].finishedAt
    else { return false }
    return context.clock.isSameDay(one, two)
  }

  private func total(at place: Int) -> String? {
    var (first, last) = (place, place)
    while isSameDay(place, first - 1) { first -= 1 }
    while isSameDay(place, last + 1) { last += 1 }
    let hasStart = first > 0 || firstRow == 0
    let hasEnd = last < rows.count - 1 || firstRow + rows.count == matchingCount
    guard hasStart, hasEnd else { return nil }
    let bytes = rows[first...last].reduce(Int64(0)) { sum, row in
      let (next, isTooLarge) = sum.addingReportingOverflow(row.bytesExpected ?? row.bytesReceived)
      return isTooLarge ? .max : next
    }
    return Strings.files(last - first + 1) + ", " + ByteText.size(bytes)
  }
}

/// A row of the history: the day, file, size, host and time.
struct HistoryRow {
  let row: TransferSnapshot
  let columns: HistoryColumns
  /// Whether the column of the days is in use.
  let isByDay: Bool
  /// What the column of the days has in this row.
  let day: (text: String, isTotal: Bool)?

  func draw(on canvas: inout Canvas, screenRow: Int, _ context: ScreenContext) {
    let plain: Role = context.isConnected ? .plain : .quiet
    canvas.write(
      canvas.look.glyphs.symbol(of: row), row: screenRow, column: TableColumns.symbolColumn,
      width: 1, context.isConnected ? row.stateRole : .quiet)
    if let range = columns.day, let day {
      canvas.write(
        day.text, row: screenRow, column: range.lowerBound, width: range.count,
        day.isTotal ? .quiet : .heading)
    }
    canvas.write(
      row.shownTitle, row: screenRow, column: columns.file.lowerBound, width: columns.file.count,
      plain, cut: .middle)
    if let range = columns.size {
      canvas.writeRight(
        row.sizeText, row: screenRow, column: range.lowerBound, width: range.count, plain)
    }
    if let range = columns.host {
      canvas.write(
        String(row.host), row: screenRow, column: range.lowerBound, width: range.count, plain)
    }
    if let finishedAt = row.finishedAt {
      canvas.writeRight(
        time(finishedAt, context), row: screenRow, column: columns.finished.lowerBound,
        width: columns.finished.count, plain)
    }
  }

  /// The day is in its column only if the rows are in the order of the days.
  private func time(_ finishedAt: WallTime, _ context: ScreenContext) -> String {
    if columns.day != nil, isByDay { return context.clock.timeOfDay(finishedAt) }
    let full = context.clock.long(finishedAt, now: context.now.wall)
    let fits = full.utf8.count <= columns.finished.count
    return fits ? full : context.clock.short(finishedAt, now: context.now.wall)
  }
}

/// The columns of the history.
package struct HistoryColumns: Hashable, Sendable {
  /// The day, and what was downloaded on it; nil where there is no room.
  package private(set) var day: Range<Int>?
  package private(set) var file = 3..<4
  package private(set) var size: Range<Int>?
  package private(set) var host: Range<Int>?
  package private(set) var finished = 0..<0

  /// Fits the day, and the time of day where there is room.
  private static let finishedWidth = 12
  /// Fits the name of the column with an arrow.
  private static let timeWidth = 10
  /// Fits `120 files, 900 MiB`.
  private static let dayWidth = 18

  package init(width: Int) {
    let hasDays = width >= 72
    // The last columns are for the scrollbar.
    let room = max(1, width - 5)
    var right = 3 + room
    func column(_ width: Int) -> Range<Int> {
      defer { right -= width + 2 }
      return max(3, right - width)..<right
    }
    finished = column(hasDays ? Self.timeWidth : Self.finishedWidth)
    if room >= 60 { host = column(min(32, room / 4)) }
    if room >= 34 { size = column(9) }
    let left = hasDays ? 3 + Self.dayWidth + 2 : 3
    if hasDays { day = 3..<(3 + Self.dayWidth) }
    file = left..<max(left + 1, right)
  }

  package var keys: [RowSort.Key] {
    var keys: [RowSort.Key] = [.title]
    if size != nil { keys.append(.size) }
    if host != nil { keys.append(.host) }
    keys.append(.finishedAt)
    return keys
  }
}
