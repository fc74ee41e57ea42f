import KettleCollections
import KettleModel

/// The lines of the add form: a small text editor in which each line is a URL or a curl command
/// line, and is checked while it is typed.
///
/// Counts are updated, not recomputed: typing into thousands of lines is as fast as into one.
package struct URLLines: Hashable, Sendable {
  package struct Line: Hashable, Sendable {
    package let characters: [Character]
    package let reading: Reading
    /// The characters that are a password, a cookie or another secret.
    package let secrets: [Range<Int>]

    init(_ characters: [Character] = []) {
      self.characters = characters
      (reading, secrets) = Self.read(characters)
    }

    package var text: String { String(characters) }

    private static func read(_ characters: [Character]) -> (Reading, [Range<Int>]) {
      let text = String(characters)
      let first = characters.first { $0 != " " && $0 != "\t" }
      guard let first else { return (.blank, []) }
      if first == "#" { return (.comment, []) }
      if CurlCommandLine.isCommand(characters) {
        let command = CurlCommandLine.parse(text)
        switch command.result {
        case .success(let line): return (.command(line), command.secrets)
        case .failure(let problem): return (.problem(.command(problem)), command.secrets)
        }
      }
      let password = SecretText.passwordRange(inURL: characters, characters.indices)
      let secrets = password.map { [$0] } ?? []
      // The environment may name another endpoint; `CollectionSurroundings` applies it when the
      // line is added.
      let name = text.trimmingBlanks()
      switch CollectionSource.named(name, in: CollectionEnvironment([:])) {
      case .success(let source):
        return (.collection(source, CollectionSource.login(in: name)), secrets)
      case .failure(let problem): return (.problem(.collection(problem)), secrets)
      case nil: break
      }
      switch TransferURL.parse(typed: text) {
      case .success(let url): return (.url(url), secrets)
      case .failure(let problem): return (.problem(.url(problem)), secrets)
      }
    }
  }

  /// The parsed content of a line.
  package enum Reading: Hashable, Sendable {
    case blank
    /// A line that begins with `#`, as in lists of URLs; it is ignored.
    case comment
    case url(TransferURL.Parsed)
    case command(CurlCommandLine)
    /// A model, a dataset, a list of files or the like.
    case collection(CollectionSource, Login?)
    case problem(Problem)

    /// The URL as it is stored and compared, without a login.
    package var urlText: String? {
      switch self {
      case .url(let parsed): parsed.url.text
      case .command(let line): line.url.url.text
      case .collection(let source, _): source.url.text
      case .blank, .comment, .problem: nil
      }
    }
  }

  package enum Problem: Hashable, Sendable {
    case url(TransferURLProblem)
    case command(CurlProblem)
    case collection(ListingProblem)
  }

  /// Enough for any pasted list; a longer one is a job for `kettle add -i FILE`.
  package static let lineCountMax = 10_000
  private static let characterCountMax = 20_000

  /// Never empty.
  package private(set) var lines: [Line] = [Line()]
  package private(set) var row = 0
  /// The number of characters before the cursor in its line.
  package private(set) var column = 0
  package private(set) var goodCount = 0
  package private(set) var problemCount = 0
  private var countsByURL: [String: Int] = [:]

  package init() {}

  package var current: Line { lines[row] }

  /// The number of lines that repeat the URL of a line above.
  package var repeatedCount: Int { goodCount - countsByURL.count }

  /// In no particular order.
  package var distinctURLs: some Collection<String> { countsByURL.keys }

  package func count(of url: String) -> Int { countsByURL[url] ?? 0 }

  package var firstProblem: (row: Int, problem: Problem)? {
    guard problemCount > 0 else { return nil }
    for (index, line) in lines.enumerated() {
      if case .problem(let problem) = line.reading { return (index, problem) }
    }
    return nil
  }

  /// Whether no line has any text.
  package var areEmpty: Bool { lines.allSatisfy(\.characters.isEmpty) }

  /// Removes all lines except the invalid ones.
  mutating func keepProblems() {
    let kept = lines.filter { line in
      if case .problem = line.reading { true } else { false }
    }
    replace(0...(lines.count - 1), with: kept.isEmpty ? [Line()] : kept)
    move(to: 0, column: .max)
  }

  private mutating func replace(_ range: ClosedRange<Int>, with new: [Line]) {
    for line in lines[range] { count(line, by: -1) }
    for line in new { count(line, by: 1) }
    lines.replaceSubrange(range, with: new)
  }

  private mutating func replaceLine(_ row: Int, with characters: [Character]) {
    replace(row...row, with: [Line(characters)])
  }

  private mutating func count(_ line: Line, by step: Int) {
    switch line.reading {
    case .blank, .comment: break
    case .problem: problemCount += step
    case .url, .command, .collection:
      goodCount += step
      guard let url = line.reading.urlText else { return }
      let count = (countsByURL[url] ?? 0) + step
      countsByURL[url] = count > 0 ? count : nil
    }
  }
}

