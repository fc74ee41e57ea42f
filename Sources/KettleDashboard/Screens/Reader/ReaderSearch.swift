/// The search within a text that scrolls.
struct ReaderSearch: Hashable, Sendable {
  /// Empty when there is no search.
  private(set) var text = ""
  /// The line in which the text is typed; nil when it is closed.
  private(set) var line: LineEditor?
  /// The number of the line that was found last.
  private(set) var found: Int?
  private var earlier = ""
  /// The first visible line when the search was opened.
  private(set) var start = 0

  var isOn: Bool { !text.isEmpty }

  mutating func open(at first: Int) {
    earlier = text
    start = first
    line = LineEditor()
  }

  /// Changes the line. Returns whether the text is another one.
  mutating func edit(_ change: (inout LineEditor) -> Void) -> Bool {
    guard var line else { return false }
    change(&line)
    self.line = line
    guard line.text != text else { return false }
    text = line.text
    return true
  }

  /// Closes the line and keeps its text; an empty line keeps the earlier text.
  mutating func keep() {
    line = nil
    if text.isEmpty { text = earlier }
  }

  /// Closes the line and restores the earlier text.
  mutating func cancel() {
    line = nil
    text = earlier
  }

  /// Moves to the next match after a line, or before it; wraps around at the ends. Returns nil
  /// without a match.
  mutating func find(
    in lines: [ReaderLine], from first: Int, isBackwards: Bool = false, includesStart: Bool = false
  ) -> Int? {
    let matches = matches(in: lines)
    if isBackwards {
      found = matches.last { $0 < first } ?? matches.last
    } else {
      found = matches.first { includesStart ? $0 >= first : $0 > first } ?? matches.first
    }
    return found
  }

  private func matches(in lines: [ReaderLine]) -> [Int] {
    let wanted = text.lowercased()
    guard !wanted.isEmpty else { return [] }
    return lines.indices.filter { lines[$0].text.lowercased().contains(wanted) }
  }

  /// Returns the number of matches and the position of the found one among them.
  func hits(in lines: [ReaderLine]) -> SearchHits {
    let matches = matches(in: lines)
    return SearchHits(
      count: matches.count, position: found.flatMap { matches.firstIndex(of: $0) }.map { $0 + 1 })
  }
}

extension ReaderLine {
  /// The text that a search looks in.
  var text: String {
    switch self {
    case .blank, .bar, .parts, .partsLegend, .graph: ""
    case .heading(let text), .text(let text, _): text
    case .key(let names, let text, let action, _): names + " " + text + " " + action
    case .pairOfLines(let left, let right, _): left.text + " " + right.text
    case .pair(let label, let value, _): label + " " + value
    }
  }
}
