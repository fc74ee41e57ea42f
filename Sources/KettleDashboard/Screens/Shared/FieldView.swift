/// A single-line text field whose secret characters are shown as dots.
struct FieldView {
  var characters: [Character]
  var secrets: [Range<Int>] = []
  /// The number of characters before the cursor; nil when the field has no cursor.
  var cursor: Int?
  /// Shown while the field is empty.
  var placeholder = ""

  /// Draws the field behind its title, across the screen.
  func draw(titled title: String, row: Int, on canvas: inout Canvas) {
    let columns = canvas.size.columns
    let begin = 2 + canvas.write(title + ":", row: row, column: 1, width: columns - 2, .heading)
    draw(row: row, column: begin, width: max(1, columns - 1 - begin), on: &canvas)
  }

  /// Scrolls a long line so that the cursor is visible; one column is reserved for the cursor.
  func draw(row: Int, column: Int, width: Int, on canvas: inout Canvas) {
    guard width > 0 else { return }
    canvas.fill(row: row, column: column, width: width, .field)
    if characters.isEmpty {
      canvas.write(placeholder, row: row, column: column, width: width, .fieldQuiet)
    }
    let charset = canvas.look.charset
    guard let cursor else {
      // No screen line is longer.
      let shown = seen(characters.startIndex..<min(characters.count, 2000), charset)
      canvas.write(String(shown), row: row, column: column, width: width, .field)
      return
    }
    let position = min(cursor, characters.count)
    var before = seen(max(0, position - width)..<position, charset)[...]
    while columns(before, charset) > width - 1 { before = before.dropFirst() }
    let after = seen(position..<min(characters.count, position + width), charset)
    canvas.write(String(before) + String(after), row: row, column: column, width: width, .field)
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
