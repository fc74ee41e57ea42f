import TransferModel

/// What clicks and the wheel do.
extension DashboardModel {
  /// Rows or lines that one step of the wheel goes on.
  static var wheelStep: Int { 3 }

  mutating func receive(_ event: MouseEvent, at now: Moment) -> [DashboardEffect] {
    switch event.kind {
    case .wheelUp: return wheel(by: -Self.wheelStep, at: now)
    case .wheelDown: return wheel(by: Self.wheelStep, at: now)
    case .click, .doubleClick:
      notice = nil
      let target = target(row: event.row, column: event.column, at: now)
      return click(target, isDouble: event.kind == .doubleClick, at: now)
    }
  }

  private mutating func click(
    _ target: ClickTarget?, isDouble: Bool, at now: Moment
  ) -> [DashboardEffect] {
    switch target {
    case .row(let index):
      let effects = moveCursor(to: index)
      return isDouble ? effects + keyPressed(.enter, at: now) : effects
    case .key(let key): return keyPressed(key, at: now)
    case .column, .state, .choice, .inside, nil: return []
    }
  }

  private mutating func wheel(by step: Int, at now: Moment) -> [DashboardEffect] {
    switch screens.last {
    case nil: return scrollList(by: step)
    case .details, .help, .resetReport:
      scroll = min(max(scroll + step, 0), lastScroll(at: now))
    case .add(var dialog):
      dialog.move(to: dialog.row + step, column: dialog.column)
      replaceTop(with: .add(dialog))
    case .entry, .question: break
    }
    return []
  }

  /// Moves the rows under the cursor's line; the cursor goes along only to stay in sight.
  private mutating func scrollList(by step: Int) -> [DashboardEffect] {
    let height = layout.bodyHeight
    firstVisible = min(max(firstVisible + step, 0), max(rowCount - height, 0))
    return moveCursor(to: min(max(cursor, firstVisible), firstVisible + height - 1))
  }
}
