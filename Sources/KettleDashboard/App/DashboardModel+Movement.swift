import KettleModel

/// Movement through the list, the reader screens, and the lines of the add dialog.
extension DashboardModel {
  mutating func move(_ movement: Movement, at now: Moment) -> [DashboardEffect] {
    switch screens.last {
    case nil:
      let page = max(1, layout.bodyHeight - 1)
      return moveCursor(by: movement, page: page)
    case .add(var dialog):
      dialog.move(movement)
      replaceTop(with: .add(dialog))
    case .query:
      return changeQuery(at: now) { $0.recall(by: movement == .up ? -1 : 1) }
    case .sortMenu(var menu):
      menu.move(to: movement.target(from: menu.choice, page: 5, last: menu.keys.count - 1))
      replaceTop(with: .sortMenu(menu))
    case .entry, .question: break
    case .details, .help, .resetReport:
      let page = max(1, readerLayout.bodyHeight - 1)
      let last = lastScroll(at: now)
      scroll = min(max(movement.target(from: scroll, page: page, last: last), 0), last)
      if case .details(var open) = screens.last {
        open.followsEnd = scroll == last
        replaceTop(with: .details(open))
      }
    }
    return []
  }

  /// The text may have become shorter, or the screen taller.
  mutating func clampScroll(at now: Moment) {
    guard keyContext == .reader else { return }
    let last = lastScroll(at: now)
    scroll = min(scroll, last)
    if case .details(let open) = screens.last, open.section == .events, open.followsEnd {
      scroll = last
    }
  }

  var readerLayout: ReaderLayout {
    if case .details = screens.last { return ReaderLayout(size: size, hasTabs: true) }
    return ReaderLayout(size: size)
  }

  func lastScroll(at now: Moment) -> Int {
    let layout = readerLayout
    return max(0, readerLines(width: layout.textWidth, now: now).count - layout.bodyHeight)
  }

  /// The scroll position of the topmost screen.
  var scroll: Int {
    get {
      switch screens.last {
      case .details(let open): open.scroll
      case .help(let scroll): scroll
      case .resetReport(let report): report.scroll
      case .add, .entry, .question, .query, .sortMenu, nil: 0
      }
    }
    set {
      switch screens.last {
      case .details(var open):
        open.scroll = newValue
        replaceTop(with: .details(open))
      case .help: replaceTop(with: .help(scroll: newValue))
      case .resetReport(var report):
        report.scroll = newValue
        replaceTop(with: .resetReport(report))
      case .add, .entry, .question, .query, .sortMenu, nil: break
      }
    }
  }
}
