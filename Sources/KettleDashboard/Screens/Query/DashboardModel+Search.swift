import KettleModel

/// Search: no row is hidden; the cursor moves to the next match.
extension DashboardModel {
  /// `n`, `N`, and Enter in an empty field.
  mutating func findNext(isBackwards: Bool, at now: Moment) -> [DashboardEffect] {
    find(
      from: cursorTarget?.id ?? cursorID, index: cursorTarget?.index ?? cursor,
      isBackwards: isBackwards,
      includesStart: false, at: now)
  }

  /// Searches while the user types: finds the first match at or below the cursor's original row.
  mutating func findWhileTyping(_ field: QueryField, at now: Moment) -> [DashboardEffect] {
    search.text = field.text
    guard search.isOn else { return goBack(to: field) }
    return find(
      from: field.startID, index: field.startIndex, isBackwards: false, includesStart: true,
      at: now)
  }

  private mutating func find(
    from start: TransferID?, index: Int, isBackwards: Bool, includesStart: Bool, at now: Moment
  ) -> [DashboardEffect] {
    let wanted = RowSearch(
      filter: filter, sort: sort, text: search.text, start: start, startIndex: index,
      isBackwards: isBackwards, includesStart: includesStart)
    if let found = nearMatch(wanted) { return go(to: found, wanted, at: now) }
    guard !isFrozen else {
      showNotice(Strings.frozenSearch(search.text), .problem, at: now)
      return []
    }
    guard link.isConnected else {
      showNotice(Strings.needsService, at: now)
      return []
    }
    // A request is pending: its reply finds that the text has changed, and triggers a new request.
    if let pending = search.pending, pending.text != wanted.text, queryPurpose == .search {
      return []
    }
    search.pending = wanted
    return [.find(wanted)]
  }

  mutating func receive(
    _ reply: RowSearch, _ found: FoundRow?, at now: Moment
  ) -> [DashboardEffect] {
    guard reply == search.pending else { return [] }
    search.pending = nil
    guard search.isOn else { return [] }
    if reply.text != search.text || reply.filter != filter || reply.sort != sort {
      guard case .query(let field) = screens.last, field.purpose == .search else { return [] }
      return findWhileTyping(field, at: now)
    }
    if let found { return go(to: found, reply, at: now) }
    showNotice(Strings.notFound(reply.text), .problem, at: now)
    return []
  }

  private mutating func go(
    to found: FoundRow, _ search: RowSearch, at now: Moment
  ) -> [DashboardEffect] {
    if found.hasWrapped { showNotice(Strings.wrapped(isBackwards: search.isBackwards), at: now) }
    return seek(found.id, at: found.index, line: layout.bodyHeight / 2)
  }

  /// Returns a match among the loaded rows when no unloaded row lies in between.
  private func nearMatch(_ wanted: RowSearch) -> FoundRow? {
    guard let window else { return nil }
    let start = wanted.start.flatMap { window.index(of: $0) } ?? wanted.startIndex
    guard window.row(at: start) != nil else { return nil }
    let words = WordTest(RowFilter.words(of: wanted.text))
    let step = wanted.isBackwards ? -1 : 1
    var index = wanted.includesStart ? start : start + step
    while let row = window.row(at: index) {
      if words.passes(row) { return FoundRow(id: row.id, index: index, hasWrapped: false) }
      index += step
    }
    return nil
  }

  private mutating func goBack(to field: QueryField) -> [DashboardEffect] {
    guard let startID = field.startID else { return moveCursor(to: field.startIndex) }
    return seek(startID, at: field.startIndex)
  }

  mutating func endSearch() {
    search.text = ""
    search.pending = nil
  }
}

// MARK: - Query field

extension DashboardModel {
  var queryPurpose: QueryField.Purpose? {
    if case .query(let field) = screens.last { field.purpose } else { nil }
  }

  mutating func openQuery(_ purpose: QueryField.Purpose) {
    let (text, history) =
      switch purpose {
      case .filter: (view.filterText, filterHistory)
      case .search: ("", search.history)
      }
    screens.append(
      .query(
        QueryField(
          purpose, text: text, earlier: purpose == .search ? search.text : view.filterText,
          startID: cursorID, startIndex: cursor, history: history)))
  }

  mutating func changeQuery(
    at now: Moment, _ change: (inout QueryField) -> Void
  ) -> [DashboardEffect] {
    guard case .query(var field) = screens.last else { return [] }
    let before = field.text
    change(&field)
    replaceTop(with: .query(field))
    guard field.text != before else { return [] }
    return switch field.purpose {
    case .filter: filterWhileTyping(field, at: now)
    case .search: findWhileTyping(field, at: now)
    }
  }

  mutating func insert(_ text: String, at now: Moment) -> [DashboardEffect] {
    var isInserted = true
    let effects = changeQuery(at: now) { isInserted = $0.insert(text) }
    if !isInserted { showNotice(Strings.oneLineOnly, .problem, at: now) }
    return effects
  }

  /// Enter: the content of the field stays in effect.
  mutating func acceptQuery(at now: Moment) -> [DashboardEffect] {
    guard case .query(let field) = screens.last else { return [] }
    switch field.purpose {
    case .filter:
      if case .failure(let problem) = FilterQuery.parse(field.text) {
        showNotice(fitting(Strings.forms(of: problem)), .problem, at: now)
        return []
      }
      filterHistory.append(field.text)
      screens.removeLast()
      return setFilter(field.text, wanted: field.startID, at: now)
    case .search:
      screens.removeLast()
      guard field.text.isEmpty else {
        search.history.append(field.text)
        return []
      }
      search.text = field.earlier
      return search.isOn ? findNext(isBackwards: false, at: now) : []
    }
  }

  /// Esc: restores the previous state.
  mutating func cancelQuery(at now: Moment) -> [DashboardEffect] {
    guard case .query(let field) = screens.popLast() else { return [] }
    switch field.purpose {
    case .filter: return setFilter(field.earlier, wanted: field.startID, at: now)
    case .search:
      search.text = field.earlier
      search.pending = nil
      return goBack(to: field)
    }
  }
}
