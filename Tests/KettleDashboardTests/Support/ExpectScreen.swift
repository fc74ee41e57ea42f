import KettleDashboard
import KettleModel
import Testing

extension Look {
  static let text = Look(charset: .utf8, colors: .none)
  static let ascii = Look(charset: .ascii, colors: .none)
}

/// Compares a frame with its text. Runs of empty lines are replaced with a line that counts them.
func expectScreen(
  _ frame: Frame, _ expected: String, sourceLocation: SourceLocation = #_sourceLocation
) {
  let got = picture(of: frame)
  guard got != expected else { return }
  let pairs = zip(
    got.split(separator: "\n", omittingEmptySubsequences: false),
    expected.split(separator: "\n", omittingEmptySubsequences: false))
  let firstDifference = pairs.enumerated().first { $0.element.0 != $0.element.1 }?.offset
  Issue.record(
    """
    The screen is another, from line \(firstDifference.map(String.init) ?? "the end") on. Got:
    \(got)
    Expected:
    \(expected)
    """, sourceLocation: sourceLocation)
}

private func picture(of frame: Frame) -> String {
  var lines: [String] = []
  var blankCount = 0
  func endBlanks() {
    if blankCount > 2 {
      lines.append("(\(blankCount) empty lines)")
    } else {
      lines += Array(repeating: "", count: blankCount)
    }
    blankCount = 0
  }
  for line in frame.lines {
    if line.isEmpty {
      blankCount += 1
    } else {
      endBlanks()
      lines.append(line)
    }
  }
  endBlanks()
  return lines.joined(separator: "\n")
}

extension Dashboard {
  /// Presses keys one after the other and returns all effects.
  mutating func press(_ keys: Key..., at now: Moment = Sample.now) -> [DashboardEffect] {
    keys.flatMap { update(.keyPressed($0), at: now) }
  }

  /// Presses a key for each character.
  mutating func type(_ text: String) -> [DashboardEffect] {
    text.flatMap { update(.keyPressed(.character($0)), at: Sample.now) }
  }

  mutating func click(
    row: Int, column: Int, _ kind: MouseEvent.Kind = .click
  ) -> [DashboardEffect] {
    update(.mouse(MouseEvent(kind, row: row, column: column)), at: Sample.now)
  }

  /// Clicks the count of a state in the title bar.
  mutating func click(on state: TransferState) -> [DashboardEffect] {
    let column = (0..<size.columns).first {
      target(row: 0, column: $0, at: Sample.now) == .state(state)
    }
    return column.map { click(row: 0, column: $0) } ?? []
  }

  mutating func wheel(_ kind: MouseEvent.Kind) -> [DashboardEffect] {
    update(.mouse(MouseEvent(kind, row: 5, column: 5)), at: Sample.now)
  }

  func screen(_ look: Look = .text, at now: Moment = Sample.now) -> Frame {
    frame(at: now, look: look)
  }

  /// The message line's text.
  var said: String? { notice?.text }
}

extension Frame {
  /// The first position of a text of narrow characters.
  func position(of text: String) -> Position? {
    for row in 0..<size.rows {
      let cells = self.row(row).map(\.text)
      for column in cells.indices
      where cells[column...].prefix(text.count).joined() == text {
        return Position(row: row, column: column)
      }
    }
    return nil
  }
}
