import KettleModel

/// A transfer that the cursor is to go to.
struct Seek: Hashable, Sendable {
  enum Otherwise: Hashable, Sendable {
    case stays, toTop, toEnd
  }

  var id: TransferID?
  /// What the cursor does when the transfer is not in the list, or none is named.
  var otherwise: Otherwise
  /// The line of the screen on which it is to be; nil leaves the cursor on its line.
  var line: Int?
  /// Where it is said to stand; the rows there have been asked for.
  var index: Int?
}

/// The cursor, the part of the list that is seen, and the subscription to it.
extension DashboardModel {
  var rowCount: Int { window?.matchingCount ?? 0 }

  /// Where the cursor can be: while the rows are frozen, no others are there.
  var cursorRange: Range<Int> {
    guard isFrozen, let window, !window.rows.isEmpty else { return 0..<rowCount }
    return window.first..<(window.first + window.rows.count)
  }

  mutating func moveCursor(to index: Int) -> [DashboardEffect] {
    let range = cursorRange
    cursor = max(min(index, range.upperBound - 1), range.lowerBound)
    cursorID = window?.row(at: cursor)?.id
    seeking = nil
    return scrollToCursor()
  }

  /// Whether the rows that are seen are of the list that was shown before.
  var isAwaitingList: Bool { seeking.map { $0.otherwise != .stays } ?? false }

  /// While the rows of another list are on their way, those that are seen are of no account: the
  /// end that is meant is the end of what comes.
  mutating func moveCursor(by movement: Movement, page: Int) -> [DashboardEffect] {
    if isAwaitingList, movement == .home || movement == .end {
      seeking = Self.end(movement)
      return subscribeIfMoved()
    }
    return moveCursor(to: movement.target(from: cursor, page: page, last: rowCount - 1))
  }

  private static func end(_ movement: Movement) -> Seek {
    Seek(id: nil, otherwise: movement == .home ? .toTop : .toEnd)
  }

  /// Whether the cursor goes there already, as soon as the rows are there.
  func isOnTheWay(to movement: Movement) -> Bool {
    guard movement == .home || movement == .end else { return false }
    return seeking == Self.end(movement)
  }

  mutating func receive(_ next: ListWindow, _ newTotals: Totals, at now: Moment)
    -> [DashboardEffect]
  {
    totals = newTotals
    speeds.record(newTotals.bytesPerSecond, at: now.monotonic)
    refreshDetails(from: next)
    guard !isFrozen, next.tag == nil || next.tag == viewTag else { return [] }
    if mustGoOn(from: next) { return subscribeIfMoved() }
    window = next
    pruneMarks(with: next)
    placeCursor(in: next)
    return scrollToCursor()
  }

  /// What is sought stands where no rows were sent of yet. Until they are there those that were
  /// seen stay: a screen without rows for a moment would flicker.
  private mutating func mustGoOn(from next: ListWindow) -> Bool {
    guard let seek = seeking, seek.index == nil, let id = seek.id, next.index(of: id) == nil,
      let index = next.anchorIndex, next.row(at: index) == nil
    else { return false }
    seeking?.index = index
    return true
  }

  /// Goes to a transfer that stands at an index, at once or when its row is there.
  mutating func seek(_ id: TransferID, at index: Int, line: Int? = nil) -> [DashboardEffect] {
    if window?.row(at: index)?.id == id { return moveCursor(to: index) }
    seeking = Seek(id: id, otherwise: .stays, line: line, index: max(0, index))
    return subscribeIfMoved()
  }

  private mutating func placeCursor(in next: ListWindow) {
    if let seek = seeking {
      seeking = nil
      if let id = seek.id, let index = next.index(of: id) ?? next.anchorIndex {
        return goAfter(id, to: index, line: seek.line)
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
      if isFollowing, let index = next.anchorIndex { return goAfter(id, to: index) }
    }
    cursor = min(cursor, max(next.matchingCount - 1, 0))
    // A cursor on a row that was not sent keeps its transfer: the row may come back into view.
    if let row = next.row(at: cursor) { cursorID = row.id }
  }

  /// The transfer stays on its line of the screen, so that the eye need not look for it.
  private mutating func goAfter(_ id: TransferID, to index: Int, line: Int? = nil) {
    firstVisible = max(0, index - (line ?? cursor - firstVisible))
    cursor = index
    cursorID = id
  }

  /// The list is another one: another filter, another order.
  ///
  /// - Parameter wanted: Where the cursor goes when it is in it.
  mutating func showOther(wanted: TransferID?, line: Int? = nil) -> [DashboardEffect] {
    isFrozen = false
    seeking = Seek(id: wanted, otherwise: .toTop, line: line)
    return subscribeIfMoved()
  }

  /// Moves the visible part so that the cursor is in it and no room is wasted below the end.
  mutating func scrollToCursor() -> [DashboardEffect] {
    let height = layout.bodyHeight
    let last = max(rowCount - height, 0)
    firstVisible = min(max(firstVisible, cursor - height + 1), cursor, last)
    firstVisible = max(firstVisible, 0)
    return subscribeIfMoved()
  }

  /// The first row that is seen, or that will be when what is sought is found.
  private var topToAskFor: Int {
    guard let seek = seeking else { return firstVisible }
    guard let index = seek.index else { return seek.otherwise == .stays ? firstVisible : 0 }
    return max(0, min(index, 1 << 40) - (seek.line ?? cursor - firstVisible))
  }

  /// Asks for what is seen and a few rows on both sides, so that a step of the cursor does not
  /// show an empty row until the service has answered.
  mutating func subscribeIfMoved() -> [DashboardEffect] {
    guard link.isConnected, !isFrozen || subscription == nil else { return [] }
    let margin = 8
    let top = topToAskFor
    let first = max(0, top - margin)
    // By the size alone, so that a line about the view does not ask for the rows anew.
    let height = ListLayout(size: size).bodyHeight
    var wanted = Viewport(
      filter: filter, sort: sort, first: first, count: top + height + margin - first,
      anchor: seeking?.id ?? (isFollowing ? cursorID : nil), tag: viewTag)
    if let known = subscription {
      var same = known
      // That nothing is sought any more is no reason to ask anew.
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
