import KettleModel

/// The target of controls: the marked transfers, or else the one under the cursor.
extension DashboardModel {
  /// nil when nothing is marked and no row is under the cursor.
  package var selection: TransferSelection? {
    marks.selection ?? cursorRow.map { .ids([$0.id]) }
  }

  /// The number of transfers in `selection`.
  package var selectedCount: Int {
    marks.isEmpty ? (cursorRow == nil ? 0 : 1) : markedCount
  }

  package var markedCount: Int { marks.count(matchingCount: rowCount) }

  /// The rows of `selection` that the service has sent; possibly not all.
  package var selectedRows: [TransferSnapshot] {
    guard !marks.isEmpty else { return cursorRow.map { [$0] } ?? [] }
    return (window?.rows ?? []).filter { marks.contains($0.id) }
  }

  mutating func mark(_ command: MarkCommand) -> [DashboardEffect] {
    switch command {
    case .toggle:
      guard let row = cursorRow else { return [] }
      marks.toggle(row.id)
      return moveCursor(to: cursor + 1)
    case .all: marks.markAll(matching: filter)
    case .none: marks.removeAll()
    case .invert: marks.invert(within: filter)
    }
    return []
  }

  func availability(of command: MarkCommand) -> Availability {
    switch command {
    case .none: Availability(unless: marks.isEmpty ? Strings.nothingIsMarked : nil)
    case .all:
      Availability(
        unless: rowCount == 0
          ? emptyReason : marks.areAll(matching: filter) ? Strings.allAreMarked : nil)
    case .invert: Availability(unless: rowCount == 0 ? emptyReason : nil)
    case .toggle:
      Availability(
        unless: cursorRow != nil
          ? nil : rowCount == 0 ? emptyReason : Strings.rowNotThereYet)
    }
  }

  /// Drops marks of transfers that no longer exist, so that they are not counted.
  mutating func pruneMarks(with next: ListWindow) {
    guard !view.isFiltered, next.first == 0, next.rows.count == next.matchingCount else {
      return
    }
    marks.keep(only: next.rows.lazy.map(\.id))
  }

  /// Drops marks of transfers that the service refused as unknown.
  mutating func forgetMarks(of refused: [ControlRefusal]) {
    marks.forget(refused.lazy.filter { $0.why == .unknown }.map(\.id))
  }
}
