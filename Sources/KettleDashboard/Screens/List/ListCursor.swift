import KettleModel

/// A transfer that the cursor should move to.
struct CursorTarget: Hashable, Sendable {
  enum Otherwise: Hashable, Sendable {
    case stays, toTop, toEnd
  }

  var id: TransferID?
  /// What the cursor does when the transfer is not in the list, or when no transfer is given.
  var otherwise: Otherwise
  /// The screen line on which the row should appear; nil keeps the cursor on its line.
  var line: Int?
  /// The index that the service reported for it; the rows there have been requested.
  var index: Int?

  /// The end of the list that arrives next.
  init(endOf movement: Movement) {
    otherwise = movement == .home ? .toTop : .toEnd
  }

  init(id: TransferID?, otherwise: Otherwise, line: Int? = nil, index: Int? = nil) {
    self.id = id
    self.otherwise = otherwise
    self.line = line
    self.index = index
  }
}

/// The cursor of the list, and the first visible line.
package struct ListCursor: Hashable, Sendable {
  /// A line of the list.
  package internal(set) var index = 0
  /// The transfer under the cursor. The cursor follows it when rows are added or removed.
  package internal(set) var id: TransferID?
  /// The group of the row or the heading under the cursor; nil in a list without groups.
  package internal(set) var group: ListGroup?
  /// The group by state of the transfer, whatever the groups of the list.
  private var workGroup: RowGroup?
  package internal(set) var firstVisible = 0
  /// The transfer to which the cursor moves once the service has reported its index.
  var target: CursorTarget?

  package init() {}

  /// The screen line of the cursor.
  var line: Int { index - firstVisible }

  mutating func move(to newIndex: Int, in range: Range<Int>, of window: ListWindow?) {
    index = max(min(newIndex, range.upperBound - 1), range.lowerBound)
    id = window?.row(at: index)?.id
    note(window)
    target = nil
  }

  /// Moves to the heading of a group when the list that arrives next has it.
  mutating func moveToHeading(of group: ListGroup) {
    (id, self.group, target) = (nil, group, nil)
  }

  /// Scrolls so that the cursor is visible and no space is wasted below the last line.
  ///
  /// - Parameter pinnedCount: the lines at the top that are always visible.
  mutating func scroll(height: Int, lineCount: Int, pinnedCount: Int = 0) {
    let last = max(lineCount - height, 0)
    firstVisible = max(min(max(firstVisible, index - height + 1), index, last), pinnedCount)
  }

  /// Whether the visible rows still belong to the previous list.
  var isAwaitingList: Bool { target.map { $0.otherwise != .stays } ?? false }

  /// Whether the cursor will already move there when the rows arrive.
  func isMovePending(to movement: Movement) -> Bool {
    guard movement == .home || movement == .end else { return false }
    return target == CursorTarget(endOf: movement)
  }

  /// The first visible row, or the one that will be visible when the target is found.
  var requestedTop: Int {
    guard let target else { return firstVisible }
    guard let index = target.index else {
      return target.otherwise == .stays ? firstVisible : 0
    }
    return max(0, min(index, 1 << 40) - (target.line ?? line))
  }

  /// Returns whether the rows around the transfer that the cursor moves to must be requested first.
  /// The previous rows stay until they arrive: a screen that is empty for a moment would flicker.
  mutating func mustLoadMore(from next: ListWindow) -> Bool {
    guard let target, target.index == nil, let id = target.id, next.index(of: id) == nil,
      let index = next.anchorIndex, next.row(at: index) == nil
    else { return false }
    self.target?.index = index
    return true
  }

  /// Moves to the target or stays on the transfer when new rows arrive.
  mutating func place(in next: ListWindow, isFollowing: Bool) {
    settle(in: next, isFollowing: isFollowing)
    note(next)
  }

  /// Remembers in which groups the cursor is.
  private mutating func note(_ window: ListWindow?) {
    group = window?.lines.group(at: index)
    // A transfer whose row was not sent is in the group that it was in.
    if let row = window?.row(at: index) { workGroup = row.workGroup }
  }

  private mutating func settle(in next: ListWindow, isFollowing: Bool) {
    if let seek = target {
      target = nil
      if let id = seek.id, let index = next.index(of: id) ?? next.anchorIndex {
        return follow(id, to: index, line: seek.line)
      }
      switch seek.otherwise {
      case .stays: break
      case .toTop:
        firstVisible = 0
        index = next.lines.heading(at: 0).map { $0.isFolded ? 0 : 1 } ?? 0
      case .toEnd: index = max(next.lines.count - 1, 0)
      }
    } else if let id {
      if let found = next.index(of: id), isFollowing || !hasEnded(at: found, in: next) {
        index = found
        return
      }
      if isFollowing, let found = next.anchorIndex { return follow(id, to: found) }
    } else if let group, let heading = next.lines.line(of: group) {
      index = heading
      return
    }
    index = min(index, max(next.lines.count - 1, 0))
    if let heading = next.lines.heading(at: index) {
      // Only the user moves the cursor to a heading with rows.
      id = nil
      if heading.isFolded { return }
      index += 1
    }
    // A cursor on a row that was not sent keeps its transfer: the row may become visible again.
    if let row = next.row(at: index) { id = row.id }
  }

  /// Whether the transfer under the cursor has ended. The cursor then stays on its line: the list
  /// would otherwise scroll away from the running transfers.
  private func hasEnded(at line: Int, in next: ListWindow) -> Bool {
    guard group != nil, let workGroup, let now = next.row(at: line)?.workGroup,
      now != workGroup
    else { return false }
    return switch now {
    case .running, .next, .needsUser: false
    case .failed, .done: true
    }
  }

  /// Keeps the transfer on its screen line, so that the eye does not have to search for it.
  private mutating func follow(_ wanted: TransferID, to newIndex: Int, line: Int? = nil) {
    firstVisible = max(0, newIndex - (line ?? self.line))
    index = newIndex
    id = wanted
  }
}

