import KettleModel

/// Text prepared for the screen: without anything that a terminal would interpret, cut to a width,
/// and split into the content of single cells.
///
/// All text reaches the frame through this type, so text from outside is sanitized here.
package struct ShownText: Sendable {
  package struct Glyph: Hashable, Sendable {
    package var text: String
    /// 1 or 2.
    package var width: Int
  }

  /// Where a text that is too long loses characters.
  package enum Cut: Hashable, Sendable {
    case end
    /// In the middle, so that the extension of a file name stays.
    case middle
  }

  enum Content: Sendable {
    /// Printable ASCII, which most text is: one column per byte, no tables. When it is cut, its
    /// last column shows the truncation mark.
    case plain(String, isCut: Bool)
    case glyphs([Glyph])
  }

  private(set) var content = Content.glyphs([])
  package private(set) var columns = 0
  private let charset: Charset

  /// Keeps what fits into `columnsMax`. One column of a longer text shows that it was cut.
  package init(_ text: String, charset: Charset, columnsMax: Int, cut: Cut = .end) {
    self.charset = charset
    guard columnsMax > 0 else { return }
    let plainCount = Self.plainCount(text, max: columnsMax + 1)
    if cut == .middle, columnsMax >= NameCut.columnsMin, plainCount ?? .max > columnsMax {
      shortenInTheMiddle(text, columnsMax: columnsMax)
      return
    }
    if let count = plainCount {
      content = .plain(text, isCut: count > columnsMax)
      columns = min(count, columnsMax)
      return
    }
    var glyphs: [Glyph] = []
    let harmless = text.sanitizedForDisplay(limit: columnsMax + 1)
    for scalar in harmless.unicodeScalars where columns <= columnsMax {
      append(scalar, to: &glyphs)
    }
    if columns > columnsMax { cutEnd(of: &glyphs, to: columnsMax) }
    content = .glyphs(glyphs)
  }

  private mutating func shortenInTheMiddle(_ name: String, columnsMax: Int) {
    var glyphs: [Glyph] = []
    for scalar in NameCut.ends(of: name).sanitizedForDisplay().unicodeScalars {
      append(scalar, to: &glyphs)
    }
    if columns > columnsMax {
      let cut = NameCut(glyphs, columnsMax: columnsMax)
      glyphs = cut.head + [Glyph(text: Self.cutMark(charset), width: 1)] + cut.tail
      columns = glyphs.reduce(0) { $0 + $1.width }
    }
    content = .glyphs(glyphs)
  }

  /// Returns the number of characters, up to `max`; nil when one of them is not printable ASCII.
  private static func plainCount(_ text: String, max: Int) -> Int? {
    var count = 0
    for byte in text.utf8 {
      guard (32...126).contains(byte) else { return nil }
      count += 1
      if count == max { return count }
    }
    return count
  }

  package var glyphs: [Glyph] {
    switch content {
    case .plain(let text, let isCut):
      var glyphs = text.utf8.prefix(columns).map {
        Glyph(text: String(Unicode.Scalar($0)), width: 1)
      }
      if isCut, let last = glyphs.indices.last { glyphs[last].text = Self.cutMark(charset) }
      return glyphs
    case .glyphs(let glyphs): return glyphs
    }
  }

  static func cutMark(_ charset: Charset) -> String {
    switch charset {
    case .utf8: "…"
    case .console, .ascii: "~"
    }
  }

  private mutating func append(_ scalar: Unicode.Scalar, to glyphs: inout [Glyph]) {
    switch DisplayWidth.columns(of: scalar) {
    case 0:
      // With variation selectors, some terminals draw a narrow character wide and others do not.
      let isSelector = (0xFE00...0xFE0F).contains(scalar.value)
      guard let last = glyphs.indices.last else { return }
      let hasRoom = glyphs[last].text.unicodeScalars.count <= Cell.markCountMax
      if !isSelector, hasRoom, charset == .utf8 { glyphs[last].text.unicodeScalars.append(scalar) }
    case let width:
      // A skin tone joins the preceding emoji in some terminals and is separate in others.
      if (0x1F3FB...0x1F3FF).contains(scalar.value), glyphs.last?.width == 2 { return }
      if scalar == "…", charset != .utf8 {
        glyphs += Array(repeating: Glyph(text: ".", width: 1), count: 3)
        columns += 3
        return
      }
      let isShown = scalar.isASCII || (charset != .ascii && Self.hasGlyph(scalar))
      if isShown {
        glyphs.append(Glyph(text: String(scalar), width: width))
        columns += width
      } else {
        glyphs.append(Glyph(text: charset == .utf8 ? "\u{FFFD}" : "?", width: 1))
        columns += 1
      }
    }
  }

  private static func hasGlyph(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .unassigned, .surrogate, .control, .lineSeparator, .paragraphSeparator: false
    default: true
    }
  }

  private mutating func cutEnd(of glyphs: inout [Glyph], to columnsMax: Int) {
    while columns > columnsMax - 1, let last = glyphs.popLast() { columns -= last.width }
    glyphs.append(Glyph(text: Self.cutMark(charset), width: 1))
    columns += 1
  }
}
