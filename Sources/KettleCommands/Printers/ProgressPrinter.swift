import KettleModel

/// Shows the progress of one transfer: one redrawn line on a terminal; in a pipe, a line per change
/// and a few in between.
///
/// A transfer passes through some states within milliseconds. They are shown only if they last.
struct ProgressPrinter {
  /// 10 Hz: faster than anyone reads, and each line costs the terminal a redraw.
  static let redrawMilliseconds: Int64 = 100
  static let plainMilliseconds: Int64 = 5000
  /// A state that ends sooner is not shown.
  static let briefMilliseconds: Int64 = 1000

  private let console: any Console
  private let stream: ConsoleStream
  private let isRedrawn: Bool
  private var standing: (text: String, since: MonotonicTime)?
  /// The standing of the latest line.
  private var shownStanding: String?
  private var shownAt: MonotonicTime?
  /// The width of the line on the terminal in columns; 0 when there is none.
  private var drawnColumns = 0

  /// `isRedrawn`: one redrawn line, which must have the terminal to itself.
  init(on console: any Console, to stream: ConsoleStream, isRedrawn: Bool) {
    self.console = console
    self.stream = stream
    self.isRedrawn = isRedrawn
  }

  mutating func show(_ row: TransferSnapshot, at now: Moment) throws(ConsoleError) {
    let text = row.standingText
    if standing?.text != text { standing = (text, now.monotonic) }
    if mayBeBrief(row.state), age(at: now.monotonic) < Self.briefMilliseconds { return }
    guard text != shownStanding || isDue(row, now.monotonic) else { return }
    // Of a transfer that was complete at once, the result says enough.
    if !isRedrawn, shownAt == nil, row.state == .completed { return }
    shownStanding = text
    shownAt = now.monotonic
    let line = ProgressLine(row: row, now: now.wall)
    if isRedrawn { try draw(line) } else { try console.write(line.text + "\n", to: stream) }
  }

  /// Ends the redrawn line so that other output can follow below it.
  mutating func finishLine() throws(ConsoleError) {
    guard drawnColumns > 0 else { return }
    drawnColumns = 0
    try console.write("\n", to: stream)
  }

  /// Whether a transfer often leaves this state at once. A redrawn bar is no line too many.
  private func mayBeBrief(_ state: TransferState) -> Bool {
    switch state {
    case .queued, .verifying: true
    case .running: !isRedrawn
    case .idle, .scheduled, .waiting, .paused, .completed, .failed: false
    }
  }

  private func age(at now: MonotonicTime) -> Int64 {
    standing.map { now.milliseconds(since: $0.since) } ?? 0
  }

  /// Whether an unchanged standing is shown again: a countdown on a terminal, and progress.
  private func isDue(_ row: TransferSnapshot, _ now: MonotonicTime) -> Bool {
    guard let shownAt else { return true }
    let passed = now.milliseconds(since: shownAt)
    if isRedrawn { return passed >= Self.redrawMilliseconds }
    return row.state == .running && passed >= Self.plainMilliseconds
  }

  private mutating func draw(_ line: ProgressLine) throws(ConsoleError) {
    // Keep the last column free: a terminal wraps when it is filled.
    let columns = max(1, (console.columnCount(of: stream) ?? 80) - 1)
    let clipped = ColumnText.clipped(line.text(columns: columns), to: columns)
    try console.write("\r" + ColumnText.left(clipped, min(drawnColumns, columns)), to: stream)
    drawnColumns = max(1, ColumnText.width(of: clipped))
  }
}

extension TransferSnapshot {
  /// A text that changes when a new line is due in a pipe: not with progress, but with each attempt
  /// and each reason.
  fileprivate var standingText: String {
    let time = (heldBack?.until ?? goesOnAt).map { state == .waiting ? $0.iso8601 : "" } ?? ""
    return [stateWords, state == .running ? "" : heldBack?.cause.rawValue ?? "", time]
      .joined(separator: " ")
  }
}
