import KettleModel

/// Sets the most bytes a second; it holds at once, also for what is running.
package enum LimitSpeed: ControlMethod {
  package static let name = "limits.set"

  package struct Params: Codable, Hashable, Sendable {
    /// Ids: the limit of each of these, kept with it. All: the one limit of everything together,
    /// until the service ends.
    package var selection: TransferSelection
    /// At least 1; nil is no limit.
    package var bytesPerSecond: Int64?

    package init(selection: TransferSelection, bytesPerSecond: Int64?) {
      self.selection = selection
      self.bytesPerSecond = bytesPerSecond
    }
  }

  /// For everything together both lists are empty.
  package typealias Result = ControlTransfers.Result
}
