import KettleModel

/// Moves transfers in the order of the queue; moved transfers keep their relative order.
package enum MoveTransfers: ControlMethod {
  package static let name = "transfers.move"

  package struct Params: Codable, Hashable, Sendable {
    package var selection: TransferSelection
    package var way: QueueMove

    package init(selection: TransferSelection, way: QueueMove) {
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

/// Returns how many transfers were completed since a time, and their size together, including those
/// that were cleared from view.
package enum SumFinished: ControlMethod {
  package static let name = "transfers.sum"

  package struct Params: Codable, Hashable, Sendable {
    package var since: WallTime

    package init(since: WallTime) { self.since = since }
  }

  package struct Result: Codable, Hashable, Sendable {
    package var completedCount: Int
    package var completedByteCount: Int64

    package init(completedCount: Int, completedByteCount: Int64) {
      self.completedCount = completedCount
      self.completedByteCount = completedByteCount
    }
  }
}

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

/// Ids in an order, stored as runs of consecutive numbers. Transfers added together nearly always
/// form one run, and a list of every number would be as long as that of the URLs.
package struct IDRuns: Hashable, Sendable {
  /// The `count` numbers from `first` on.
  package struct Run: Hashable, Sendable {
    package let first: Int64
    package let count: Int

    package init(first: Int64, count: Int) {
      self.first = first
      self.count = count
    }
  }

  package private(set) var runs: [Run] = []
  /// The total of all runs.
  package private(set) var count = 0

  /// More than any list has; a larger count is refused before memory is allocated.
  package static let countMax = 1 << 24

  package init(_ ids: [TransferID] = []) {
    for id in ids { append(id) }
  }

  package mutating func append(_ id: TransferID) { append(Run(first: id.rawValue, count: 1)) }

  package mutating func append(contentsOf others: IDRuns) {
    for run in others.runs { append(run) }
  }

  private mutating func append(_ run: Run) {
    if let last = runs.last, last.first &+ Int64(last.count) == run.first {
      runs[runs.count - 1] = Run(first: last.first, count: last.count + run.count)
    } else {
      runs.append(run)
    }
    count += run.count
  }

  /// The ids in their original order.
  package var ids: [TransferID] {
    var ids: [TransferID] = []
    ids.reserveCapacity(count)
    for run in runs {
      for offset in 0..<Int64(run.count) {
        ids.append(TransferID(rawValue: run.first &+ offset))
      }
    }
    return ids
  }
}

extension IDRuns: Codable {
  /// Throws for a run without an id, numbers beyond 64 bits, and implausibly many ids.
  package init(from decoder: any Decoder) throws {
    var list = try decoder.unkeyedContainer()
    while !list.isAtEnd {
      let pair = try list.decode([Int64].self)
      guard pair.count == 2, let count = Int(exactly: pair[1]), count > 0,
        count <= Self.countMax - self.count,
        !pair[0].addingReportingOverflow(pair[1]).overflow
      else {
        throw DecodingError.dataCorruptedError(in: list, debugDescription: "not a run of ids")
      }
      runs.append(Run(first: pair[0], count: count))
      self.count += count
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var list = encoder.unkeyedContainer()
    for run in runs { try list.encode([run.first, Int64(run.count)]) }
  }
}
