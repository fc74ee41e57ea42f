import TransferModel

extension RowTable {
  /// The next row with the words in the order of the list, or the one before; nil when none has
  /// them.
  func find(_ search: RowSearch) -> FoundRow? {
    let words = RowFilter.words(of: search.text)
    let rows = inOrder(search.filter, search.sort)
    guard !rows.isEmpty, !words.isEmpty else { return nil }
    let start = Self.start(of: search, in: rows)
    let step = search.isBackwards ? -1 : 1
    // All round the list: the start itself is the first that may be found, or the last.
    for offset in search.includesStart ? 0..<rows.count : 1..<(rows.count + 1) {
      let place = start + step * offset
      let index = (place % rows.count + rows.count) % rows.count
      if rows[index].hasWords(words) {
        return FoundRow(id: rows[index].id, index: index, hasWrapped: index != place)
      }
    }
    return nil
  }

  /// A start that is not in the list is where a client last saw it; the list may have become
  /// shorter since.
  private static func start(of search: RowSearch, in rows: [TransferSnapshot]) -> Int {
    if let id = search.start, let index = rows.firstIndex(where: { $0.id == id }) { return index }
    return min(max(search.startIndex, 0), rows.count - 1)
  }
}
