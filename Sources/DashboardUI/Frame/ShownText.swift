import TransferModel

/// A text made fit for the screen: nothing in it that a terminal would obey, cut to a width, taken
/// apart into what goes into one cell each.
///
/// All text reaches the frame through here, so this is where text from outside is made harmless.
package struct ShownText: Hashable, Sendable {
  package struct Glyph: Hashable, Sendable {
    package var text: String
    /// 1 or 2.
    package var width: Int
  }

  package private(set) var glyphs: [Glyph] = []
  package private(set) var columns = 0

  /// Takes what fits into `columnsMax`; of a longer text the last column shows that it was cut.
  package init(_ text: String, charset: Charset, columnsMax: Int) {
    guard columnsMax > 0 else { return }
    if !appendPlain(text, columnsMax: columnsMax) {
      glyphs.removeAll(keepingCapacity: true)
      columns = 0
      let harmless = text.sanitizedForDisplay(limit: columnsMax + 1)
      for scalar in harmless.unicodeScalars where columns <= columnsMax {
        append(scalar, charset: charset)
      }
    }
    if columns > columnsMax { cut(to: columnsMax, charset: charset) }
  }

  /// Most text is printable ASCII; it needs no tables. False at the first character that is not.
  private mutating func appendPlain(_ text: String, columnsMax: Int) -> Bool {
    for byte in text.utf8 where columns <= columnsMax {
      guard (32...126).contains(byte) else { return false }
      glyphs.append(Glyph(text: String(Unicode.Scalar(byte)), width: 1))
      columns += 1
    }
    return true
  }

  private mutating func append(_ scalar: Unicode.Scalar, charset: Charset) {
    switch DisplayWidth.columns(of: scalar) {
    case 0:
      // Variation selectors make some terminals draw a narrow character wide and others not.
      let isSelector = (0xFE00...0xFE0F).contains(scalar.value)
      guard let last = glyphs.indices.last else { return }
      let hasRoom = glyphs[last].text.unicodeScalars.count < 5
      if !isSelector, hasRoom, charset == .utf8 { glyphs[last].text.unicodeScalars.append(scalar) }
    case let width:
      // A skin tone joins the emoji before it in some terminals and stands alone in others.
      if (0x1F3FB...0x1F3FF).contains(scalar.value), glyphs.last?.width == 2 { return }
      if scalar == "…", charset == .ascii {
        glyphs += Array(repeating: Glyph(text: ".", width: 1), count: 3)
        columns += 3
        return
      }
      let isShown = scalar.isASCII || (charset == .utf8 && Self.hasGlyph(scalar))
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

  private mutating func cut(to columnsMax: Int, charset: Charset) {
    let mark = Glyph(text: charset == .utf8 ? "…" : "~", width: 1)
    while columns > columnsMax - 1, let last = glyphs.popLast() { columns -= last.width }
    glyphs.append(mark)
    columns += 1
  }
}
