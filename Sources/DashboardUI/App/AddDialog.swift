import TransferModel

/// The dialog that adds URLs: a small text editor in which every line is checked as it is typed.
package struct AddDialog: Hashable, Sendable {
  package struct Line: Hashable, Sendable {
    package private(set) var characters: [Character] = []
    package private(set) var reading = Reading.blank

    init(_ characters: [Character] = []) { replace(characters) }

    mutating func replace(_ characters: [Character]) {
      self.characters = characters
      reading = Reading(String(characters))
    }

    package var text: String { String(characters) }
  }

  /// What a line means.
  package enum Reading: Hashable, Sendable {
    case blank
    case transfer(TransferSpec)
    case problem(TransferURLProblem)

    init(_ text: String) {
      if text.allSatisfy({ $0 == " " || $0 == "\t" }) {
        self = .blank
        return
      }
      switch TransferURL.parse(text) {
      case .success(let parsed):
        var spec = TransferSpec(url: parsed.url)
        spec.login = parsed.login
        self = .transfer(spec)
      case .failure(let problem): self = .problem(problem)
      }
    }
  }

  /// Enough for any list that is pasted; a longer one is a job for `kettle add -i FILE`.
  package static let lineCountMax = 10_000
  private static let characterCountMax = 20_000

  /// Never empty.
  package private(set) var lines: [Line] = [Line()]
  package private(set) var row = 0
  /// How many characters of the line stand before the cursor.
  package private(set) var column = 0

  package init() {}

  package var specs: [TransferSpec] {
    lines.compactMap { line in
      if case .transfer(let spec) = line.reading { spec } else { nil }
    }
  }

  /// The first line that is no URL.
  package var firstProblem: (row: Int, problem: TransferURLProblem)? {
    for (index, line) in lines.enumerated() {
      if case .problem(let problem) = line.reading { return (index, problem) }
    }
    return nil
  }

  /// Puts text at the cursor; line breaks begin new lines. False when it is too much, and then
  /// nothing is changed.
  mutating func insert(_ text: String) -> Bool {
    let parts = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    guard lines.count + parts.count - 1 <= Self.lineCountMax else { return false }
    let before = Array(lines[row].characters.prefix(column))
    let after = Array(lines[row].characters.dropFirst(column))
    var added = parts.map { Array($0.prefix(Self.characterCountMax)) }
    guard let first = added.first, let last = added.last else { return true }
    guard before.count + first.count + after.count <= Self.characterCountMax else { return false }
    column = added.count == 1 ? before.count + first.count : last.count
    added[0] = before + first
    added[added.count - 1] += after
    lines.replaceSubrange(row...row, with: added.map { Line($0) })
    row += added.count - 1
    return true
  }

  mutating func eraseBefore() {
    if column > 0 {
      var characters = lines[row].characters
      characters.remove(at: column - 1)
      lines[row].replace(characters)
      column -= 1
    } else if row > 0 {
      column = lines[row - 1].characters.count
      lines[row - 1].replace(lines[row - 1].characters + lines[row].characters)
      lines.remove(at: row)
      row -= 1
    }
  }

  mutating func eraseAfter() {
    if column < lines[row].characters.count {
      column += 1
      eraseBefore()
    } else if row < lines.count - 1 {
      row += 1
      column = 0
      eraseBefore()
    }
  }

  mutating func eraseLine() {
    lines[row].replace([])
    column = 0
  }

  mutating func moveLeft() {
    if column > 0 {
      column -= 1
    } else if row > 0 {
      row -= 1
      column = lines[row].characters.count
    }
  }

  mutating func moveRight() {
    if column < lines[row].characters.count {
      column += 1
    } else if row < lines.count - 1 {
      row += 1
      column = 0
    }
  }

  mutating func move(to newRow: Int, column newColumn: Int) {
    row = min(max(newRow, 0), lines.count - 1)
    column = min(max(newColumn, 0), lines[row].characters.count)
  }
}
