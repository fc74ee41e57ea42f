import KettleDashboard
import KettleModel

/// What `why` prints on a terminal: the sentences, with the symbol of the state before them and the
/// progress below the first one.
struct WhyText {
  private static let barColumnsMax = 24

  let columnCount: Int
  let look: Look
  let now: Moment

  func lines(_ sentences: [String], of row: TransferSnapshot) -> [String] {
    var lines = sentences
    if let first = lines.first { lines[0] = symbol(of: row) + first }
    if let progress = progress(of: row) { lines.insert(progress, at: min(1, lines.count)) }
    return lines
  }

  private func symbol(of row: TransferSnapshot) -> String {
    switch look.charset {
    case .utf8, .console: look.painted(look.glyphs.symbol(row.state), row.stateRole) + " "
    case .ascii: ""
    }
  }

  /// nil where there is nothing to see: before the first byte, after the last one, and while the
  /// size is unknown.
  private func progress(of row: TransferSnapshot) -> String? {
    guard !row.isWhole, row.bytesReceived > 0, let total = row.bytesExpected, total > 0 else {
      return nil
    }
    var line = Canvas(lineColumns: columnCount, look: look)
    let width = min(Self.barColumnsMax, columnCount / 3)
    line.draw(
      ProgressBar(row, at: now, isLive: true), of: row, column: 0, width: width)
    line.write(row.progressWords, row: 0, column: width + 1, width: columnCount)
    return line.line
  }
}
