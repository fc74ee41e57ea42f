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
}

/// The cursor, the visible part of the list, and the subscription to it.
extension DashboardModel {
  var rowCount: Int { window?.matchingCount ?? 0 }

  /// The valid positions of the cursor. While the rows are frozen, only the rows on hand are valid.
  var cursorRange: Range<Int> {
    guard isFrozen, let window, !window.rows.isEmpty else { return 0..<rowCount }
    return window.first..<(window.first + window.rows.count)
  }

  mutating func moveCursor(to index: Int) -> [DashboardEffect] {
    let range = cursorRange
    cursor = max(min(index, range.upperBound - 1), range.lowerBound)
    cursorID = window?.row(at: cursor)?.id
    cursorTarget = nil
    return scrollToCursor()
  }

  /// Whether the visible rows still belong to the previous list.
  var isAwaitingList: Bool { cursorTarget.map { $0.otherwise != .stays } ?? false }

  /// While the rows of another list are on their way, the visible rows do not count: Home and End
  /// mean the ends of the list that arrives next.
  mutating func moveCursor(by movement: Movement, page: Int) -> [DashboardEffect] {
    if isAwaitingList, movement == .home || movement == .end {
      cursorTarget = Self.end(movement)
      return subscribeIfMoved()
    }
    return moveCursor(to: movement.target(from: cursor, page: page, last: rowCount - 1))
  }

  private static func end(_ movement: Movement) -> CursorTarget {
    CursorTarget(id: nil, otherwise: movement == .home ? .toTop : .toEnd)
  }

  /// Whether the cursor will already move there when the rows arrive.
  func isMovePending(to movement: Movement) -> Bool {
    guard movement == .home || movement == .end else { return false }
    return cursorTarget == Self.end(movement)
  }

  mutating func receive(_ next: ListWindow, _ newTotals: Totals, at now: Moment)
    -> [DashboardEffect]
  {
    totals = newTotals
    speeds.record(newTotals.bytesPerSecond, at: now.monotonic)
    refreshDetails(from: next)
    guard !isFrozen, next.tag == nil || next.tag == viewTag else { return [] }
    if mustLoadMore(from: next) { return subscribeIfMoved() }
    window = next
    pruneMarks(with: next)
    placeCursor(in: next)
    return scrollToCursor()
  }

  /// Returns whether the rows around the transfer that the cursor moves to must be requested first.
  /// The previous rows stay until they arrive: a screen that is empty for a moment would flicker.
  private mutating func mustLoadMore(from next: ListWindow) -> Bool {
    guard let seek = cursorTarget, seek.index == nil, let id = seek.id, next.index(of: id) == nil,
      let index = next.anchorIndex, next.row(at: index) == nil
    else { return false }
    cursorTarget?.index = index
    return true
  }

  /// Moves the cursor to a transfer at a known index, either now or when its row arrives.
  mutating func seek(_ id: TransferID, at index: Int, line: Int? = nil) -> [DashboardEffect] {
    if window?.row(at: index)?.id == id { return moveCursor(to: index) }
    cursorTarget = CursorTarget(id: id, otherwise: .stays, line: line, index: max(0, index))
    return subscribeIfMoved()
  }

  private mutating func placeCursor(in next: ListWindow) {
    if let seek = cursorTarget {
      cursorTarget = nil
      if let id = seek.id, let index = next.index(of: id) ?? next.anchorIndex {
        return followRow(id, to: index, line: seek.line)
      }
      switch seek.otherwise {
      case .stays: break
      case .toTop: (cursor, firstVisible) = (0, 0)
      case .toEnd: cursor = max(next.matchingCount - 1, 0)
      }
    } else if let id = cursorID {
      if let index = next.index(of: id) {
        cursor = index
        return
      }
      if isFollowing, let index = next.anchorIndex { return followRow(id, to: index) }
    }
    cursor = min(cursor, max(next.matchingCount - 1, 0))
    // A cursor on a row that was not sent keeps its transfer: the row may become visible again.
    if let row = next.row(at: cursor) { cursorID = row.id }
  }

  /// Keeps the transfer on its screen line, so that the eye does not have to search for it.
  private mutating func followRow(_ id: TransferID, to index: Int, line: Int? = nil) {
    firstVisible = max(0, index - (line ?? cursor - firstVisible))
    cursor = index
    cursorID = id
  }

  /// Shows a different list, after a change of filter or order.
  ///
  /// - Parameter wanted: The transfer that the cursor moves to if it is in the new list.
  mutating func showOtherList(wanted: TransferID?, line: Int? = nil) -> [DashboardEffect] {
    isFrozen = false
    cursorTarget = CursorTarget(id: wanted, otherwise: .toTop, line: line)
    return subscribeIfMoved()
  }

  /// Scrolls so that the cursor is visible and no space is wasted below the last row.
  mutating func scrollToCursor() -> [DashboardEffect] {
    let height = layout.bodyHeight
    let last = max(rowCount - height, 0)
    firstVisible = min(max(firstVisible, cursor - height + 1), cursor, last)
    firstVisible = max(firstVisible, 0)
    return subscribeIfMoved()
  }

  /// The first visible row, or the one that will be visible when the transfer is found.
  private var requestedTop: Int {
    guard let seek = cursorTarget else { return firstVisible }
    guard let index = seek.index else { return seek.otherwise == .stays ? firstVisible : 0 }
    return max(0, min(index, 1 << 40) - (seek.line ?? cursor - firstVisible))
  }

  /// Requests the visible rows and a few on both sides, so that a cursor step does not show an
  /// empty row until the service replies.
  mutating func subscribeIfMoved() -> [DashboardEffect] {
    guard link.isConnected, !isFrozen || subscription == nil else { return [] }
    let margin = 8
    let top = requestedTop
    let first = max(0, top - margin)
    // Depends on the size alone, so that a view line appearing does not request the rows again.
    let height = ListLayout(size: size).bodyHeight
    var wanted = Viewport(
      filter: filter, sort: sort, first: first, count: top + height + margin - first,
      anchor: cursorTarget?.id ?? (isFollowing ? cursorID : nil), tag: viewTag)
    if let known = subscription {
      var same = known
      // An anchor that is no longer needed is no reason for a new request.
      if wanted.anchor == nil { same.anchor = nil }
      guard wanted != same else { return [] }
      if wanted.filter != same.filter || wanted.sort != same.sort || wanted.anchor != same.anchor {
        viewTag &+= 1
        wanted.tag = viewTag
      }
    }
    subscription = wanted
    return [.subscribe(wanted)]
  }
}
