import TransferModel

/// A transfer that the cursor is to go to.
struct Seek: Hashable, Sendable {
  var id: TransferID?
  /// Where it is not in the list the cursor goes to the first row; else it stays where it is.
  var elseTop: Bool
  /// The line of the screen on which it is to be; nil leaves the cursor on its line.
  var line: Int?
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

  mutating func receive(_ next: ListWindow, _ newTotals: Totals, at now: Moment)
    -> [DashboardEffect]
  {
    totals = newTotals
    speeds.record(newTotals.bytesPerSecond, at: now.monotonic)
    refreshDetails(from: next)
    guard !isFrozen, next.tag == nil || next.tag == viewTag else { return [] }
    window = next
    pruneMarks(with: next)
    placeCursor(in: next)
    return scrollToCursor()
  }

  private mutating func placeCursor(in next: ListWindow) {
    if let seek = seeking {
      seeking = nil
      if let id = seek.id, let index = next.index(of: id) ?? next.anchorIndex {
        return goAfter(id, to: index, line: seek.line)
      }
      if seek.elseTop { (cursor, firstVisible) = (0, 0) }
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
    seeking = Seek(id: wanted, elseTop: true, line: line)
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

  /// Asks for what is seen and a few rows on both sides, so that a step of the cursor does not
  /// show an empty row until the service has answered.
  mutating func subscribeIfMoved() -> [DashboardEffect] {
    guard link.isConnected, !isFrozen || subscription == nil else { return [] }
    let margin = 8
    let top = seeking?.elseTop == true ? 0 : firstVisible
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
