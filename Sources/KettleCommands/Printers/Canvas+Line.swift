import KettleDashboard

/// A canvas of one row, printed as a line of text.
extension Canvas {
  init(lineColumns: Int, look: Look) {
    self.init(size: ScreenSize(columns: lineColumns, rows: 1), look: look)
  }

  /// The number of columns without the blanks at the end.
  var lineColumns: Int {
    frame.row(0).lastIndex { $0 != .blank }.map { $0 + 1 } ?? 0
  }

  /// The line, with escape sequences if the look has colours.
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
    if let code = Self.code(foreground, base: 30) { codes.append(code) }
    if let code = Self.code(background, base: 40) { codes.append(code) }
    return "\u{1B}[" + (codes.isEmpty ? "0" : codes.map(String.init).joined(separator: ";")) + "m"
  }

  /// Returns nil for the default colour and for colours beyond the first sixteen.
  private static func code(_ color: Color, base: Int) -> Int? {
    switch color {
    case .palette(let index) where index < 8: base + Int(index)
    case .palette(let index) where index < 16: base + 52 + Int(index)
    case .standard, .palette, .rgb: nil
    }
  }
}
