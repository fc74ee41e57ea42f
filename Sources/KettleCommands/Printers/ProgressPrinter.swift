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
  private var arrival = WatchedArrival.pending
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
    arrival.note(row, at: now.monotonic)
    let text = row.standingText
    if standing?.text != text { standing = (text, now.monotonic) }
    if mayBeBrief(row.state), age(at: now.monotonic) < Self.briefMilliseconds { return }
    guard text != shownStanding || isDue(row, now.monotonic) else { return }
    // Of a transfer that was complete at once, the result says enough.
    if !isRedrawn, shownAt == nil, row.state == .completed { return }
    shownStanding = text
    shownAt = now.monotonic
    let line = ProgressLine(
      row: row, now: now.wall, arrived: arrival.bytes(of: row, at: now.monotonic))
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

/// A canvas of one row, printed as a line of text.
extension Canvas {
  init(lineColumns: Int, look: Look) {
    self.init(size: ScreenSize(columns: lineColumns, rows: 1), look: look)
  }

  /// The number of columns without the blanks at the end.
  var lineColumns: Int {
    frame.row(0).lastIndex { $0 != .blank }.map { $0 + 1 } ?? 0
  }

  /// The line, with escape sequences if the look has colors.
  var line: String {
    var text = ""
    var style = Style.plain
    for cell in frame.row(0).prefix(lineColumns) {
      if look.colors != .none, cell.style != style {
        if style != .plain { text += Style.plain.selection }
        if cell.style != .plain { text += cell.style.selection }
        style = cell.style
      }
      text += cell.text
    }
    return style == .plain ? text : text + Style.plain.selection
  }

  /// Draws a bar as one line, heavy where bytes are and light where they are missing, at their
  /// place in the file. In ASCII it is `[###---]`, and only the number of bytes counts.
  mutating func draw(_ bar: ProgressBar, of transfer: TransferSnapshot, column: Int, width: Int) {
    guard width > 0, case .part(let part) = bar.fill else { return }
    switch look.charset {
    case .utf8, .console:
      for (offset, isThere) in cells(of: transfer, part: part, width: width).enumerated() {
        fill(
          row: 0, column: column + offset, width: 1, isThere ? bar.role : .quiet,
          with: isThere ? "━" : "─")
      }
    case .ascii:
      let inner = max(0, width - 2)
      let filled = Int(part * Double(inner))
      let text =
        String(repeating: "#", count: filled) + String(repeating: "-", count: inner - filled)
      write("[" + text + "]", row: 0, column: column, width: width, bar.role)
    }
  }

  /// Whether bytes are there, for each cell of a bar. The first byte is visible, and the bar never
  /// looks full before the last one.
  private func cells(of row: TransferSnapshot, part: Double, width: Int) -> [Bool] {
    let levels = part > 0 ? row.ridge?.levels(count: width) ?? [] : []
    guard levels.isEmpty else { return levels.map { $0 > 0 } }
    let most = part >= 1 ? width : width - 1
    let filled = min(max(Int(part * Double(width)), part > 0 ? 1 : 0), most)
    return (0..<width).map { $0 < filled }
  }
}

extension Style {
  /// The sequence that selects this style after the plain one; for the plain one, the sequence that
  /// ends any other (SGR, ECMA-48).
  var selection: String {
    var codes: [Int] = []
    if attributes.contains(.bold) { codes.append(1) }
    if attributes.contains(.dim) { codes.append(2) }
    if attributes.contains(.underline) { codes.append(4) }
    if attributes.contains(.reverse) { codes.append(7) }
    codes += Self.codes(foreground, base: 30) + Self.codes(background, base: 40)
    return "\u{1B}[" + (codes.isEmpty ? "0" : codes.map(String.init).joined(separator: ";")) + "m"
  }

  /// Returns the text in this style.
  func painting(_ text: String) -> String {
    self == .plain ? text : selection + text + Style.plain.selection
  }

  private static func codes(_ color: Color, base: Int) -> [Int] {
    switch color {
    case .standard: []
    case .palette(let index) where index < 8: [base + Int(index)]
    case .palette(let index) where index < 16: [base + 52 + Int(index)]
    case .palette(let index): [base + 8, 5, Int(index)]
    case .rgb(let red, let green, let blue): [base + 8, 2, Int(red), Int(green), Int(blue)]
    }
  }
}
