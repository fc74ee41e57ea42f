/// One line of text that is edited, or could be, with what others are not to see made dots.
struct FieldView {
  var characters: [Character]
  var secrets: [Range<Int>] = []
  /// How many characters stand before the cursor; nil when it is elsewhere.
  var cursor: Int?
  /// Shown while there is nothing.
  var placeholder = ""

  /// A long line is shown from where the cursor is seen; one column is left for the cursor.
  func draw(row: Int, column: Int, width: Int, on canvas: inout Canvas) {
    guard width > 0 else { return }
    canvas.fill(row: row, column: column, width: width, .field)
    if characters.isEmpty {
      canvas.put(placeholder, row: row, column: column, width: width, .dialogQuiet)
    }
    let charset = canvas.look.charset
    guard let cursor else {
      // No line of a screen is longer.
      let shown = seen(characters.startIndex..<min(characters.count, 2000), charset)
      canvas.put(String(shown), row: row, column: column, width: width, .field)
      return
    }
    let place = min(cursor, characters.count)
    var before = seen(max(0, place - width)..<place, charset)[...]
    while columns(before, charset) > width - 1 { before = before.dropFirst() }
    let after = seen(place..<min(characters.count, place + width), charset)
    canvas.put(String(before) + String(after), row: row, column: column, width: width, .field)
    canvas.placeCursor(row: row, column: column + columns(before, charset))
  }

  private func seen(_ range: Range<Int>, _ charset: Charset) -> [Character] {
    let dot: Character = charset == .utf8 ? "•" : "*"
    var seen = Array(characters[range])
    for secret in secrets {
      for index in secret.clamped(to: range) { seen[index - range.lowerBound] = dot }
    }
    return seen
  }

  private func columns(_ text: some Sequence<Character>, _ charset: Charset) -> Int {
    ShownText(String(text), charset: charset, columnsMax: 10_000).columns
  }
}
