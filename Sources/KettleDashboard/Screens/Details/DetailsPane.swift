import KettleModel

/// The details of the transfer under the cursor, below the list. The keys stay those of the list.
package struct DetailsPane: Hashable, Sendable {
  /// The section that is shown.
  package private(set) var section: DetailsSection
  /// The transfer whose details were requested last.
  private var id: TransferID?
  private var requestedAt = MonotonicTime(milliseconds: 0)
  private var details: TransferDetails?

  static let intervalMilliseconds: Int64 = 1000

  package init(section: DetailsSection = .overview) { self.section = section }

  mutating func showNextSection(_ step: Int) { section = section.next(step) }

  /// Follows the cursor. Returns the request for the details of another transfer, and for newer
  /// ones once a second.
  mutating func follow(_ row: TransferSnapshot?, _ context: ScreenContext) -> [ScreenRequest] {
    guard let row else {
      (id, details) = (nil, nil)
      return []
    }
    if details?.snapshot.id == row.id { details?.snapshot = row }
    let age = context.now.monotonic.milliseconds(since: requestedAt)
    guard context.isConnected, row.id != id || age >= Self.intervalMilliseconds else { return [] }
    id = row.id
    requestedAt = context.now.monotonic
    return [.service(.loadDetails(row.id))]
  }

  mutating func receive(_ arrived: TransferDetails) {
    if arrived.snapshot.id == id { details = arrived }
  }

  /// Draws a line with the id, the name and the section, and as much of its text as fits.
  func draw(on canvas: inout Canvas, rows: Range<Int>, _ context: ScreenContext) {
    guard let first = rows.first else { return }
    let size = canvas.size
    canvas.fill(row: first, column: 0, width: size.columns, .columnHeader)
    guard let details, details.snapshot.id == id else {
      let text = id == nil ? Strings.noRowForPane : Strings.loading
      canvas.write(text, row: first, column: 1, width: size.columns - 2, .columnHeader)
      return
    }
    drawTitle(of: details.snapshot, on: &canvas, row: first, context)
    let height = rows.count - 1
    let layout = ReaderLayout(
      size: ScreenSize(columns: size.columns, rows: height + 3), hasTabs: true)
    var text = ReaderText(width: layout.textWidth)
    DetailsText(details: details, layout: layout, context: context).add(section, to: &text)
    for (offset, line) in shownLines(text.lines, height: height).enumerated() {
      line.draw(on: &canvas, row: first + 1 + offset, column: 1, width: layout.textWidth)
    }
  }

  /// The title line has the name already. The latest events are the interesting ones.
  private func shownLines(_ lines: [ReaderLine], height: Int) -> ArraySlice<ReaderLine> {
    switch section {
    case .overview: lines.dropFirst().prefix(height)
    case .events: lines.suffix(height)
    case .parts, .addresses, .headers, .speed: lines.prefix(height)
    }
  }

  private func drawTitle(
    of row: TransferSnapshot, on canvas: inout Canvas, row screenRow: Int, _ context: ScreenContext
  ) {
    let columns = canvas.size.columns
    let right = Strings.paneSection(section)
    let room = max(1, columns - 4 - right.count)
    let title = "\(context.ownID(of: row))  " + row.shownTitle
    canvas.write(title, row: screenRow, column: 1, width: room, .columnHeader, cut: .middle)
    canvas.writeRight(
      right, row: screenRow, column: 1 + room, width: max(0, columns - 2 - room), .columnHeader)
  }
}
