import TransferModel

/// The cursor, the part of the list that is seen, and the subscription to it.
extension DashboardModel {
  var rowCount: Int { window?.matchingCount ?? 0 }

  mutating func moveCursor(to index: Int) -> [DashboardEffect] {
    cursor = min(max(index, 0), max(rowCount - 1, 0))
    cursorID = window?.row(at: cursor)?.id
    return scrollToCursor()
  }

  mutating func receive(_ next: ListWindow, _ newTotals: Totals, at now: Moment)
    -> [DashboardEffect]
  {
    window = next
    totals = newTotals
    speeds.record(newTotals.bytesPerSecond, at: now.monotonic)
    refreshDetails(from: next)
    pruneMarks(with: next)
    if let cursorID, let index = next.index(of: cursorID) {
      cursor = index
    } else {
      cursor = min(cursor, max(next.matchingCount - 1, 0))
      // A cursor on a row that was not sent keeps its transfer: the row may come back into view.
      if let row = next.row(at: cursor) { cursorID = row.id }
    }
    return scrollToCursor()
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
    guard link.isConnected else { return [] }
    let margin = 8
    let first = max(0, firstVisible - margin)
    // By the size alone, so that a line about the view does not ask for the rows anew.
    let height = ListLayout(size: size).bodyHeight
    let wanted = first..<(firstVisible + height + margin)
    guard wanted != subscription else { return [] }
    subscription = wanted
    return [
      .subscribe(
        Viewport(filter: filter, sort: sort, first: wanted.lowerBound, count: wanted.count))
    ]
  }
}
