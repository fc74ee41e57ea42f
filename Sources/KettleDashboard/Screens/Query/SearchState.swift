import KettleModel

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
