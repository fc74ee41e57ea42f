import KettleModel

/// What the list shows, and in which order.
extension DashboardModel {
  package var filter: RowFilter { view.filter }
  package var sort: RowSort { view.sort }

  package internal(set) var marks: Marks {
    get { view.marks }
    set { view.marks = newValue }
  }

  mutating func perform(_ command: ViewCommand, at now: Moment) -> [DashboardEffect] {
    switch command {
    case .filter: openQuery(.filter)
    case .search: openQuery(.search)
    case .findNext: return findNext(isBackwards: false, at: now)
    case .findPrevious: return findNext(isBackwards: true, at: now)
    case .sortMenu: screens.append(.sortMenu(SortMenu(of: view.kind, showing: sort)))
    case .columnLeft: return sortByColumn(step: -1)
    case .columnRight: return sortByColumn(step: 1)
    case .reverse: return setSort(RowSort(key: sort.key, isDescending: !sort.isDescending))
    case .follow: return toggleFollowing(at: now)
    case .freeze: return toggleFreezing(at: now)
    case .history: return showOtherView()
    case .clearFinished: return [.clearFinished]
    case .clear: return clear(at: now)
    }
    return []
  }

  func availability(of command: ViewCommand) -> Availability {
    switch command {
    case .filter, .sortMenu, .columnLeft, .columnRight, .reverse:
      if !link.isConnected { return .impossible(Strings.needsService) }
      return Availability(unless: rowCount == 0 && !view.isFiltered ? emptyReason : nil)
    case .history: return Availability(unless: link.isConnected ? nil : Strings.needsService)
    case .search: return Availability(unless: rowCount == 0 ? emptyReason : nil)
    case .findNext, .findPrevious:
      if !search.isOn { return .impossible(Strings.noSearchYet) }
      return Availability(unless: rowCount == 0 ? emptyReason : nil)
    case .follow: return Availability(unless: rowCount == 0 && !isFollowing ? emptyReason : nil)
    case .freeze: return Availability(unless: window == nil ? Strings.rowNotThereYet : nil)
    case .clearFinished:
      if !link.isConnected { return .impossible(Strings.needsService) }
      if view.kind == .history { return .impossible(Strings.historyIsNotCleared) }
      return Availability(unless: totals.count(.completed) == 0 ? Strings.nothingFinished : nil)
    case .clear: return Availability(unless: hasSomethingToClear ? nil : Strings.nothingToClear)
    }
  }

  /// Why there are no rows.
  var emptyReason: String {
    if view.isFiltered { return Strings.nothingMatches }
    return switch view.kind {
    case .transfers: Strings.listIsEmpty
    case .history: Strings.historyIsEmpty
    }
  }

  // MARK: - Follow and freeze

  private mutating func toggleFollowing(at now: Moment) -> [DashboardEffect] {
    isFollowing.toggle()
    showNotice(keymap.filled(isFollowing ? Strings.followingOn : Strings.followingOff), at: now)
    return subscribeIfMoved()
  }

  private mutating func toggleFreezing(at now: Moment) -> [DashboardEffect] {
    isFrozen.toggle()
    showNotice(keymap.filled(isFrozen ? Strings.frozenOn : Strings.frozenOff), at: now)
    guard !isFrozen else { return [] }
    // Rows that arrived in the meantime were discarded.
    subscription = nil
    return subscribeIfMoved()
  }

  // MARK: - History

  private mutating func showOtherView() -> [DashboardEffect] {
    view.cursorID = cursorID
    view.cursorLine = cursor - firstVisible
    swap(&view, &otherView)
    search.pending = nil
    // The rows of the other view would appear under the wrong column names.
    window = nil
    (cursor, cursorID, firstVisible) = (0, nil, 0)
    return showOtherList(wanted: view.cursorID, line: view.cursorLine)
  }

  // MARK: - Clearing

  private var hasSomethingToClear: Bool {
    search.isOn || !view.filterText.isEmpty || !marks.isEmpty || view.kind == .history
  }

  private mutating func clear(at now: Moment) -> [DashboardEffect] {
    if search.isOn {
      endSearch()
      showNotice(Strings.searchEnded, at: now)
    } else if !view.filterText.isEmpty {
      let effects = setFilter("", wanted: cursorID, at: now)
      if notice == nil { showNotice(Strings.filterEnded, at: now) }
      return effects
    } else if !marks.isEmpty {
      marks.removeAll()
      showNotice(Strings.marksEnded, at: now)
    } else {
      return showOtherView()
    }
    return []
  }
}
