import KettleModel

/// The filter and the search. A filter hides rows; a search moves the cursor to the next match.
extension ListScreen {
  mutating func openQuery(_ purpose: QueryField.Purpose) {
    let (text, earlier, history) =
      switch purpose {
      case .filter: (view.filterText, view.filterText, filterHistory)
      case .search: ("", search.text, search.history)
      }
    query = QueryField(
      purpose, text: text, earlier: earlier, startID: cursor.id, startIndex: cursor.index,
      history: history)
  }

  mutating func changeQuery(
    _ context: ScreenContext, _ change: (inout QueryField) -> Void
  ) -> [ScreenRequest] {
    guard var field = query else { return [] }
    let before = field.text
    change(&field)
    query = field
    guard field.text != before else { return [] }
    return switch field.purpose {
    case .filter: filterWhileTyping(field, context)
    case .search: findWhileTyping(field, context)
    }
  }

  mutating func insert(_ text: String, _ context: ScreenContext) -> [ScreenRequest]? {
    guard query != nil else { return nil }
    var isInserted = true
    let requests = changeQuery(context) { isInserted = $0.insert(text) }
    return isInserted ? requests : requests + [.say(Strings.oneLineOnly, .problem)]
  }

  mutating func edit(_ edit: Edit, _ context: ScreenContext) -> [ScreenRequest] {
    changeQuery(context) { $0.line.editor.apply(edit) }
  }

  /// What the last word of the field can become.
  func completion(of field: QueryField) -> QueryCompletion {
    let names = QueryNames(window?.rows ?? [], queues: knownQueues)
    return QueryCompletion(of: field.text, among: names)
  }

  /// Completes the last word of the field; the line below it says what there is to choose from.
  mutating func completeQuery(_ context: ScreenContext) -> [ScreenRequest] {
    guard let field = query, let text = completion(of: field).completed else { return [] }
    return changeQuery(context) { $0.line.editor = LineEditor(text) }
  }

  /// Keeps the content of the field in effect.
  mutating func acceptQuery(_ context: ScreenContext) -> [ScreenRequest] {
    guard let field = query else { return [] }
    switch field.purpose {
    case .filter:
      if case .failure(let problem) = FilterQuery.parse(field.text) {
        return [.say(context.fitting(Strings.forms(of: problem)), .problem)]
      }
      filterHistory.append(field.text)
      query = nil
      return setFilter(field.text, wanted: field.startID, context)
    case .search:
      query = nil
      guard field.text.isEmpty else {
        search.history.append(field.text)
        return []
      }
      search.text = field.earlier
      return search.isOn ? findNext(isBackwards: false, context) : []
    }
  }

  /// Restores the state from before the field was opened.
  mutating func cancel(_ context: ScreenContext) -> [ScreenRequest] {
    guard let field = query else { return [] }
    query = nil
    switch field.purpose {
    case .filter: return setFilter(field.earlier, wanted: field.startID, context)
    case .search:
      search.text = field.earlier
      search.pending = nil
      return goBack(to: field, context)
    }
  }

  // MARK: - Filter

  /// Applies the filter after each character; after an invalid text the last valid one stays.
  private mutating func filterWhileTyping(
    _ field: QueryField, _ context: ScreenContext
  ) -> [ScreenRequest] {
    if FilterQuery.isBeginningOfCondition(field.text) { return [] }
    return setFilter(field.text, wanted: field.startID, context)
  }

  /// The filter that the key for what needs the user sets next: what waits for an answer, then
  /// transfers whose hook failed, then everything. nil if nothing needs the user.
  func attentionAfter(_ context: ScreenContext) -> String? {
    let hooks = (context.totals.failedHookCount ?? 0) > 0 ? FilterQuery.hookFailed : nil
    if view.filter.hookFailed { return "" }
    if view.filter.needsUser { return hooks ?? "" }
    return needsCount(context.totals) > 0 ? FilterQuery.needsYou : hooks
  }

  /// - Parameter wanted: The transfer that the cursor moves to if it matches the filter.
  mutating func setFilter(
    _ text: String, wanted: TransferID?, _ context: ScreenContext
  ) -> [ScreenRequest] {
    guard case .success(let query) = FilterQuery.parse(text) else { return [] }
    let before = view.filter
    view.setFilter(text, query)
    guard view.filter != before else { return [] }
    var requests: [ScreenRequest] = []
    if view.marks.dependsOnFilter {
      view.marks.removeAll()
      requests.append(.say(Strings.marksOfOtherFilter))
    }
    return requests + showOtherList(wanted: wanted, context)
  }

  /// Shows the files of a collection.
  mutating func enterCollection(
    _ id: TransferID, _ context: ScreenContext
  ) -> [ScreenRequest] {
    setFilter(FilterQuery.collection(id), wanted: nil, context)
  }

