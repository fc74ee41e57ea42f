import KettleModel

extension ListScreen {
  func layout(_ context: ScreenContext) -> ListLayout {
    let hasViewLine = query != nil || !ViewLine(self, context).isEmpty
    return ListLayout(size: context.size, hasViewLine: hasViewLine, hasPane: pane != nil)
  }

  /// Draws everything above the message line.
  func draw(on canvas: inout Canvas, _ context: ScreenContext) {
    let layout = layout(context)
    TitleBar(
      service: context.service, hasBatchLine: layout.hasBatchLine, now: context.now,
      clock: context.clock, startKey: context.keymap.key(of: "start-service")?.name
    ).draw(on: &canvas)
    if layout.hasBatchLine {
      BatchLine(
        row: layout.batchRow, service: context.service, now: context.now.wall, clock: context.clock
      ).draw(on: &canvas)
    }
    if layout.graphHeight > 0 { drawGraph(on: &canvas, layout, context) }
    let table = TransferTable(
      window: window, view: view, search: search, layout: layout,
      firstVisible: cursor.firstVisible, cursor: context.isOnTop ? cursor.index : nil)
    let rows = layout.columnNamesRow..<(layout.bodyTop + layout.bodyHeight)
    if layout.listColumns.count == canvas.size.columns {
      table.draw(on: &canvas, context)
    } else {
      canvas.drawPart(columns: layout.listColumns, rows: rows) { table.draw(on: &$0, context) }
      for row in rows {
        canvas.write(
          canvas.look.glyphs.vertical, row: row, column: layout.listColumns.upperBound, width: 1,
          .quiet)
      }
    }
    if layout.isPaneVisible, let pane {
      canvas.drawPart(columns: layout.paneColumns, rows: layout.paneRows) {
        pane.draw(on: &$0, rows: layout.paneRows, context)
      }
    }
    if let query {
      query.draw(on: &canvas, row: layout.viewRow)
    } else {
      ViewLine(self, context).draw(on: &canvas, row: layout.viewRow)
    }
  }

  private func drawGraph(
    on canvas: inout Canvas, _ layout: ListLayout, _ context: ScreenContext
  ) {
    let graph = SpeedGraph(
      samples: context.service.speeds.paired, height: layout.graphHeight - 1,
      limit: context.totals.limitBytesPerSecond)
    graph.draw(
      on: &canvas, row: layout.graphTop, column: 0, width: layout.graphColumns.count - 1)
    let rows = layout.graphTop..<(layout.graphTop + layout.graphHeight)
    canvas.drawPart(columns: layout.hostColumns, rows: rows) {
      hosts.draw(on: &$0, rows: rows, context)
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
    let isPaneVisible = layout(context).isPaneVisible
    let first = cursor.firstVisible
    let rows = (first..<(first + layout(context).bodyHeight)).lazy.compactMap {
      window?.row(at: $0)
    }
    let times = rows.flatMap { row in
      [
        row.isMovingBar(isLive: context.isConnected) ? MovingBar.stepMilliseconds : nil,
        row.countdownMilliseconds(at: context.now.wall),
      ].compactMap(\.self)
    }
    let earliest = times.min()
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
    case .idle, .scheduled, .completed: nil
    }
  }

  /// Why it does not move. What needs the user is answered with a key, not with a command.
  private func problemRemark(_ context: ScreenContext) -> String? {
    guard let need else {
      return problemSentence ?? Strings.heldBack(self, time: context.time)
    }
    return context.keymap.filled(Strings.remark(on: self, needing: need))
  }

  /// Whether the bar shows motion instead of progress.
  fileprivate func isMovingBar(isLive: Bool) -> Bool {
    state == .running && bytesExpected == nil && isLive
  }

  /// The time until the countdown in this row shows another number; nil when the row shows none.
  fileprivate func countdownMilliseconds(at now: WallTime) -> Int64? {
    guard state == .waiting, let goesOnAt else { return nil }
    let left = goesOnAt.milliseconds(after: now)
    return left <= 0 ? nil : left % 1000 + 1
  }
}
