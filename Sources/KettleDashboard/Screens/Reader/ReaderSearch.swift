import KettleModel

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

/// One line of a reader screen.
package enum ReaderLine: Hashable, Sendable {
  case blank
  case heading(String)
  /// Without a label it continues the line above.
  case pair(label: String, value: String, Role)
  case text(String, Role)
  /// Keys, their meaning, and the action's name in the configuration.
  case key(names: String, text: String, action: String, HelpLayout)
  /// Two lines side by side, the second from a given column on.
  indirect case pairOfLines(ReaderLine, ReaderLine, at: Int)
  case bar(LineBar)
  /// One line of the map of the file, and the legend of its symbols.
  case parts(PartsMap, row: Int)
  case partsLegend(hasConnections: Bool)
  case graph(SpeedGraph, row: Int)
}

/// The lines and columns that a reader screen has for its text.
package struct ReaderLayout: Hashable, Sendable {
  package let size: ScreenSize
  /// Whether there is a line with the names of the sections.
  package let hasTabs: Bool

  package init(size: ScreenSize, hasTabs: Bool = false) {
    self.size = size
    self.hasTabs = hasTabs
  }

  /// Below the title and the sections.
  package var bodyTop: Int { hasTabs ? 2 : 1 }
  /// All rows except those above and the footer.
  package var bodyHeight: Int { max(1, size.rows - 1 - bodyTop) }
  package var textWidth: Int { max(1, size.columns - 2) }
  /// Half of the width on a narrow screen, so that the values keep some room.
  package static func labelWidth(textWidth: Int) -> Int { min(16, textWidth / 2) }
}

/// Collects lines and folds those that are too long.
package struct ReaderText {
  package private(set) var lines: [ReaderLine] = []
  package let width: Int

  package init(width: Int) { self.width = max(1, width) }

  package mutating func heading(_ text: String) {
    if !lines.isEmpty { lines.append(.blank) }
    lines.append(.heading(text))
  }

  package mutating func text(_ text: String, _ role: Role = .plain) {
    lines += Fold.lines(text, width: width).map { .text($0, role) }
  }

  /// Adds nothing when the value is unknown.
  package mutating func pair(_ label: String, value: String?, _ role: Role = .plain) {
    guard let value, !value.isEmpty else { return }
    let room = width - ReaderLayout.labelWidth(textWidth: width)
    for (index, part) in Fold.lines(value, width: room).enumerated() {
      lines.append(.pair(label: index == 0 ? label : "", value: part, role))
    }
  }

  package mutating func add(_ line: ReaderLine) { lines.append(line) }
}

/// Breaks text into lines of a given width, at blanks where possible.
package enum Fold {
  /// Longer texts are cut: a header of a megabyte is of no use in a terminal.
  private static let columnsMax = 4000

  package static func lines(_ text: String, width: Int) -> [String] {
    let glyphs = ShownText(text, charset: .utf8, columnsMax: columnsMax).glyphs
    var lines: [String] = []
    var start = 0
    while start < glyphs.count {
      let end = lineEnd(glyphs, from: start, width: max(1, width))
      lines.append(glyphs[start..<end].map(\.text).joined())
      start = end
      if start < glyphs.count, glyphs[start].text == " " { start += 1 }
    }
    return lines.isEmpty ? [""] : lines
  }

  private static func lineEnd(_ glyphs: [ShownText.Glyph], from start: Int, width: Int) -> Int {
    var end = start
    var used = 0
    while end < glyphs.count, used + glyphs[end].width <= width {
      used += glyphs[end].width
      end += 1
    }
    guard end < glyphs.count else { return end }
    if glyphs[end].text == " " { return max(end, start + 1) }
    // Breaking at a blank in the first half would leave most of the line empty.
    if let blank = glyphs[start..<end].lastIndex(where: { $0.text == " " }),
      blank > start + (end - start) / 2
    {
      return blank
    }
    return max(end, start + 1)
  }
}