// MARK: - Editing

extension URLLines {
  /// Inserts text at the cursor. Line breaks begin new lines, except within a curl command. Returns
  /// false, and changes nothing, when the text is too long.
  mutating func insert(_ text: String) -> Bool {
    var parts = CurlCommandLine.lines(of: text)
    // A URL pasted behind another one starts a new line.
    if column > 0, text.hasPrefix("http://") || text.hasPrefix("https://") {
      parts.insert("", at: 0)
    }
    guard lines.count + parts.count - 1 <= Self.lineCountMax else { return false }
    let before = Array(lines[row].characters.prefix(column))
    let after = Array(lines[row].characters.dropFirst(column))
    var added = parts.map { Array($0.prefix(Self.characterCountMax)) }
    guard let first = added.first, let last = added.last else { return true }
    guard before.count + first.count + after.count <= Self.characterCountMax else { return false }
    column = added.count == 1 ? before.count + first.count : last.count
    added[0] = before + first
    added[added.count - 1] += after
    replace(row...row, with: added.map { Line($0) })
    row += added.count - 1
    return true
  }

  mutating func apply(_ edit: Edit) {
    switch edit {
    case .left: moveLeft()
    case .right: moveRight()
    case .lineStart: move(to: row, column: 0)
    case .lineEnd: move(to: row, column: lines[row].characters.count)
    case .eraseBefore: eraseBefore()
    case .eraseAfter: eraseAfter()
    case .eraseLine:
      replaceLine(row, with: [])
      column = 0
    case .nextLine: _ = insert("\n")
    // The form handles these.
    case .nextField, .previousField: break
    }
  }

  private mutating func eraseBefore() {
    if column > 0 {
      var characters = lines[row].characters
      characters.remove(at: column - 1)
      replaceLine(row, with: characters)
      column -= 1
    } else if row > 0 {
      column = lines[row - 1].characters.count
      let joined = lines[row - 1].characters + lines[row].characters
      replace((row - 1)...row, with: [Line(joined)])
      row -= 1
    }
  }

  private mutating func eraseAfter() {
    if column < lines[row].characters.count {
      column += 1
      eraseBefore()
    } else if row < lines.count - 1 {
      row += 1
      column = 0
      eraseBefore()
    }
  }

  private mutating func moveLeft() {
    if column > 0 {
      column -= 1
    } else if row > 0 {
      move(to: row - 1, column: .max)
    }
  }

  private mutating func moveRight() {
    if column < lines[row].characters.count {
      column += 1
    } else if row < lines.count - 1 {
      move(to: row + 1, column: 0)
    }
  }

  mutating func move(to newRow: Int, column newColumn: Int) {
    row = min(max(newRow, 0), lines.count - 1)
    column = min(max(newColumn, 0), lines[row].characters.count)
  }
}
