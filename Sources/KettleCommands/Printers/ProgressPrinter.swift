import KettleDashboard
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
  private let clock: any CommandClock
  /// nil in a pipe, where nothing is redrawn.
  private let look: Look?
  private var isRedrawn: Bool { look != nil }
  private var standing: (text: String, since: MonotonicTime)?
  /// The standing of the latest line.
  private var shownStanding: String?
  private var shownAt: MonotonicTime?
  /// The width of the line on the terminal in columns; 0 when there is none.
  private var drawnColumns = 0

  /// `look`: how to draw one redrawn line, which must have the terminal to itself.
  init(
    on console: any Console, to stream: ConsoleStream, clock: any CommandClock, look: Look? = nil
  ) {
    self.console = console
    self.stream = stream
    self.clock = clock
    self.look = look
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
    if let look {
      try draw(line, look)
    } else {
      try console.write(line.text + "\n", to: stream)
    }
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

  private mutating func draw(_ line: ProgressLine, _ look: Look) throws(ConsoleError) {
    // Keep the last column free: a terminal wraps when it is filled.
    let columns = max(1, (console.columnCount(of: stream) ?? 80) - 1)
    let drawn = line.drawn(columns: columns, look: look, clock: clock.text(at: line.now))
    let rest = max(0, min(drawnColumns, columns) - drawn.lineColumns)
    try console.write("\r" + drawn.line + String(repeating: " ", count: rest), to: stream)
    drawnColumns = max(1, drawn.lineColumns)
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
