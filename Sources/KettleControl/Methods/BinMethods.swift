import KettleModel

/// Lists the actions that can be undone.
package enum ListBin: ControlMethod {
  package static let name = "bin.list"
  package typealias Params = Nothing

  package struct Result: Codable, Hashable, Sendable {
    /// The latest first.
    package var actions: [BinSnapshot]

    package init(actions: [BinSnapshot]) { self.actions = actions }
  }
}

/// Undoes an action.
package enum UndoAction: ControlMethod {
  package static let name = "bin.undo"

  package struct Params: Codable, Hashable, Sendable {
    /// The number of the action; nil is the latest one of which something can be restored.
    package var number: Int64?

    package init(number: Int64? = nil) { self.number = number }
  }

  package struct Result: Codable, Hashable, Sendable {
    /// nil if there is no such action.
    package var kind: BinAction.Kind?
    package var at: WallTime?
    package var restored: IDRuns
    /// Transfers that were started again and are not idle; what they had stays in the bin.
    package var busy: [TransferID]
    /// How many cleared transfers are in view again.
    package var uncoveredCount: Int

    package init(
      kind: BinAction.Kind? = nil, at: WallTime? = nil, restored: IDRuns = IDRuns([]),
      busy: [TransferID] = [], uncoveredCount: Int = 0
    ) {
      self.kind = kind
      self.at = at
      self.restored = restored
      self.busy = busy
      self.uncoveredCount = uncoveredCount
    }
  }
}

/// Deletes everything in the bin. Nothing of it can be undone afterwards.
package enum EmptyBin: ControlMethod {
  package static let name = "bin.empty"
  package typealias Params = Nothing
  package typealias Result = ListBin.Result
}
