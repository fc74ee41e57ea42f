import TransferModel

extension RowTable {
  /// The next row with the words in the order of the list, or the one before; nil when none has
  /// them.
  mutating func find(_ search: RowSearch) -> FoundRow? {
    let (ids, start) = inOrder(
      RowView(filter: search.filter, sort: search.sort), with: search.start)
    guard !ids.isEmpty, !RowFilter.words(of: search.text).isEmpty else { return nil }
    let test = RowTest(RowFilter(text: search.text))
    // A start that is gone is where the client last saw it; the list may have become shorter since.
    let first = start ?? min(max(search.startIndex, 0), ids.count - 1)
    let step = search.isBackwards ? -1 : 1
    // All round the list: the start itself is the first that may be found, or the last.
    for offset in search.includesStart ? 0..<ids.count : 1..<(ids.count + 1) {
      let place = first + step * offset
      let index = (place % ids.count + ids.count) % ids.count
      if let row = row(ids[index]), test.passes(row) {
        return FoundRow(id: row.id, index: index, hasWrapped: index != place)
      }
    }
    return nil
  }
}
