import KettleDashboard
import KettleModel

/// Shows the progress of the transfers of `get`: one redrawn line each on a terminal, or lines in a
/// pipe.
struct GetProgress {
  /// A terminal shows no more of them than this.
  static let lineCountMax = 10

  private let console: any Console
  private let clock: any CommandClock
  private let ids: [TransferID]
  /// nil where lines cannot be redrawn together.
  private let look: Look?
  private var printers: [TransferID: ProgressPrinter] = [:]
  private var rows: [TransferID: TransferSnapshot] = [:]
  private var endedCount = 0
  private var drawnAt: MonotonicTime?
  private var drawnLineCount = 0

  init(_ ids: [TransferID], in context: CommandContext) {
    console = context.console
    clock = context.clock
    self.ids = ids
    let isTerminal = console.isTerminal(.error)
    let canMoveCursor = !["", "dumb"].contains(context.environment["TERM"] ?? "")
    let look = context.look(of: .error)
    if ids.count > 1, isTerminal, canMoveCursor {
      self.look = look
    } else {
      self.look = nil
      let printer = ProgressPrinter(
        on: console, to: .error, clock: clock, look: isTerminal && ids.count == 1 ? look : nil)
      for id in ids { printers[id] = printer }
    }
  }

  mutating func show(_ row: TransferSnapshot, at now: Moment) throws(ConsoleError) {
    guard let look else {
      try printers[row.id]?.show(row, at: now)
      return
    }
    rows[row.id] = row
    if let drawnAt, now.monotonic.milliseconds(since: drawnAt) < ProgressPrinter.redrawMilliseconds
    {
      return
    }
    drawnAt = now.monotonic
    try draw(look, at: now.wall)
  }

  /// Makes room for other output, which follows in a line of its own. A transfer that has ended is
  /// not shown any more.
  mutating func makeRoom(ending ended: TransferID? = nil) throws(ConsoleError) {
    if look == nil {
      for id in ids where ended == nil || id == ended { try printers[id]?.finishLine() }
      return
    }
    if let ended {
      rows[ended] = nil
      endedCount += 1
    }
    guard drawnLineCount > 0 else { return }
    try console.write("\r\u{1B}[\(drawnLineCount)A\u{1B}[J", to: .error)
    drawnLineCount = 0
    drawnAt = nil
  }

  private mutating func draw(_ look: Look, at now: WallTime) throws(ConsoleError) {
    let unfinished = ids.compactMap { rows[$0] }.filter { !$0.state.isFinished }
    // Those that move come first.
    let shown =
      (unfinished.filter { $0.state == .running } + unfinished.filter { $0.state != .running })
      .prefix(Self.lineCountMax)
    let columns = max(1, (console.columnCount(of: .error) ?? 80) - 1)
    var lines = shown.map {
      ProgressLine(row: $0, now: now).drawn(
        columns: columns, look: look, clock: clock.text(at: now)
      )
      .line
    }
    let speed = unfinished.reduce(Int64(0)) { $0 &+ $1.bytesPerSecond }
    lines.append(
      ColumnText.clipped(
        Sentences.getting(ids.count, ended: endedCount, bytesPerSecond: speed),
        to: columns))
    let up = drawnLineCount > 0 ? "\r\u{1B}[\(drawnLineCount)A" : ""
    let text = lines.map { $0 + "\u{1B}[K\n" }.joined()
    try console.write(up + text + (lines.count < drawnLineCount ? "\u{1B}[J" : ""), to: .error)
    drawnLineCount = lines.count
  }
}
