import KettleClient
import KettleControl
import KettleModel

/// Reads the list window by window, whatever its length.
struct ListReader {
  let service: any ServiceCalling
  var filter = RowFilter()
  var pageCount = ListReader.usualPageCount

  /// While the service reads a window from the store, others wait for the store.
  static let usualPageCount = 1000

  /// Passes each transfer once, and leaves out none that was on the list throughout.
  ///
  /// Between two windows transfers may leave the list or stop matching the filter, and the ones
  /// after them move up. The next window then starts that much earlier, and transfers already seen
  /// are skipped.
  ///
  /// - Returns: The totals that came with the last window.
  @discardableResult
  func forEachPage(_ body: ([TransferSnapshot]) throws -> Void) async throws -> Totals {
    var totals = Totals()
    var seen: Set<TransferID> = []
    var first = 0
    var matchingCount = 0
    repeat {
      let window = try await service.call(
        ListTransfers.self, Viewport(filter: filter, first: first, count: pageCount))
      totals = window.totals
      if first > 0, window.matchingCount < matchingCount {
        // Request again, with room for everything that may have moved up.
        first = max(0, first - (matchingCount - window.matchingCount))
        matchingCount = window.matchingCount
        continue
      }
      matchingCount = window.matchingCount
      guard !window.rows.isEmpty else { break }
      try body(window.rows.filter { seen.insert($0.id).inserted })
      first += window.rows.count
    } while first < matchingCount
    return totals
  }

  func all() async throws -> [TransferSnapshot] {
    var rows: [TransferSnapshot] = []
    try await forEachPage { rows += $0 }
    return rows
  }
}
