import KettleModel

/// Returns the ids of all transfers that match a filter, for clients that follow many and need no
/// rows.
package enum ListIDs: ControlMethod {
  package static let name = "transfers.ids"

  package struct Params: Codable, Hashable, Sendable {
    package var filter: RowFilter

    package init(filter: RowFilter) { self.filter = filter }
  }

  package struct Result: Codable, Hashable, Sendable {
    /// In the order in which they were added.
    package var runs: IDRuns

    package init(runs: IDRuns) { self.runs = runs }
  }
}
