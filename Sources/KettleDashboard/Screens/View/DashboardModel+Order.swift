import KettleModel

/// The order of the list and of the queue.
extension DashboardModel {
  mutating func setSort(_ sort: RowSort) -> [DashboardEffect] {
    guard sort != view.sort else { return [] }
    view.sort = sort
    return showOtherList(wanted: cursorID)
  }

  /// Sorting by the current key again reverses the order.
  package mutating func sort(by key: RowSort.Key) -> [DashboardEffect] {
    let isDescending = key == sort.key ? !sort.isDescending : key.beginsDescending
    return setSort(RowSort(key: key, isDescending: isDescending))
  }

  /// The columns that `<` and `>` step through, from left to right.
  package var columnKeys: [RowSort.Key] {
    switch view.kind {
    case .transfers: return [.queue, .state] + TableColumns(width: size.columns).keys
    case .history: return HistoryColumns(width: size.columns).keys
    }
  }

  /// Wraps around from the last column to the first.
  mutating func sortByColumn(step: Int) -> [DashboardEffect] {
    let keys = columnKeys
    let next =
      keys.firstIndex(of: sort.key).map { ($0 + step + keys.count) % keys.count }
      ?? (step > 0 ? 0 : keys.count - 1)
    guard keys.indices.contains(next) else { return [] }
    return setSort(RowSort(key: keys[next], isDescending: keys[next].beginsDescending))
  }

  mutating func choose(_ index: Int) -> [DashboardEffect] {
    guard case .sortMenu(let menu) = screens.last, menu.keys.indices.contains(index) else {
      return []
    }
    screens.removeLast()
    return sort(by: menu.keys[index])
  }

  // MARK: - Queue

  mutating func perform(_ command: QueueCommand) -> [DashboardEffect] {
    guard let selection else { return [] }
    switch command {
    // In a queue that is shown in reverse, the row above comes later.
    case .up: return [.move(selection, sort.isDescending ? .down : .up)]
    case .down: return [.move(selection, sort.isDescending ? .up : .down)]
    case .toTop: return [.move(selection, sort.isDescending ? .toBottom : .toTop)]
    case .toBottom: return [.move(selection, sort.isDescending ? .toTop : .toBottom)]
    case .sooner, .later:
      return nextPriority(command).map { [.prioritize(selection, $0)] } ?? []
    }
  }

  func availability(of command: QueueCommand) -> Availability {
    guard link.isConnected else { return .impossible(Strings.needsService) }
    if view.kind == .history { return .impossible(Strings.historyHasNoQueue) }
    guard selection != nil else {
      return .impossible(rowCount == 0 ? emptyReason : Strings.rowNotThereYet)
    }
    switch command {
    case .up where view.isFiltered, .down where view.isFiltered:
      return .impossible(Strings.neighboursAreHidden)
    case .up, .down, .toTop, .toBottom:
      return Availability(unless: sort.key == .queue ? nil : Strings.notInQueueOrder(sort))
    case .sooner, .later:
      guard nextPriority(command) == nil else { return .possible }
      if selectedRows.isEmpty { return .impossible(Strings.markedRowOutOfSight) }
      if selectedRows.allSatisfy({ $0.state == .completed }) {
        return .impossible(Strings.alreadyFinished)
      }
      return .impossible(command == .sooner ? Strings.highestPriority : Strings.lowestPriority)
    }
  }

  /// Returns the next priority for the transfer that is farthest from the highest or lowest one, so
  /// that no other transfer moves in the opposite direction. Returns nil when none can go farther.
  private func nextPriority(_ command: QueueCommand) -> TransferPriority? {
    let steps: [TransferPriority] = [.low, .normal, .high]
    let priorities = selectedRows.filter { $0.state != .completed }.map(\.priority)
    switch command {
    case .sooner:
      guard let lowest = priorities.min(), let highest = priorities.max() else { return nil }
      return steps.first { $0 > lowest }.map { max($0, highest) }
    case .later:
      guard let lowest = priorities.min(), let highest = priorities.max() else { return nil }
      return steps.last { $0 < highest }.map { min($0, lowest) }
    case .up, .down, .toTop, .toBottom: return nil
    }
  }
}
