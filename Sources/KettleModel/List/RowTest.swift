/// A filter prepared for testing many rows.
package struct RowTest: Sendable {
  private let filter: RowFilter
  private let words: WordTest

  package init(_ filter: RowFilter) {
    self.filter = filter
    words = WordTest(filter.words)
  }

  package func passes(_ row: TransferSnapshot) -> Bool {
    switch filter.scope {
    case .all: break
    case .uncleared: if row.isCleared == true { return false }
    }
    if let states = filter.states, !states.contains(row.state) { return false }
    if filter.needsUser, row.state != .waiting || row.reason?.concernsUser != true { return false }
    if let stage = filter.stage, stage != RowFilter.Stage(row.state, row.reason) { return false }
    if let session = filter.session, session != row.session { return false }
    if let queue = filter.queue, queue != row.queueOfUser { return false }
    if let host = filter.host, !row.hasHost(host) { return false }
    return words.passes(row)
  }
}
