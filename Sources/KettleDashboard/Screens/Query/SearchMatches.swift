import KettleModel

/// The number of rows that contain the words of a search.
struct SearchHits: Hashable, Sendable {
  let count: Int
  /// The position of the row under the cursor among them, from 1; nil when it is none of them.
  let position: Int?

  init(count: Int, position: Int?) {
    self.count = count
    self.position = position
  }

  /// Returns nil when the service has not sent all rows: the rest may contain more.
  init?(of words: [String], in window: ListWindow, at cursor: Int) {
    guard window.isComplete else { return nil }
    let test = WordTest(words)
    let places = window.rows.indices.filter { test.passes(window.rows[$0]) }
    count = places.count
    position = window.lines.row(at: cursor).flatMap(places.firstIndex).map { $0 + 1 }
  }
}

/// The words of the search within the rows.
extension SearchState {
  /// Highlights the words in the name of a row.
  func highlight(
    _ row: TransferSnapshot, on canvas: inout Canvas, screenRow: Int, columns range: Range<Int>
  ) {
    guard isOn else { return }
    let title = ShownText(
      row.shownTitle, charset: canvas.look.charset, columnsMax: range.count, cut: .middle)
    for match in title.matches(words, charset: canvas.look.charset) {
      let columns = (range.lowerBound + match.lowerBound)..<(range.lowerBound + match.upperBound)
      canvas.highlight(row: screenRow, columns: columns)
    }
  }

  /// Returns where the search matched when the row's name does not show it; otherwise nil.
  func remark(on row: TransferSnapshot) -> String? {
    guard isOn, WordTest(words).passes(row) else { return nil }
    let title = row.shownTitle.lowercased()
    guard let hidden = words.first(where: { !title.contains($0) }) else { return nil }
    return Strings.foundElsewhere(hidden, inURL: row.url.lowercased().contains(hidden))
  }
}

extension Canvas {
  /// Highlights cells. Underlined as well as bold: bold alone would be invisible in a bold row.
  fileprivate mutating func highlight(row: Int, columns: Range<Int>) {
    let color = look.style(.key).foreground
    restyle(row: row, columns: columns) {
      $0.attributes.formUnion([.bold, .underline])
      $0.foreground = color
    }
  }

  /// Highlights each occurrence of a text in a row, ignoring case.
  mutating func highlight(_ text: String, row: Int) {
    var columns: [Int] = []
    var shown: [String] = []
    for (column, cell) in frame.row(row).enumerated() where cell.width > 0 {
      columns.append(column)
      shown.append(cell.text.lowercased())
    }
    let wanted = text.lowercased().map { String($0) }
    guard let first = wanted.first, wanted.count <= shown.count else { return }
    for start in 0...(shown.count - wanted.count) where shown[start] == first {
      guard shown[start..<(start + wanted.count)].elementsEqual(wanted) else { continue }
      highlight(row: row, columns: columns[start]..<(columns[start + wanted.count - 1] + 1))
    }
  }
}

extension ShownText {
  /// Returns the columns in which the words occur, ignoring case.
  func matches(_ words: [String], charset: Charset) -> [Range<Int>] {
    let shown = glyphs.map { $0.text.lowercased() }
    var found: [Range<Int>] = []
    for word in words {
      let wanted = ShownText(word, charset: charset, columnsMax: 200).glyphs.map(\.text)
      guard let first = wanted.first else { continue }
      for start in shown.indices.dropLast(wanted.count - 1) where shown[start] == first {
        guard shown[start..<(start + wanted.count)].elementsEqual(wanted) else { continue }
        let before = glyphs[..<start].reduce(0) { $0 + $1.width }
        let width = glyphs[start..<(start + wanted.count)].reduce(0) { $0 + $1.width }
        found.append(before..<(before + width))
      }
    }
    return found
  }
}

/// The last search, and the pending request to the service.
package struct SearchState: Hashable, Sendable {
  /// The text as typed; empty when no search is active. `n` and `N` search for it.
  package internal(set) var text = ""
  var history = InputHistory()
  /// The pending request: only one at a time, however fast the user types.
  var pending: RowSearch?

  package var isOn: Bool { !words.isEmpty }

  package var words: [String] { RowFilter.words(of: text) }

  /// Returns the request for the next match.
  func request(
    in view: ListView, from start: TransferID?, index: Int, isBackwards: Bool, includesStart: Bool
  ) -> RowSearch {
    RowSearch(
      filter: view.filter, sort: view.sort, text: text, start: start, startIndex: index,
      isBackwards: isBackwards, includesStart: includesStart)
  }
}

extension ListWindow {
  /// Returns a match among these rows when no row that was not sent lies in between.
  func firstMatch(of wanted: RowSearch) -> FoundRow? {
    let place = wanted.start.flatMap { id in rows.firstIndex { $0.id == id } }
    let start = place ?? wanted.startIndex - firstRow
    guard rows.indices.contains(start) else { return nil }
    let words = WordTest(RowFilter.words(of: wanted.text))
    let step = wanted.isBackwards ? -1 : 1
    var position = wanted.includesStart ? start : start + step
    while rows.indices.contains(position) {
      if words.passes(rows[position]) {
        return FoundRow(id: rows[position].id, index: firstRow + position, hasWrapped: false)
      }
      position += step
    }
    return nil
  }
}
