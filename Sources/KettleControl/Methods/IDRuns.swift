import KettleModel

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