  /// Shows the whole list again, with the cursor on the collection.
  mutating func leaveCollection(_ context: ScreenContext) -> [ScreenRequest] {
    setFilter("", wanted: view.openCollection, context)
  }

  /// Handles a click on a count: shows only this state; a second click shows all again.
  mutating func filter(by state: TransferState, _ context: ScreenContext) -> [ScreenRequest] {
    let isOn: Bool =
      switch FilterQuery.parse(view.filterText) {
      case .success(let query): query.states == [state]
      case .failure: false
      }
    let text = FilterQuery.text(view.filterText, withState: isOn ? nil : state)
    return setFilter(text, wanted: cursor.id, context)
  }

  // MARK: - Search

  mutating func findNext(isBackwards: Bool, _ context: ScreenContext) -> [ScreenRequest] {
    find(
      search.request(
        in: view, from: cursor.target?.id ?? cursor.id,
        index: rowIndex(at: cursor.target?.index ?? cursor.index),
        isBackwards: isBackwards, includesStart: false), context)
  }

  /// Searches while the user types: finds the first match at or below the cursor's original row.
  private mutating func findWhileTyping(
    _ field: QueryField, _ context: ScreenContext
  ) -> [ScreenRequest] {
    // After a key the list waits for the value.
    if case .failure(.missingValue) = FilterQuery.parse(field.text) { return [] }
    search.text = field.text
    guard search.isOn else { return goBack(to: field, context) }
    return find(
      search.request(
        in: view, from: field.startID, index: rowIndex(at: field.startIndex), isBackwards: false,
        includesStart: true), context)
  }

  private func rowIndex(at line: Int) -> Int { window?.lines.firstRow(from: line) ?? line }

  private mutating func find(
    _ wanted: RowSearch, _ context: ScreenContext
  ) -> [ScreenRequest] {
    // Without the folded rows, the next match here may not be the next one.
    if let window, !window.lines.hasFolded, let found = window.firstMatch(of: wanted) {
      return go(to: found, wanted, context)
    }
    guard !isFrozen else { return [.say(Strings.frozenSearch(search.text), .problem)] }
    guard context.isConnected else { return [.say(context.whyNoService)] }
    // A request is pending: its reply finds that the text has changed, and triggers a new request.
    if let pending = search.pending, pending.wanted != wanted.wanted, query?.purpose == .search {
      return []
    }
    search.pending = wanted
    return subscribeIfMoved(context) + [.service(.find(wanted))]
  }

  mutating func receive(
    _ reply: RowSearch, found: FoundRow?, _ context: ScreenContext
  ) -> [ScreenRequest] {
    guard reply == search.pending else { return [] }
    search.pending = nil
    guard search.isOn else { return [] }
    if !search.isAsked(by: reply) || reply.filter != view.filter || reply.sort != view.sort {
      guard let query, query.purpose == .search else { return [] }
      return findWhileTyping(query, context)
    }
    if let found { return go(to: found, reply, context) }
    return [.say(Strings.notFound(search.text), .problem)]
  }

  private mutating func go(
    to found: FoundRow, _ search: RowSearch, _ context: ScreenContext
  ) -> [ScreenRequest] {
    let line = layout(context).bodyHeight / 2
    // Before the folded groups are open, the index is only approximate; the anchor corrects it.
    let index = window?.lines.line(ofRow: found.index) ?? found.index
    let requests = seek(found.id, at: index, line: line, context)
    guard found.hasWrapped else { return requests }
    return [.say(Strings.wrapped(isBackwards: search.isBackwards))] + requests
  }

  private mutating func goBack(
    to field: QueryField, _ context: ScreenContext
  ) -> [ScreenRequest] {
    guard let startID = field.startID else { return moveCursor(to: field.startIndex, context) }
    return seek(startID, at: field.startIndex, context)
  }

  // MARK: - Clearing

  var hasSomethingToClear: Bool {
    search.isOn || !view.filterText.isEmpty || !view.marks.isEmpty || view.kind == .history
  }

  /// Ends the first that applies: the search, the filter, the marks, the history.
  mutating func clear(_ context: ScreenContext) -> [ScreenRequest] {
    if search.isOn {
      search.text = ""
      search.pending = nil
      return [.say(Strings.searchEnded)] + subscribeIfMoved(context)
    }
    if !view.filterText.isEmpty {
      // A message about the marks is more important.
      return [.say(Strings.filterEnded)] + setFilter("", wanted: cursor.id, context)
    }
    if !view.marks.isEmpty {
      view.marks.removeAll()
      return [.say(Strings.marksEnded)]
    }
    return showOtherView(context)
  }
}
