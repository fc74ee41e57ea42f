import KettleModel

/// Shows how one transfer goes: on a terminal one line that is drawn over itself, in a pipe a line
/// at each change of state and now and then between.
struct ProgressPrinter {
  /// 10 Hz: faster than anyone reads, and each line costs the terminal a redraw.
  static let redrawMilliseconds: Int64 = 100
  static let plainMilliseconds: Int64 = 5000

  private let console: any Console
  private let isRedrawn: Bool
  private var lastState: String?
  private var lastShownAt: MonotonicTime?
  /// How many columns the line on the terminal takes; 0 when there is none.
  private var drawnColumns = 0

  /// `isRedrawn`: one line, drawn over itself; it must have the terminal for itself.
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
    if isRedrawn { try draw(line) } else { try console.say(line) }
  }

  /// Ends the line that is drawn over itself, so that words can stand below it.
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
    // The last column stays free: a terminal wraps when it is filled.
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
