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

/// The line that `get` shows of its transfer.
struct ProgressLine {
  let row: TransferSnapshot
  let now: WallTime

  /// The line for a pipe.
  var text: String { "\(row.id)  \(row.shownTitle): \(words)" }

  var words: String {
    switch row.state {
    case .running: (row.progressWords.isEmpty ? "running" : row.progressWords) + obstacle
    case .waiting, .scheduled: waiting
    case .queued: "queued" + obstacle
    case .completed: "completed, \(row.sizeWords)"
    case .idle, .paused, .verifying, .failed: row.stateWords
    }
  }

  private var obstacle: String { row.obstacle().map { ", " + $0 } ?? "" }

  /// The reason and a countdown.
  private var waiting: String {
    let until = (row.heldBack?.until ?? row.goesOnAt).map { " in " + countdown(to: $0) } ?? ""
    guard row.state == .waiting else { return "starts\(until)" }
    let reason = row.complaint ?? row.obstacle()
    let next = until.isEmpty || row.reason?.isRetry == true ? until : ", next check" + until
    return (row.reason?.isRetry == true ? "retrying" : row.stateWords) + next
      + (reason.map { ": " + $0 } ?? "")
  }

  private func countdown(to time: WallTime) -> String {
    let (distance, overflow) = time.millisecondsSince1970.subtractingReportingOverflow(
      now.millisecondsSince1970)
    guard !overflow else { return "a long time" }
    return DurationText.countdown(max(0, distance) / 1000 + (distance % 1000 > 0 ? 1 : 0))
  }
}

/// The line for a terminal.
extension ProgressLine {
  private static let barColumnsMin = 8
  private static let barColumnsMax = 24
  /// Numbers are left out before a title is cut to less, or to less than a quarter of the line.
  private static let titleColumnsMin = 16

  /// A piece of the words. It reserves columns, so that the bar keeps its width while numbers
  /// change.
  private struct Piece {
    let text: String
    let columns: Int
    let role: Role

    init(_ text: String, columnsMin: Int = 0, _ role: Role = .plain) {
      self.text = text
      columns = max(columnsMin, ColumnText.width(of: text))
      self.role = role
    }
  }

  /// Draws the line. While bytes of a known total arrive, it has a bar and the numbers that fit.
  func drawn(columns: Int, look: Look, clock: ClockText) -> Canvas {
    var line = Canvas(lineColumns: columns, look: look)
    let start = line.write("\(row.id)  ", row: 0, column: 0, width: columns)
    let titleColumns = ColumnText.width(of: row.shownTitle)
    let titleMin = min(titleColumns, max(Self.titleColumnsMin, columns / 4))
    // The bar has two blanks before it and one after it.
    let rooms = pieces(clock).lazy.map { pieces in
      (pieces, columns - start - 3 - pieces.reduce(-2) { $0 + $1.columns + 2 })
    }
    guard row.state == .running, let total = row.bytesExpected, total > 0,
      let (pieces, room) = rooms.first(where: { $0.1 >= titleMin + Self.barColumnsMin })
    else {
      drawWords(on: &line, at: start, titleMin: titleMin)
      return line
    }
    let bar = min(max(room / 3, room - titleColumns, Self.barColumnsMin), Self.barColumnsMax)
    var column = start
    column += line.write(row.title, row: 0, column: column, width: room - bar, cut: .middle) + 2
    let fraction = PercentageText.fraction(row.bytesReceived, of: total)
    line.draw(ProgressBar(fill: .part(fraction), role: .progress), column: column, width: bar)
    column += bar + 1
    for (index, piece) in pieces.enumerated() {
      if index > 0 { column += line.write(", ", row: 0, column: column, width: 2) }
      column += line.write(
        piece.text, row: 0, column: column, width: columns, piece.role)
    }
    return line
  }

  private func drawWords(on line: inout Canvas, at start: Int, titleMin: Int) {
    let columns = line.size.columns
    let titleColumns = max(titleMin, columns - start - 2 - ColumnText.width(of: words))
    let end =
      start + line.write(row.title, row: 0, column: start, width: titleColumns, cut: .middle)
    guard end + 2 < columns else { return }
    line.write(": ", row: 0, column: end, width: 2)
    line.write(words, row: 0, column: end + 2, width: columns, wordsRole)
  }

  /// The result and what keeps a transfer are colored.
  private var wordsRole: Role {
    switch row.state {
    case .running: .plain
    case .completed: .good
    case .idle, .scheduled, .queued, .waiting, .paused, .verifying, .failed: row.stateWordsRole
    }
  }

  /// The texts beside the bar, the longest form first.
  private func pieces(_ clock: ClockText) -> [[Piece]] {
    let percent = Piece(row.percentWords, columnsMin: 4)
    let total = row.bytesExpected ?? 0
    let size = Piece(
      row.sizeWords, columnsMin: ByteText.progress(total, of: total).utf8.count)
    let speed = Piece(row.speedWords, columnsMin: row.speedWords.isEmpty ? 0 : 10)
    let why = Piece(row.obstacle() ?? "", .waiting)
    let forms: [[Piece]]
    if let seconds = row.secondsLeft {
      let left = Piece(row.leftWords + " left", columnsMin: 10)
      let readyAt = now.advanced(byMilliseconds: min(seconds, .max / 1000) * 1000)
      let ready = Piece("ready " + clock.short(readyAt, now: now), columnsMin: 11)
      forms = [
        [percent, size, speed, left, ready, why], [percent, size, speed, left, ready],
        [percent, speed, left, ready], [percent, speed, left], [percent, left], [percent],
      ]
    } else {
      // Where nothing arrives, the reason is worth more than the numbers and the bar.
      forms = [[percent, size, speed, why], [percent, why]]
    }
    return forms.map { $0.filter { !$0.text.isEmpty } }
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

  /// Draws a bar as the dashboard does. In ASCII it shows what is missing as `-`.
  mutating func draw(_ bar: ProgressBar, column: Int, width: Int) {
    guard look.glyphs.eighths.isEmpty, case .part(let part) = bar.fill else {
      return bar.draw(on: &self, row: 0, column: column, width: width)
    }
    let inner = max(0, width - 2)
    let filled = Int(part * Double(inner))
    let text = String(repeating: "#", count: filled) + String(repeating: "-", count: inner - filled)
    write("[" + text + "]", row: 0, column: column, width: width, bar.role)
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