extension TransferSnapshot {
  fileprivate var workGroup: RowGroup { RowGroup(state, reason) }
}

/// The marked transfers: either a set of IDs, or all that match a filter except some.
///
/// This marks a list of a million without a million IDs.
package struct Marks: Hashable, Sendable {
  /// The marked transfers; with a filter, the ones that are not marked.
  private var ids: Set<TransferID> = []
  /// Set when all transfers that match it are marked, except `ids`.
  private var filter: RowFilter?

  package init() {}

  package var isEmpty: Bool { filter == nil && ids.isEmpty }

  package func contains(_ id: TransferID) -> Bool { ids.contains(id) != (filter != nil) }

  /// Returns the number of marked transfers in a list in which `matchingCount` match the filter.
  /// The result is too low when some of the excluded transfers no longer match it.
  package func count(matchingCount: Int) -> Int {
    filter == nil ? ids.count : max(0, matchingCount - ids.count)
  }

  /// nil when nothing is marked.
  package var selection: TransferSelection? {
    if let filter { return .matching(filter, except: ids.sorted()) }
    return ids.isEmpty ? nil : .ids(ids.sorted())
  }

  func areAll(matching filter: RowFilter) -> Bool { self.filter == filter && ids.isEmpty }

  /// Whether the marks are defined by the filter, so that another filter would mark other
  /// transfers.
  var dependsOnFilter: Bool { filter != nil }

  mutating func toggle(_ id: TransferID) {
    if ids.remove(id) == nil { ids.insert(id) }
  }

  mutating func markAll(matching filter: RowFilter) {
    ids = []
    self.filter = filter
  }

  mutating func removeAll() { self = Marks() }

  mutating func invert(within filter: RowFilter) {
    self.filter = self.filter == nil ? filter : nil
  }

  /// Removes transfers that no longer exist.
  mutating func forget(_ gone: some Sequence<TransferID>) { ids.subtract(gone) }

  /// Removes all except these, which are all that exist.
  mutating func keep(only present: some Sequence<TransferID>) { ids.formIntersection(present) }
}
