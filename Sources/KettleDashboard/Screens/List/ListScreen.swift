import KettleModel

/// The list of transfers, or their history: rows, cursor, filter, search and order.
package struct ListScreen: Screen, CopyingScreen, EditingScreen {
  /// nil until the first rows arrive.
  package internal(set) var window: ListWindow?
  package internal(set) var cursor = ListCursor()
  package internal(set) var view = ListView(.transfers)
  /// The view that `history` switches to.
  private var otherView = ListView(.history)
  package internal(set) var search = SearchState()
  /// The line in which a filter or a search is typed.
  package internal(set) var query: QueryField?
  var filterHistory = InputHistory()
  private(set) var commandHistory = InputHistory()
  /// The view scrolls along with the transfer under the cursor.
  package private(set) var isFollowing = false
  /// The rows are frozen: updates are not shown.
  package private(set) var isFrozen = false
  private var subscription = RowSubscription()
  /// The transfer that was moved in the queue, until its new place is known.
  var awaitedPlace: AwaitedPlace?
  /// The login that the user gave last, until the server has accepted or refused it.
  var awaitedLogin: AwaitedLogin?
  /// The details of the transfer under the cursor; nil while they are closed.
  package internal(set) var pane: DetailsPane?
  private var paneOrigin: PaneOrigin

  /// Who opened or closed the pane.
  private enum PaneOrigin {
    case user
    /// It is open where there is room beside the rows.
    case size
  }

  /// The boxes that the user does not want to see.
  private var hiddenBoxes: Set<ListBox> = []
  private(set) var hosts = HostPane()
  /// The user's queues that were made here; they have no transfers yet.
  private var madeQueues: Set<QueueName> = []
  private(set) var today = TodaySum()
  private(set) var rates = RowRates()
  /// The transfers that need the user, as they were sent last, by their place among them. Their box
  /// is visible also while their rows are not requested.
  private(set) var needy: [Int: TransferSnapshot] = [:]

  package init(_ choices: DashboardChoices = DashboardChoices()) {
    if let sort = choices.sort { view.sort = sort }
    view.folded = Set(choices.folded ?? [])
    view.hiddenColumns = Set(choices.hiddenColumns ?? [])
    hiddenBoxes = Set(choices.hiddenBoxes ?? [])
    pane = choices.pane.map { DetailsPane(section: $0) }
    paneOrigin = choices.pane == nil ? .size : .user
  }

  /// A list of one row, for a screen that shows this row alone. nil is a row that has not been
  /// loaded.
  init(ofOnly row: TransferSnapshot?) {
    window = ListWindow(first: 0, matchingCount: 1, rows: row.map { [$0] } ?? [])
    paneOrigin = .user
  }

  /// The view of the transfers, also while the history is shown.
  private var transfersView: ListView {
    get { view.kind == .transfers ? view : otherView }
    set { if view.kind == .transfers { view = newValue } else { otherView = newValue } }
  }

  /// What the next run starts with.
  var choices: DashboardChoices {
    let view = transfersView
    let list = view.ofList
    let isNatural = list.sort == ListView.naturalSort(of: .transfers)
    return DashboardChoices(
      sort: isNatural ? nil : list.sort, folded: list.foldedInOrder,
      pane: paneOrigin == .user ? pane?.section : nil,
      hiddenColumns: TableColumn.canBeHidden.filter(view.hiddenColumns.contains),
      hiddenBoxes: ListBox.allCases.filter(hiddenBoxes.contains))
  }

  static let bindings = BindingTable(
    RowBindings.all + FindingBindings.all + MovingBindings.all + GroupBindings.all
      + QueryBindings.all)

  var keyContext: KeyContext { query == nil ? .list : .query }
  var extent: ScreenExtent { .full }

  package var rowCount: Int { window?.matchingCount ?? 0 }

  /// The transfers that wait for the user. A service that is too old to count them leaves those
  /// that the list shows.
  func needsCount(_ totals: Totals) -> Int {
    if let count = totals.needsUserCount { return max(0, count) }
    guard view.kind == .transfers, let window else { return 0 }
    return max(
      0, window.lines.count(of: .needsUser) ?? window.rows.count { $0.needsAnswer })
  }

  /// The number of rows that are not folded, and of headings.
  private var lineCount: Int { window?.lines.count ?? 0 }

  /// The heading under the cursor; nil for a row.
  var cursorHeading: ListedGroup? { window?.lines.heading(at: cursor.index) }

  /// The row under the cursor; nil in an empty list, and before the row has been sent.
  package var cursorRow: TransferSnapshot? { window?.row(at: cursor.index) }

  /// The quoted title of a row that was sent.
  func title(of id: TransferID) -> String {
    window?.rows.first { $0.id == id }.map { Strings.shownName($0.shownTitle) }
      ?? Strings.theDownload
  }

  package var markedCount: Int { view.marks.count(matchingCount: rowCount) }

  /// The transfers that a key applies to.
  package var selected: SelectedRows {
    let marks = view.marks
    guard !marks.isEmpty else {
      return SelectedRows(
        rows: cursorRow.map { [$0] } ?? [], count: cursorRow == nil ? 0 : 1,
        selection: cursorRow.map { .ids([$0.id]) }, areMarked: false, whyNone: whyNoRow)
    }
    return SelectedRows(
      rows: (window?.rows ?? []).filter { marks.contains($0.id) }, count: markedCount,
      selection: marks.selection, areMarked: true, whyNone: whyNoRow)
  }

  var copyable: SelectedRows { selected }

  /// Why no row is under the cursor.
  var whyNoRow: String {
    if rowCount == 0 { return emptyReason }
    return cursorHeading == nil ? Strings.rowNotThereYet : Strings.isHeading
  }

  /// Why there are no rows.
  var emptyReason: String {
    if view.isFiltered { return Strings.nothingMatches }
    return switch view.kind {
    case .transfers: Strings.listIsEmpty
    case .history: Strings.historyIsEmpty
    }
  }

  // MARK: - Messages

  mutating func receive(
    _ message: DashboardMessage, _ context: ScreenContext
  ) -> [ScreenRequest] {
    switch message {
    case .rowsArrived(let next, _): return receive(next, context)
    case .found(let search, let found): return receive(search, found: found, context)
    case .detailsArrived(let details):
      pane?.receive(details)
      return []
    case .hostsArrived(let listed):
      hosts.receive(listed)
      for name in hosts.names { rates.note(name) }
      return []
    case .machinesArrived(let machines):
      hosts.receive(machines)
      return []
    case .finishedSummed(let since, let byteCount):
      today.receive(byteCount, since: since)
      return []
    case .resized: return scrollToCursor(context)
    case .linkChanged(.connected):
      // The service does not remember requests from an earlier connection.
      subscription.forget()
      search.pending = nil
      return subscribeIfMoved(context)
    case .commandFinished(.controlled(_, _, let refused, _)):
      view.marks.forget(refused.lazy.filter { $0.why == .unknown }.map(\.id))
      return []
    case .commandFinished(.added(_, let first?)): return showAdded(first, context)
    case .commandFinished(.relinked(let id, hasLogin: true, let refused)):
      awaitedLogin = refused.isEmpty ? AwaitedLogin(of: id, at: context.now.monotonic) : nil
      return []
    case .commandFinished(.openedPage(let page, .some)): return [.terminal(.copy(page.text))]
    case .ticked: return announceRefusal(context)
    case .commandFinished(.configured(let setting, _)):
      if let queue = setting.queue { madeQueues.insert(queue) }
      return []
    case .linkChanged, .commandFinished, .membersArrived, .duplicatesFound, .serviceReported,
      .newsArrived,
      .keyPressed, .mouse, .pasteRefused, .directoriesKnown, .utcOffsetChanged:
      return []
    }
  }

  private mutating func receive(
    _ next: ListWindow, _ context: ScreenContext
  ) -> [ScreenRequest] {
    guard !isFrozen, subscription.accepts(next) else { return [] }
    if cursor.mustLoadMore(from: next) { return subscribeIfMoved(context) }
    // Nothing is left to answer, so the whole list is shown again.
    if next.matchingCount == 0, query == nil, view.filterText == FilterQuery.needsYou {
      return setFilter("", wanted: cursor.id, context) + [.say(Strings.nothingNeedsYou)]
    }
    window = next
    rates.record(next.rows, at: context.now.monotonic)
    keepNeedy(of: next)
    pruneMarks(with: next)
    cursor.place(in: next, isFollowing: isFollowing)
    return announcePlace(in: next, context) + announceRefusal(context) + scrollToCursor(context)
  }

  /// Moves the cursor to a transfer that was just added.
  private mutating func showAdded(
    _ id: TransferID, _ context: ScreenContext
  ) -> [ScreenRequest] {
    guard view.kind == .transfers else { return [] }
    cursor.target = CursorTarget(id: id, otherwise: .stays)
    return subscribeIfMoved(context)
  }

  private mutating func keepNeedy(of next: ListWindow) {
    guard let first = next.lines.heading(at: 0), first.group == .needsUser else {
      needy = [:]
      return
    }
    needy = needy.filter { $0.key < first.count }
    for (offset, row) in next.rows.enumerated() where next.firstRow + offset < first.count {
      needy[next.firstRow + offset] = row
    }
  }

  /// Drops marks of transfers that no longer exist, so that they are not counted.
  private mutating func pruneMarks(with next: ListWindow) {
    guard !view.isFiltered, next.isComplete else { return }
    view.marks.keep(only: next.rows.lazy.map(\.id))
  }

  mutating func fulfil(_ request: ListRequest, _ context: ScreenContext) -> [ScreenRequest] {
    switch request {
    case .sort(let key): return setSort(view.sorted(by: key), context)
    case .reverse:
      var reversed = view.sort
      reversed.isDescending.toggle()
      return setSort(reversed, context)
    case .toggleGroups:
      var sort = view.sort
      sort.grouping = view.nextGrouping
      return setSort(sort, context)
    case .group(.directories) where !view.showsFiles:
      return [.say(context.keymap.filled(Strings.onlyFilesHaveDirectories))]
    case .group(let grouping):
      var sort = view.sort
      sort.grouping = grouping
      return setSort(sort, context)
    case .filter(let text):
      filterHistory.append(text)
      return setFilter(text, wanted: cursor.id, context)
    case .toggleColumn(let column):
      if transfersView.hiddenColumns.remove(column) == nil {
        transfersView.hiddenColumns.insert(column)
      }
      return []
    case .announcePlace(let id):
      awaitedPlace = window?.rows.first { $0.id == id }
        .flatMap { AwaitedPlace($0, at: context.now.monotonic) }
      return []
    case .clearMarks:
      view.marks.removeAll()
      return []
    case .remember(let command):
      commandHistory.append(command)
      return []
    }
  }

  /// The user's queues, as far as the rows and the groups name them.
  var knownQueues: [QueueName] {
    let named = (window?.rows ?? []).compactMap(\.queueOfUser) + (window?.lines.queues ?? [])
    return madeQueues.union(named).sorted { $0.text < $1.text }
  }

  // MARK: - Boxes

  /// The boxes that are not shown. They have nothing to say before the first transfer.
  var boxesNotShown: Set<ListBox> {
    let isNew = view.kind == .transfers && !view.isFiltered && window?.matchingCount == 0
    return isNew ? Set(ListBox.allCases) : hiddenBoxes
  }

  /// Hides a box, or shows it again; nil stands for all of them.
  mutating func toggle(_ box: ListBox?, _ context: ScreenContext) -> [ScreenRequest] {
    if let box {
      if hiddenBoxes.remove(box) == nil { hiddenBoxes.insert(box) }
    } else {
      hiddenBoxes = hiddenBoxes.isEmpty ? Set(ListBox.allCases) : []
    }
    return scrollToCursor(context)
  }

  // MARK: - Pane

  /// Opens or closes the details of the transfer under the cursor.
  mutating func togglePane(_ context: ScreenContext) -> [ScreenRequest] {
    pane = pane == nil ? DetailsPane() : nil
    paneOrigin = .user
    return scrollToCursor(context)
  }

  /// Opens the pane on a large screen, unless the user decided about it.
  private mutating func adaptPane(_ size: ScreenSize) {
    switch paneOrigin {
    case .user: return
    case .size:
      let hasRoom = ListLayout.hasRoomForPane(size)
      if hasRoom != (pane != nil) { pane = hasRoom ? DetailsPane() : nil }
    }
  }

  /// Keeps a visible pane on the transfer under the cursor, and the hosts up to date. Called after
  /// each message.
  mutating func updatePanes(_ context: ScreenContext) -> [ScreenRequest] {
    adaptPane(context.size)
    guard context.isOnTop else { return [] }
    let layout = layout(context)
    let requests =
      (layout.hostColumns.isEmpty ? [] : hosts.refresh(context))
      + (layout.graphColumns.isEmpty ? [] : today.refresh(context))
    guard layout.isPaneVisible else { return requests }
    let row = cursorRow
    return requests + (pane?.follow(row, context) ?? [])
  }

  // MARK: - Cursor

  /// The valid positions of the cursor. While the rows are frozen, only the rows on hand are valid.
  var cursorRange: Range<Int> {
    guard isFrozen, let window, !window.rows.isEmpty else { return 0..<lineCount }
    return window.sentLines
  }

  mutating func moveCursor(to index: Int, _ context: ScreenContext) -> [ScreenRequest] {
    cursor.move(to: index, in: cursorRange, of: window)
    return scrollToCursor(context)
  }

  /// While the rows of another list are on their way, the visible rows do not count: Home and End
  /// mean the ends of the list that arrives next.
  mutating func move(_ movement: Movement, _ context: ScreenContext) -> [ScreenRequest] {
    if cursor.isAwaitingList, movement == .home || movement == .end {
      cursor.target = CursorTarget(endOf: movement)
      return subscribeIfMoved(context)
    }
    let page = max(1, layout(context).bodyHeight - 1)
    let target = movement.target(from: cursor.index, page: page, last: lineCount - 1)
    return moveCursor(to: target, context)
  }

  func availability(of movement: Movement) -> Availability {
    if cursor.isAwaitingList {
      return Availability(unless: cursor.isMovePending(to: movement) ? Strings.rowNotThereYet : nil)
    }
    guard rowCount > 0 else { return .impossible(emptyReason) }
    switch movement {
    case .up, .pageUp, .home:
      guard cursor.index <= cursorRange.lowerBound else { return .possible }
      return .impossible(cursor.index > 0 ? Strings.frozenEdge : Strings.atFirstRow)
    case .down, .pageDown, .end:
      guard cursor.index >= cursorRange.upperBound - 1 else { return .possible }
      return .impossible(cursor.index < lineCount - 1 ? Strings.frozenEdge : Strings.atLastRow)
    }
  }

  /// Moves the cursor to a transfer at a known index, either now or when its row arrives.
  mutating func seek(
    _ id: TransferID, at index: Int, line: Int? = nil, _ context: ScreenContext
  ) -> [ScreenRequest] {
    if window?.row(at: index)?.id == id { return moveCursor(to: index, context) }
    cursor.target = CursorTarget(id: id, otherwise: .stays, line: line, index: max(0, index))
    return subscribeIfMoved(context)
  }

  mutating func scrollToCursor(_ context: ScreenContext) -> [ScreenRequest] {
    cursor.scroll(
      height: layout(context).bodyHeight, lineCount: lineCount,
      pinnedCount: pinnedCount(context.size))
    return subscribeIfMoved(context)
  }

  /// Scrolls the rows; the cursor moves only as far as needed to stay visible.
  mutating func scroll(by step: Int, _ context: ScreenContext) -> [ScreenRequest] {
    let height = layout(context).bodyHeight
    let range = cursorRange
    let pinned = pinnedCount(context.size)
    let first = max(
      min(
        max(cursor.firstVisible + step, range.lowerBound), max(range.upperBound - height, 0)),
      pinned)
    cursor.firstVisible = first
    return moveCursor(to: min(max(cursor.index, first), first + height - 1), context)
  }

  mutating func click(_ click: Click, _ context: ScreenContext) -> [ScreenRequest] {
    switch click.target {
    case .row(let index):
      let requests = moveCursor(to: index, context)
      if cursorHeading != nil { return requests + toggleFold(context) }
      return click.isDouble ? requests + (attempt("details", context) ?? []) : requests
    case .column(let key):
      guard context.isConnected else { return [.say(context.whyNoService)] }
      return setSort(view.sorted(by: key), context)
    case .state(let state):
      guard context.isConnected else { return [.say(context.whyNoService)] }
      return filter(by: state, context)
    case .key, .action, .choice, .inside, nil: return []
    }
  }

  // MARK: - Subscription

  /// Requests the visible rows and a few on both sides, so that a cursor step does not show an
  /// empty row until the service replies.
  mutating func subscribeIfMoved(_ context: ScreenContext) -> [ScreenRequest] {
    guard context.isConnected, !isFrozen || subscription.viewport == nil else { return [] }
    // The history adds up the rows of a day.
    let margin = view.kind == .history ? 250 : 8
    let line = cursor.requestedTop
    let top = window?.lines.firstRow(from: line) ?? line
    let first = max(0, top - margin)
    // Depends on the size alone, so that a view line appearing does not request the rows again.
    let height = ListLayout(size: context.size, hiddenBoxes: hiddenBoxes).bodyHeight
    return subscription.request(
      Viewport(
        filter: view.filter, sort: view.sort, first: first, count: top + height + margin - first,
        anchor: cursor.target?.id ?? (isFollowing ? cursor.id : nil),
        folded: view.sort.isGrouped && !search.isOn ? view.arrangement.foldedInOrder : nil))
  }

  // MARK: - Groups

  /// Folds the group under the cursor, or unfolds it. The cursor moves to its heading. A search
  /// looks into all groups, so they are folded again when it ends.
  mutating func toggleFold(_ context: ScreenContext) -> [ScreenRequest] {
    if search.isOn { return [.say(context.keymap.filled(Strings.searchNeedsGroups))] }
    if cursor.isAwaitingList { return [.say(Strings.rowNotThereYet)] }
    guard let group = cursor.group else { return [] }
    if view.folded.remove(group) == nil { view.folded.insert(group) }
    cursor.moveToHeading(of: group)
    return subscribeIfMoved(context)
  }

  /// Folds the directory under the cursor; leaves the files of a collection if there is none to
  /// fold.
  mutating func foldOrLeave(_ context: ScreenContext) -> [ScreenRequest] {
    // The rows on the screen may be those of another list.
    if cursor.isAwaitingList { return leaveCollection(context) }
    let heading = cursor.group.flatMap { window?.lines.line(of: $0) }
    let canFold = heading != nil && whyNotFold(isFolded: false) == nil
    return canFold ? toggleFold(context) : leaveCollection(context)
  }

  /// Why the group under the cursor cannot be folded, or unfolded; nil when it can.
  ///
  /// - Parameter isFolded: whether it must be folded for that.
  func whyNotFold(isFolded: Bool) -> String? {
    guard view.sort.isGrouped else { return Strings.listHasNoGroups }
    if search.isOn { return Strings.searchNeedsGroups }
    guard let group = cursor.group else { return whyNoRow }
    if view.folded.contains(group) == isFolded { return nil }
    return isFolded ? Strings.groupIsUnfolded : Strings.groupIsFolded
  }

  /// Shows a different list, after a change of filter or order.
  ///
  /// - Parameter wanted: The transfer that the cursor moves to if it is in the new list.
  mutating func showOtherList(
    wanted: TransferID?, line: Int? = nil, _ context: ScreenContext
  ) -> [ScreenRequest] {
    isFrozen = false
    cursor.target = CursorTarget(id: wanted, otherwise: .toTop, line: line)
    return subscribeIfMoved(context)
  }

  mutating func setSort(_ sort: RowSort, _ context: ScreenContext) -> [ScreenRequest] {
    guard sort != view.sort else { return [] }
    view.sort = sort
    return showOtherList(wanted: cursor.id, context)
  }

  mutating func toggleFollowing(_ context: ScreenContext) -> [ScreenRequest] {
    isFollowing.toggle()
    let text = isFollowing ? Strings.followingOn : Strings.followingOff
    return [.say(context.keymap.filled(text))] + subscribeIfMoved(context)
  }

  mutating func toggleFreezing(_ context: ScreenContext) -> [ScreenRequest] {
    isFrozen.toggle()
    let text = isFrozen ? Strings.frozenOn : Strings.frozenOff
    // Rows that arrived in the meantime were discarded.
    if !isFrozen { subscription.forget() }
    return [.say(context.keymap.filled(text))] + (isFrozen ? [] : subscribeIfMoved(context))
  }

  mutating func showOtherView(_ context: ScreenContext) -> [ScreenRequest] {
    view.cursorID = cursor.id
    view.cursorLine = cursor.line
    swap(&view, &otherView)
    search.pending = nil
    // The rows of the other view would appear under the wrong column names.
    window = nil
    cursor = ListCursor()
    return showOtherList(wanted: view.cursorID, line: view.cursorLine, context)
  }
}
