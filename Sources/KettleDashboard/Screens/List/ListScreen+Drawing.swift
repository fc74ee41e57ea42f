import KettleModel

extension ListScreen {
  func layout(_ context: ScreenContext) -> ListLayout {
    let hasViewLine = query != nil || !ViewLine(self, context).isEmpty
    return ListLayout(
      size: context.size, hasViewLine: hasViewLine, hasPane: pane != nil,
      needsCount: max(0, pinnedCount(context.size) - 1), hiddenBoxes: boxesNotShown)
  }

  /// The number of lines at the top of the list that are in the box of what needs the user: its
  /// heading and its rows. 0 without the box.
  func pinnedCount(_ size: ScreenSize) -> Int {
    guard view.kind == .transfers, let first = window?.lines.heading(at: 0),
      first.group == .needsUser, !first.isFolded, first.count > 0,
      first.count <= ListLayout.needsCountMax(size)
    else { return 0 }
    return first.count + 1
  }

  /// Frozen rows do not move.
  private func stilled(_ context: ScreenContext) -> ScreenContext {
    var context = context
    if isFrozen { context.settings.hasMotion = false }
    return context
  }

  /// Draws everything above the message line.
  func draw(on canvas: inout Canvas, _ context: ScreenContext) {
    let context = stilled(context)
    let layout = layout(context)
    TitleBar(
      service: context.service, needsCount: needsCount(context.totals), now: context.now,
      clock: context.clock,
      startKey: context.keymap.key(of: "start-service")?.name, steam: steam(context)
    ).draw(on: &canvas)
    drawGraph(on: &canvas, layout, context)
    drawNeeds(on: &canvas, layout, context)
    if layout.isBoxed { drawBox(on: &canvas, layout, context) }
    let table = TransferTable(
      window: window, view: view, search: search, layout: layout,
      firstVisible: cursor.firstVisible, pinnedCount: pinnedCount(context.size),
      cursor: context.isOnTop ? cursor.index : nil, rates: rates)
    let rows = layout.columnNamesRow..<(layout.bodyTop + layout.bodyHeight)
    canvas.drawPart(columns: layout.listColumns, rows: rows) { table.draw(on: &$0, context) }
    drawPane(on: &canvas, rows: rows, layout, context)
    let viewRows = layout.viewRow..<(layout.viewRow + 1)
    guard layout.hasViewLine else { return }
    canvas.drawPart(columns: layout.innerColumns, rows: viewRows) {
      if let query {
        query.draw(on: &$0, row: layout.viewRow)
      } else {
        ViewLine(self, context).draw(on: &$0, row: layout.viewRow)
      }
    }
  }

  /// Draws the border around the rows, with the position and the free space in it.
  private func drawBox(
    on canvas: inout Canvas, _ layout: ListLayout, _ context: ScreenContext
  ) {
    // Beside the hosts, their box says it.
    let free = layout.hostColumns.isEmpty ? BatchText.free(context.totals) ?? "" : ""
    TitledBox(rows: layout.listRows, columns: 0..<canvas.size.columns).draw(
      title: view.kind == .history ? Strings.historyTitle : Strings.downloadsTitle,
      key: context.keymap.key(of: "only-downloads"), right: view.orderText,
      below: (positionText, free), on: &canvas)
  }

  /// The picture of the steam while bytes arrive; nil when nothing moves.
  private func steam(_ context: ScreenContext) -> Steam? {
    let isMoving = context.isConnected && context.totals.bytesPerSecond > 0
    guard isMoving, context.settings.hasMotion else { return nil }
    return Steam(at: context.now.monotonic)
  }

  private func drawGraph(
    on canvas: inout Canvas, _ layout: ListLayout, _ context: ScreenContext
  ) {
    if !layout.graphColumns.isEmpty {
      let box = TitledBox(rows: layout.graphRows, columns: layout.graphColumns)
      SpeedBox(
        box: box, service: context.service, today: today.byteCount,
        key: context.keymap.key(of: "speed-box")
      ).draw(on: &canvas)
    }
    guard !layout.hostColumns.isEmpty else { return }
    hosts.draw(
      on: &canvas, TitledBox(rows: layout.graphRows, columns: layout.hostColumns), rates: rates,
      context)
  }

