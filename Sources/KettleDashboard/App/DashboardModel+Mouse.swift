import KettleModel

/// Clicks and the wheel.
extension DashboardModel {
  /// Rows or lines per wheel step.
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
      return isDouble ? effects + attempt(.row(.details), key: .enter, at: now) : effects
    case .key(let key): return keyPressed(key, at: now)
    case .command(let command): return attempt(command, key: .unknown, at: now)
    case .column(let key):
      guard link.isConnected else {
        showNotice(Strings.needsService, at: now)
        return []
      }
      return sort(by: key)
    case .state(let state):
      guard link.isConnected else {
        showNotice(Strings.needsService, at: now)
        return []
      }
      return filter(by: state, at: now)
    case .choice(let index): return choose(index)
    case .inside: return []
    case nil:
      if case .sortMenu = screens.last { screens.removeLast() }
      return []
    }
  }

  private mutating func wheel(by step: Int, at now: Moment) -> [DashboardEffect] {
    switch screens.last {
    case nil, .query: return scrollList(by: step)
    case .sortMenu(var menu):
      menu.move(to: menu.choice + step.signum())
      replaceTop(with: .sortMenu(menu))
    case .details, .help, .resetReport:
      scroll = min(max(scroll + step, 0), lastScroll(at: now))
    case .add(var dialog):
      dialog.urls.move(to: dialog.urls.row + step, column: dialog.urls.column)
      replaceTop(with: .add(dialog))
    case .entry, .question: break
    }
    return []
  }

  /// Scrolls the rows; the cursor moves only as far as needed to stay visible.
  private mutating func scrollList(by step: Int) -> [DashboardEffect] {
    let height = layout.bodyHeight
    let range = cursorRange
    firstVisible = min(
      max(firstVisible + step, range.lowerBound), max(range.upperBound - height, 0))
    return moveCursor(to: min(max(cursor, firstVisible), firstVisible + height - 1))
  }
}
