import KettleDashboard
import KettleModel

/// The line that `get` shows of its transfer.
struct ProgressLine {
  let row: TransferSnapshot
  let now: WallTime
  /// What arrived while the command watched.
  var arrived: ArrivedBytes?

  /// The line for a pipe.
  var text: String { "\(row.id)  \(row.shownTitle): \(words)" }

  var words: String {
    switch row.state {
    case .running: (row.progressWords.isEmpty ? row.stateWords : row.progressWords) + obstacle
    case .waiting, .scheduled: waiting
    case .queued: row.stateWords + obstacle
    case .completed: ending
    case .idle, .paused, .verifying, .failed: row.stateWords
    }
  }

  private var obstacle: String { row.obstacle().map { ", " + $0 } ?? "" }

  /// The summary: the size, the time, the average speed and the checksum.
  private var ending: String {
    row.stateWords + ", " + row.sizeText + (arrived.map { $0.words(of: row.bytesReceived) } ?? "")
      + row.proofWords
  }

  /// The reason and a countdown.
  private var waiting: String {
    let until =
      (row.heldBack?.until ?? row.goesOnAt).map {
        " in " + DurationText.countdown(until: $0, now: now)
      } ?? ""
    guard row.state == .waiting else { return "starts\(until)" }
    let isRetry = row.reason?.isRetry == true
    // That it is retried is said already.
    let failure = isRetry ? row.error?.statement.sanitizedForDisplay(limit: 400) : nil
    let reason = failure ?? row.complaint ?? row.obstacle()
    let next = until.isEmpty || isRetry ? until : ", next check" + until
    return (isRetry ? "retrying" : row.stateWords) + next
      + (reason.map { ": " + $0 } ?? "")
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
    line.draw(
      ProgressBar(fill: .part(fraction), role: .progress), of: row, column: column, width: bar)
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
    let percent = Piece(row.percentWords, columnsMin: 3)
    let total = row.bytesExpected ?? 0
    let size = Piece(
      row.sizeText, columnsMin: ByteText.progress(total, of: total).utf8.count)
    let speed = Piece(row.speedWords, columnsMin: row.speedWords.isEmpty ? 0 : 10)
    let why = Piece(row.obstacle() ?? "", .waiting)
    let forms: [[Piece]]
    if let seconds = row.secondsLeft {
      let left = Piece(Strings.timeLeft(seconds), columnsMin: 10)
      let time = now.advanced(byMilliseconds: min(seconds, .max / 1000) * 1000)
      let end = Piece("done at " + clock.short(time, now: now), columnsMin: 13)
      forms = [
        [percent, size, speed, left, end, why], [percent, size, speed, left, end],
        [percent, speed, left, end], [percent, speed, left], [percent, left], [percent],
      ]
    } else {
      // Where nothing arrives, the reason is worth more than the numbers and the bar.
      forms = [[percent, size, speed, why], [percent, why]]
    }
    return forms.map { $0.filter { !$0.text.isEmpty } }
  }
}
