import KettleModel

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
  case bar(ProgressBar)
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
