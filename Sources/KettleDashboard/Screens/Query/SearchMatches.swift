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
  init?(of wanted: RowFilter, in window: ListWindow, at cursor: Int) {
    guard window.isComplete else { return nil }
    let test = RowTest(wanted)
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
    guard isOn, RowTest(wanted).passes(row) else { return nil }
    let hidden = words.first { !WordTest([$0]).passes([row.shownTitle]) }
    guard let hidden else { return nil }
    return Strings.foundElsewhere(hidden.text, inURL: WordTest([hidden]).passes([row.url]))
  }
}

extension Canvas {
  /// Highlights cells. Underlined as well as bold: bold alone would be invisible in a bold row.
  mutating func highlight(row: Int, columns: Range<Int>) {
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
  func matches(_ words: [WordPattern], charset: Charset) -> [Range<Int>] {
    let shown = glyphs.map { $0.text.lowercased() }
    var found: [Range<Int>] = []
    for word in words {
      let wanted = ShownText(word.text, charset: charset, columnsMax: 200).glyphs.map(\.text)
      guard let first = wanted.first else { continue }
      for start in shown.indices.dropLast(wanted.count - 1) where shown[start] == first {
        let end = start + wanted.count
        guard shown[start..<end].elementsEqual(wanted),
          word.canStand(at: start..<end, of: shown.count)
        else { continue }
        let before = glyphs[..<start].reduce(0) { $0 + $1.width }
        let width = glyphs[start..<end].reduce(0) { $0 + $1.width }
        found.append(before..<(before + width))
      }
    }
    return found
  }
}

extension WordPattern {
  /// Whether an occurrence at a place of a text is one that is searched for.
  fileprivate func canStand(at place: Range<Int>, of count: Int) -> Bool {
    switch self.place {
    case .anywhere, .wholeWord: true
    case .beginning: place.lowerBound == 0
    case .end: place.upperBound == count
    case .everything: place == 0..<count
    }
  }
}

/// The last search, and the pending request to the service.
package struct SearchState: Hashable, Sendable {
  /// The text as typed; empty when no search is active. `n` and `N` search for it.
  package internal(set) var text = "" {
    didSet { wanted = FilterQuery.searched(text) }
  }
  /// What a row must match, from the text.
  private(set) var wanted = RowFilter()
  var history = InputHistory()
  /// The pending request: only one at a time, however fast the user types.
  var pending: RowSearch?

  package var isOn: Bool { !wanted.words.isEmpty || hasConditions }

  /// The words that occur in what is found.
  package var words: [WordPattern] { wanted.words.filter { !$0.isExcluded } }

  private var conditions: RowFilter {
    var conditions = wanted
    conditions.text = nil
    return conditions
  }

  private var hasConditions: Bool { conditions != RowFilter() }

  /// Returns the request for the next match.
  func request(
    in view: ListView, from start: TransferID?, index: Int, isBackwards: Bool, includesStart: Bool
  ) -> RowSearch {
    RowSearch(
      filter: view.filter, sort: view.sort, text: wanted.text ?? "", start: start,
      startIndex: index, isBackwards: isBackwards, includesStart: includesStart,
      matching: hasConditions ? conditions : nil)
  }

  /// Whether a request is for this text.
  func isAsked(by request: RowSearch) -> Bool {
    request.text == wanted.text ?? "" && request.matching == (hasConditions ? conditions : nil)
  }
}

extension ListWindow {
  /// Returns a match among these rows when no row that was not sent lies in between.
  func firstMatch(of wanted: RowSearch) -> FoundRow? {
    let place = wanted.start.flatMap { id in rows.firstIndex { $0.id == id } }
    let start = place ?? wanted.startIndex - firstRow
    guard rows.indices.contains(start) else { return nil }
    let test = RowTest(wanted.wanted)
    let step = wanted.isBackwards ? -1 : 1
    var position = wanted.includesStart ? start : start + step
    while rows.indices.contains(position) {
      if test.passes(rows[position]) {
        return FoundRow(id: rows[position].id, index: firstRow + position, hasWrapped: false)
      }
      position += step
    }
    return nil
  }
}
