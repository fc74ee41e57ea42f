/// A group of the list. The groups are in work order: running transfers come first, finished ones
/// last.
package enum RowGroup: String, Codable, Sendable, CaseIterable {
  case running
  /// Everything that is still to be fetched and does not need the user: waiting transfers first,
  /// then the queue in its order, then those that start later or only by command.
  case next
  /// Transfers that continue when the user does something.
  case needsUser
  case failed
  case done

  package init(_ state: TransferState, _ reason: WaitingReason?) {
    switch state {
    case .running, .verifying: self = .running
    case .waiting where reason?.concernsUser == true: self = .needsUser
    case .waiting, .queued, .scheduled, .paused, .idle: self = .next
    case .failed: self = .failed
    case .completed: self = .done
    }
  }

  /// The place among the groups, from 0.
  package var rank: Int {
    switch self {
    case .running: 0
    case .next: 1
    case .needsUser: 2
    case .failed: 3
    case .done: 4
    }
  }
}

/// A group of a list that is displayed.
package struct ListedGroup: Codable, Hashable, Sendable {
  package var group: RowGroup
  /// The number of its rows, which are not displayed if it is folded.
  package var count: Int
  package var isFolded: Bool

  package init(_ group: RowGroup, count: Int, isFolded: Bool = false) {
    self.group = group
    self.count = count
    self.isFolded = isFolded
  }
}

/// Converts between the indices of all rows of a grouped list, and those of its rows that are not
/// folded.
package struct UnfoldedRows: Sendable, Hashable {
  /// The indices of the rows that are not folded, in order.
  private var ranges: [Range<Int>] = []
  package private(set) var count = 0

  package init(_ groups: [ListedGroup]) {
    var start = 0
    for group in groups {
      let size = max(0, group.count)
      if !group.isFolded, size > 0 {
        ranges.append(start..<(start + size))
        count += size
      }
      start += size
    }
  }

  /// Returns the indices of rows in the whole list.
  package func wholeRanges(first: Int, count: Int) -> [Range<Int>] {
    var (skip, left) = (max(0, first), max(0, count))
    var wanted: [Range<Int>] = []
    for range in ranges where left > 0 {
      let part = range.dropFirst(skip).prefix(left)
      skip = max(0, skip - range.count)
      left -= part.count
      if !part.isEmpty { wanted.append(part.startIndex..<part.endIndex) }
    }
    return wanted
  }

  /// Returns nil for a row in a folded group.
  package func index(ofWhole index: Int) -> Int? {
    var before = 0
    for range in ranges {
      if range.contains(index) { return before + index - range.lowerBound }
      before += range.count
    }
    return nil
  }
}
