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

/// The number of columns that a character occupies in a terminal.
///
/// The wide ranges are those of Unicode 15.1 with East_Asian_Width W or F, joined across unassigned
/// gaps. Ambiguous characters count as narrow, as in terminals outside East Asian locales.
package enum DisplayWidth {
  package static func columns(of scalar: Unicode.Scalar) -> Int {
    let value = scalar.value
    if value < 0x300 { return 1 }
    if (0x1160...0x11FF).contains(value) { return 0 }
    if value >= 0x1100, isWide(value) { return 2 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: return 1
    }
  }

  private static func isWide(_ value: UInt32) -> Bool {
    var lower = 0
    var upper = wideRanges.count
    while lower < upper {
      let middle = (lower + upper) / 2
      let range = wideRanges[middle]
      if range.contains(value) { return true }
      if value < range.lowerBound { upper = middle } else { lower = middle + 1 }
    }
    return false
  }

  /// Sorted for the binary search.
  private static let wideRanges: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x231A...0x231B, 0x2329...0x232A, 0x23E9...0x23EC, 0x23F0...0x23F0,
    0x23F3...0x23F3, 0x25FD...0x25FE, 0x2614...0x2615, 0x2648...0x2653, 0x267F...0x267F,
    0x2693...0x2693, 0x26A1...0x26A1, 0x26AA...0x26AB, 0x26BD...0x26BE, 0x26C4...0x26C5,
    0x26CE...0x26CE, 0x26D4...0x26D4, 0x26EA...0x26EA, 0x26F2...0x26F3, 0x26F5...0x26F5,
    0x26FA...0x26FA, 0x26FD...0x26FD, 0x2705...0x2705, 0x270A...0x270B, 0x2728...0x2728,
    0x274C...0x274C, 0x274E...0x274E, 0x2753...0x2755, 0x2757...0x2757, 0x2795...0x2797,
    0x27B0...0x27B0, 0x27BF...0x27BF, 0x2B1B...0x2B1C, 0x2B50...0x2B50, 0x2B55...0x2B55,
    0x2E80...0x303E, 0x3041...0x3247, 0x3250...0x4DBF, 0x4E00...0xA4C6, 0xA960...0xA97C,
    0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6B, 0xFF01...0xFF60,
    0xFFE0...0xFFE6, 0x16FE0...0x1B2FB, 0x1F004...0x1F004, 0x1F0CF...0x1F0CF, 0x1F18E...0x1F18E,
    0x1F191...0x1F19A, 0x1F200...0x1F320, 0x1F32D...0x1F335, 0x1F337...0x1F37C, 0x1F37E...0x1F393,
    0x1F3A0...0x1F3CA, 0x1F3CF...0x1F3D3, 0x1F3E0...0x1F3F0, 0x1F3F4...0x1F3F4, 0x1F3F8...0x1F43E,
    0x1F440...0x1F440, 0x1F442...0x1F4FC, 0x1F4FF...0x1F53D, 0x1F54B...0x1F54E, 0x1F550...0x1F567,
    0x1F57A...0x1F57A, 0x1F595...0x1F596, 0x1F5A4...0x1F5A4, 0x1F5FB...0x1F64F, 0x1F680...0x1F6C5,
    0x1F6CC...0x1F6CC, 0x1F6D0...0x1F6D2, 0x1F6D5...0x1F6DF, 0x1F6EB...0x1F6EC, 0x1F6F4...0x1F6FC,
    0x1F7E0...0x1F7F0, 0x1F90C...0x1F93A, 0x1F93C...0x1F945, 0x1F947...0x1F9FF, 0x1FA70...0x1FAF8,
    0x20000...0x3FFFD,
  ]
}

/// The two ends of a file name that is too long for its column.
struct NameCut {
  private(set) var head: [ShownText.Glyph] = []
  private(set) var tail: [ShownText.Glyph] = []

  /// A name in fewer columns is cut at its end only.
  static let columnsMin = 10
  private static let extensionCountMax = 8
  private static let (beginCountMax, endCountMax) = (300, 60)

  /// One column is reserved for the mark between the ends.
  init(_ glyphs: [ShownText.Glyph], columnsMax: Int) {
    let dotted = Self.extensionColumns(glyphs)
    // A few characters before the extension are often the number of a part.
    let wanted = max(columnsMax / 3, dotted + columnsMax / 5)
    var tailRoom = min(wanted, columnsMax / 2)
    var split = glyphs.count
    while split > 0, glyphs[split - 1].width <= tailRoom {
      split -= 1
      tailRoom -= glyphs[split].width
    }
    tail = Array(glyphs[split...])
    var room = columnsMax - 1 - tail.reduce(0) { $0 + $1.width }
    for glyph in glyphs {
      guard glyph.width <= room else { break }
      room -= glyph.width
      head.append(glyph)
    }
  }

  /// Returns the width of an extension such as `.iso` or `.tar.xz`; 0 without one.
  private static func extensionColumns(_ glyphs: [ShownText.Glyph]) -> Int {
    let parts = glyphs.split(
      separator: ShownText.Glyph(text: ".", width: 1), omittingEmptySubsequences: false)
    var columns = 0
    for part in parts.dropFirst().suffix(2).reversed() {
      guard (1...extensionCountMax).contains(part.count),
        part.allSatisfy({ $0.text.allSatisfy { $0.isLetter || $0.isNumber } })
      else { break }
      columns += part.count + 1
      // In `.tar.xz`, two parts belong to the extension.
      guard part.count <= 3 else { break }
    }
    return columns
  }

  /// Returns the text without the middle that no screen has room for.
  static func ends(of text: String) -> String {
    guard text.utf8.count > beginCountMax + endCountMax else { return text }
    guard text.count > beginCountMax + endCountMax else { return text }
    return String(text.prefix(beginCountMax)) + String(text.suffix(endCountMax))
  }
}
