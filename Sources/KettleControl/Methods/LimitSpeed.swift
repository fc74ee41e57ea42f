import KettleModel

/// Sets the maximum bytes per second, effective at once, also for running transfers.
package enum LimitSpeed: ControlMethod {
  package static let name = "limits.set"

  package struct Params: Codable, Hashable, Sendable {
    /// Ids: the limit of each of these, stored with it. All: one limit for the total, until the
    /// service ends.
    package var selection: TransferSelection
    /// At least 1; nil means no limit.
    package var bytesPerSecond: Int64?

    package init(selection: TransferSelection, bytesPerSecond: Int64?) {
      self.selection = selection
      self.bytesPerSecond = bytesPerSecond
    }
  }

  /// Both lists are empty for the limit of the total.
  package typealias Result = ControlTransfers.Result
}
