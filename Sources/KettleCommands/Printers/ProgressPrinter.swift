import KettleModel

/// Shows the progress of one transfer: one redrawn line on a terminal; in a pipe, one line per
/// change of state and a few in between.
struct ProgressPrinter {
  /// 10 Hz: faster than anyone reads, and each line costs the terminal a redraw.
  static let redrawMilliseconds: Int64 = 100
  static let plainMilliseconds: Int64 = 5000

  private let console: any Console
  private let isRedrawn: Bool
  private var lastState: String?
  private var lastShownAt: MonotonicTime?
  /// The width of the line on the terminal in columns; 0 when there is none.
  private var drawnColumns = 0

  /// `isRedrawn`: one redrawn line, which must have the terminal to itself.
  init(on console: any Console, isRedrawn: Bool) {
    self.console = console
    self.isRedrawn = isRedrawn
  }

  mutating func show(_ row: TransferSnapshot, at now: MonotonicTime) throws(ConsoleError) {
    let isNewState = row.stateWords != lastState
    let interval = isRedrawn ? Self.redrawMilliseconds : Self.plainMilliseconds
    guard isNewState || isDue(now, interval) else { return }
    lastState = row.stateWords
    lastShownAt = now
    let line = Self.line(row)
    if isRedrawn { try draw(line) } else { try console.printLine(line) }
  }

  /// Ends the redrawn line so that other output can follow below it.
  mutating func finishLine() throws(ConsoleError) {
    guard drawnColumns > 0 else { return }
    drawnColumns = 0
    try console.write("\n", to: .output)
  }

  private func isDue(_ now: MonotonicTime, _ interval: Int64) -> Bool {
    guard let lastShownAt else { return true }
    return now.milliseconds(since: lastShownAt) >= interval
  }

  private mutating func draw(_ line: String) throws(ConsoleError) {
    // Keep the last column free: a terminal wraps when it is filled.
    let columns = max(1, (console.columnCount(of: .output) ?? 80) - 1)
    let clipped = ColumnText.clipped(line, to: columns)
    try console.write("\r" + ColumnText.left(clipped, min(drawnColumns, columns)), to: .output)
    drawnColumns = max(1, ColumnText.width(of: clipped))
  }

  private static func line(_ row: TransferSnapshot) -> String {
    let progress = row.progressWords
    return "\(row.id)  \(row.shownTitle): \(row.stateWords)"
      + (progress.isEmpty ? "" : ", " + progress)
  }
}
