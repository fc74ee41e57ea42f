import KettleControl
import KettleClient
import KettleModel

/// Reads the list window by window, however long it is.
struct ListReader {
  let service: any ServiceCalling
  var filter = RowFilter()
  var pageCount = Viewport.countMax

  /// Each transfer once, and none left out that was there all the time.
  ///
  /// Between two windows transfers may leave the list, or no longer pass the filter, and those
  /// behind them move up: the next window starts that much earlier, and what was seen is skipped.
  func forEachPage(_ take: ([TransferSnapshot]) throws -> Void) async throws {
    var seen: Set<TransferID> = []
    var first = 0
    var matchingCount = 0
    repeat {
      let window = try await service.call(
        ListTransfers.self, Viewport(filter: filter, first: first, count: pageCount))
      if first > 0, window.matchingCount < matchingCount {
        // Asked again with room for everything that may have moved up.
        first = max(0, first - (matchingCount - window.matchingCount))
        matchingCount = window.matchingCount
        continue
      }
      matchingCount = window.matchingCount
      guard !window.rows.isEmpty else { break }
      try take(window.rows.filter { seen.insert($0.id).inserted })
      first += window.rows.count
    } while first < matchingCount
  }

  func all() async throws -> [TransferSnapshot] {
    var rows: [TransferSnapshot] = []
    try await forEachPage { rows += $0 }
    return rows
  }
}