  /// Draws the box of what needs the user.
  private func drawNeeds(
    on canvas: inout Canvas, _ layout: ListLayout, _ context: ScreenContext
  ) {
    guard !layout.needsRows.isEmpty else { return }
    let box = TitledBox(
      rows: layout.needsRows, columns: 0..<canvas.size.columns, role: .attentionBox,
      titleRole: .attentionTitle, keyRole: .attention)
    box.draw(
      title: Strings.needsTitle, key: context.keymap.key(of: "needs-you"),
      right: "\(layout.needsCount)", on: &canvas)
    let (rows, inner) = box.inside
    let top = box.rows.lowerBound
    canvas.claim(row: top, columns: box.columns, for: .row(0))
    if context.isOnTop, cursor.index == 0 {
      let look = canvas.look
      canvas.restyle(row: top, columns: box.columns) { look.select(&$0, isBar: false) }
    }
    canvas.drawPart(columns: inner, rows: rows) { part in
      let columns = TableColumns(width: part.size.columns, hidden: view.hiddenColumns)
      for (offset, screenRow) in rows.enumerated() {
        let index = offset + 1
        part.claim(row: screenRow, columns: 0..<part.size.columns, for: .row(index))
        if let row = window?.row(at: index) ?? needy[offset] {
          NeedsRow(row: row, columns: columns).draw(on: &part, screenRow: screenRow, context)
          search.highlight(row, on: &part, screenRow: screenRow, columns: columns.file)
          if view.marks.contains(row.id) { TransferTable.drawMark(on: &part, row: screenRow) }
        }
        if context.isOnTop, index == cursor.index {
          TransferTable.markCursor(on: &part, row: screenRow)
        }
      }
    }
  }

  private func drawPane(
    on canvas: inout Canvas, rows: Range<Int>, _ layout: ListLayout, _ context: ScreenContext
  ) {
    guard layout.isPaneVisible, let pane else { return }
    if layout.isPaneBeside {
      for row in rows {
        canvas.write(
          canvas.look.glyphs.vertical, row: row, column: layout.listColumns.upperBound, width: 1,
          .box)
      }
    }
    canvas.drawPart(columns: layout.paneColumns, rows: layout.paneRows) {
      pane.draw(on: &$0, rows: layout.paneRows, context)
    }
  }

  /// The position of the cursor; empty without rows.
  var positionText: String {
    guard rowCount > 0, let row = window?.lines.row(at: cursor.index) else { return "" }
    return Strings.position(row + 1, of: rowCount)
  }

  /// The matches of the search; nil without a search, and when not all rows are loaded.
  var hits: SearchHits? {
    guard search.isOn, let window else { return nil }
    return SearchHits(of: search.wanted, in: window, at: cursor.index)
  }

  private func verdict(on field: QueryField) -> QueryVerdict {
    let found =
      switch field.purpose {
      case .filter: cursor.isAwaitingList ? nil : SearchHits(count: rowCount, position: nil)
      case .search: hits
      }
    return QueryVerdict(
      field: field, completion: completion(of: field), hits: found,
      isSearching: search.pending != nil)
  }

  /// The message of the query field, or a remark about the current row.
  func message(_ context: ScreenContext) -> (text: String, role: Role)? {
    if let query {
      return verdict(on: query).line(context)
    }
    guard let row = cursorRow, let remark = row.remark(context) ?? search.remark(on: row)
    else { return nil }
    return (remark, .quiet)
  }

  func millisecondsToChange(_ context: ScreenContext) -> Int64? {
    guard context.isOnTop else { return nil }
    let context = stilled(context)
    let isPaneVisible = layout(context).isPaneVisible
    let first = cursor.firstVisible
    let rows = (first..<(first + layout(context).bodyHeight)).lazy.compactMap {
      window?.row(at: $0)
    }
    let times = rows.flatMap { row in
      [
        row.isMovingBar(context) ? MovingBar.stepMilliseconds : nil,
        row.countdownMilliseconds(at: context.now.wall),
      ].compactMap(\.self)
    }
    let flash =
      context.settings.hasMotion ? rates.millisecondsToChange(at: context.now.monotonic) : nil
    let steam = steam(context).map { _ in Steam.milliseconds(from: context.now.monotonic) }
    let earliest = (times + [flash, steam].compactMap(\.self)).min()
    guard isPaneVisible else { return earliest }
    return min(earliest ?? .max, DetailsPane.intervalMilliseconds)
  }
}

extension TransferSnapshot {
  /// The full sentence about a transfer whose row has room for only a few words.
  fileprivate func remark(_ context: ScreenContext) -> String? {
    switch state {
    case .failed, .waiting: problemRemark(context)
    case .running, .queued, .verifying:
      freshStart.map(Strings.freshStart)
        ?? Strings.heldBack(self, time: context.time)
        ?? limitBytesPerSecond.map(Strings.limitedTo)
    case .paused: freshStart.map(Strings.freshStart) ?? limitBytesPerSecond.map(Strings.limitedTo)
    case .completed:
      check.flatMap { $0.isBad ? Strings.damage($0) : nil } ?? failedHook.map(Strings.hookFailed)
    case .idle, .scheduled: nil
    }
  }

  /// Why it does not move. What needs the user is answered with a key, not with a command.
  private func problemRemark(_ context: ScreenContext) -> String? {
    guard let need else {
      return problemSentence ?? Strings.heldBack(self, time: context.time)
    }
    return context.keymap.filled(Strings.remark(on: self, needing: need))
  }

  /// The time until the countdown in this row shows another number; nil when the row shows none.
  fileprivate func countdownMilliseconds(at now: WallTime) -> Int64? {
    guard state == .waiting, let goesOnAt else { return nil }
    let left = goesOnAt.milliseconds(after: now)
    return left <= 0 ? nil : left % 1000 + 1
  }
}
