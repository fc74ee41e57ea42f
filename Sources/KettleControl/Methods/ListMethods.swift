import KettleModel

/// Moves transfers in the order of the queue; moved transfers keep their relative order.
package enum MoveTransfers: ControlMethod {
  package static let name = "transfers.move"

  package enum Way: String, Codable, Hashable, Sendable, CaseIterable {
    /// By one position; those at the end of the list stay.
    case up, down
    case toTop, toBottom
  }

  package struct Params: Codable, Hashable, Sendable {
    package var selection: TransferSelection
    package var way: Way

    package init(selection: TransferSelection, way: Way) {
      self.selection = selection
      self.way = way
    }
  }

  package typealias Result = ControlTransfers.Result
}

/// Sets the priority of transfers, effective when the next free slot is assigned.
package enum PrioritizeTransfers: ControlMethod {
  package static let name = "transfers.prioritize"

  package struct Params: Codable, Hashable, Sendable {
    package var selection: TransferSelection
    package var priority: TransferPriority

    package init(selection: TransferSelection, priority: TransferPriority) {
      self.selection = selection
      self.priority = priority
    }
  }

  package typealias Result = ControlTransfers.Result
}

/// Clears finished transfers from lists that show only the uncleared; every record and every file
/// stays.
package enum ClearFinished: ControlMethod {
  package static let name = "transfers.clear"
  package typealias Params = Nothing

  package struct Result: Codable, Hashable, Sendable {
    package var clearedCount: Int

    package init(clearedCount: Int) { self.clearedCount = clearedCount }
  }
}

/// Counts the client as a dashboard until it disconnects, and returns what happened while no
/// dashboard was open.
package enum ReportNews: ControlMethod {
  package static let name = "transfers.news"
  package typealias Params = Nothing

  package struct Result: Codable, Hashable, Sendable {
    /// nil if no dashboard was ever open before, or another one is open.
    package var news: TransferNews?

    package init(news: TransferNews? = nil) { self.news = news }
  }
}
