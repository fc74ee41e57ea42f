import KettleModel

/// The ids of all transfers that a filter lets pass: for who follows many and needs no rows.
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
