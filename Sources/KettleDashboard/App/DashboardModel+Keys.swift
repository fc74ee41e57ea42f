import KettleModel

/// Key handling.
extension DashboardModel {
  mutating func keyPressed(_ key: Key, at now: Moment) -> [DashboardEffect] {
    notice = nil
    guard size.holds(ListLayout.minimum) else { return handleOnTinyScreen(key) }
    if let command = keymap.command(for: key, in: keyContext) {
      return attempt(command, key: key, at: now)
    }
    if case .add(let dialog) = screens.last, let text = key.typedText {
      insert(text, into: dialog, at: now)
      return []
    }
    if case .entry(let dialog) = screens.last, let text = key.typedText {
      insert(text, into: dialog, at: now)
      return []
    }
    if case .query = screens.last, let text = key.typedText { return insert(text, at: now) }
    if case .sortMenu(let menu) = screens.last, case .character(let letter) = key,
      let index = menu.keys.firstIndex(where: { $0.letter == letter })
    {
      return choose(index)
    }
    showNotice(Strings.noMeaning(key, keymap.filled(Strings.noMeaning(in: keyContext))), at: now)
    return []
  }

  /// On a terminal that is too small, the user sees neither the effect of a key nor the question
  /// that the key would answer.
  private func handleOnTinyScreen(_ key: Key) -> [DashboardEffect] {
    switch keymap.command(for: key, in: .list) {
    case .leave: [.leave]
    case .redraw: [.redraw]
    case .suspend: [.suspend]
    case .some, .none: []
    }
  }

  /// Performs the command, or shows why it is not available.
  mutating func attempt(
    _ command: DashboardCommand, key: Key, at now: Moment
  ) -> [DashboardEffect] {
    switch availability(of: command) {
    case .possible: return perform(command, key: key, at: now)
    case .impossible(let reason):
      showNotice(keymap.filled(reason), at: now)
      return []
    }
  }

  private mutating func perform(
    _ command: DashboardCommand, key: Key, at now: Moment
  ) -> [DashboardEffect] {
    switch command {
    case .row(let command): return perform(command, at: now)
    case .mark(let command): return mark(command)
    case .view(let command): return perform(command, at: now)
    case .queue(let command): return perform(command)
    case .all(let command): return perform(command)
    case .move(let movement): return move(movement, at: now)
    case .copyOrOpen(let command): return perform(command, at: now)
    case .details(let command): show(command, at: now)
    case .edit(let edit): return self.edit(edit, at: now)
    case .add: openAddDialog(key, at: now)
    case .addNow: return addNow(at: now)
    case .acceptEntry: return acceptEntry(at: now)
    case .acceptQuery: return acceptQuery(at: now)
    case .choose:
      guard case .sortMenu(let menu) = screens.last else { return [] }
      return choose(menu.choice)
    case .confirm: return confirm()
    case .cancel:
      if case .query = screens.last { return cancelQuery(at: now) }
      if case .question = screens.last { showNotice(Strings.nothingChanged, at: now) }
      _ = screens.popLast()
    case .back: _ = screens.popLast()
    case .help: toggleHelp()
    case .redraw: return [.redraw]
    case .suspend: return [.suspend]
    case .leave: return [.leave]
    }
    return []
  }

  private mutating func perform(_ command: RowCommand, at now: Moment) -> [DashboardEffect] {
    if command == .limit {
      openLimitDialog()
      return []
    }
    guard let selection else { return [] }
    switch command {
    case .start: return [.control(.start, selection)]
    case .pause: return [.control(pauseMeansStart ? .start : .pause, selection)]
    case .stop: return [.control(.stop, selection)]
    case .remove: confirmRemoval(withFile: false)
    case .removeWithFile: confirmRemoval(withFile: true)
    case .details: return cursorRow.map { openDetails(of: $0, at: now) } ?? []
    case .relink: openLinkDialog()
    case .limit: break
    }
    return []
  }

  private mutating func confirmRemoval(withFile: Bool) {
    if marks.isEmpty, let row = cursorRow {
      screens.append(.question(withFile ? .removeWithFile(row) : .remove(row)))
    } else if let selection = marks.selection {
      // The service decides which transfers match the filter when it processes the request.
      let most = marks.dependsOnFilter ? rowCount : markedCount
      screens.append(.question(.removeMarked(selection, count: most, withFiles: withFile)))
    }
  }

  private mutating func edit(_ edit: Edit, at now: Moment) -> [DashboardEffect] {
    switch screens.last {
    case .add(var dialog):
      guard dialog.phase != .adding else {
        showNotice(Strings.beingAdded, at: now)
        return []
      }
      dialog.apply(edit, at: now.monotonic)
      replaceTop(with: .add(dialog))
    case .entry(var dialog):
      dialog.apply(edit)
      replaceTop(with: .entry(dialog))
    case .query: return changeQuery(at: now) { $0.line.apply(edit) }
    case .details, .help, .question, .resetReport, .sortMenu, nil: break
    }
    return []
  }

  private mutating func perform(_ command: AllCommand) -> [DashboardEffect] {
    switch command {
    case .start: return [.control(.start, .all)]
    case .stop: return [.control(.stop, .all)]
    case .pause: return [.control(.pause, .all)]
    case .reset:
      let finished = totals.count(.completed)
      let unfinished = totals.transferCount - finished
      screens.append(
        .question(.reset(finishedCount: finished, unfinishedCount: unfinished)))
      return []
    }
  }

  private mutating func confirm() -> [DashboardEffect] {
    guard case .question(let question) = screens.popLast() else { return [] }
    switch question {
    case .reset: return [.reset]
    case .remove(let row): return [.remove(.ids([row.id]), withFile: false)]
    case .removeWithFile(let row): return [.remove(.ids([row.id]), withFile: true)]
    case .removeMarked(let selection, _, let withFiles):
      marks.removeAll()
      return [.remove(selection, withFile: withFiles)]
    }
  }

  private mutating func toggleHelp() {
    if case .help = screens.last {
      screens.removeLast()
    } else {
      screens.append(.help(scroll: 0))
    }
  }

  mutating func replaceTop(with screen: DashboardScreen) {
    guard let last = screens.indices.last else { return }
    screens[last] = screen
  }
}

extension Key {
  /// The text that the key inserts; nil for a key that is not text.
  var typedText: String? {
    switch self {
    case .character(let character): String(character)
    case .paste(let text): text
    case .control, .alt, .enter, .escape, .tab, .backTab, .backspace, .delete, .up, .down, .left,
      .right,
      .home, .end, .pageUp, .pageDown, .function, .unknown:
      nil
    }
  }
}
