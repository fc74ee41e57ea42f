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
