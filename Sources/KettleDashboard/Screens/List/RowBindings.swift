import KettleModel

/// The keys for the selected transfers and for all transfers.
enum RowBindings {
  static let all = controls + files + removal + settings + ListScreen.copyBindings + everything

  private static let controls: [Binding<ListScreen>] = [
    Binding(
      "new-link", .transfer, in: [.list], keys: [.character("u")], rank: 0,
      help: "Log in, decide, or set a new link; the bytes stay",
      labelNow: { list, _ in
        if let need = list.selected.need { return Strings.footerAnswer(need) }
        return list.selected.startMeansRetry && list.cursorRow?.state == .failed
          ? Strings.footerAnswer(.link) : nil
      },
      when: { list, context in
        let selected = list.selected
        guard !selected.areMarked || selected.count <= 1 else {
          return context.whenConnected(.impossible(Strings.linkIsForOne))
        }
        return context.whenConnected(
          selected.availability(needsRow: true) { Strings.whyNotRelink($0.state) })
      },
      do: { list, _ in
        list.selected.rows.first.map { [.open($0.answering)] } ?? []
      }),
    Binding(
      "start", .transfer, in: [.list], keys: [.character("s")], label: "start", rank: 2,
      help: "Start or resume it; one that was stopped continues from its bytes for ten minutes",
      labelNow: { list, _ in list.selected.startMeansRetry ? Strings.footerRetry : "start" },
      when: { list, context in
        context.whenConnected(list.selected.availability { Strings.whyNotStart($0.state) })
      },
      do: { list, _ in control(.start, list) }),
    Binding(
      "start-fresh", .transfer, in: [.list], keys: [],
      help: "Start it from the beginning; its bytes go to the bin",
      when: { list, context in
        context.whenConnected(list.selected.availability { Strings.whyNotStartFresh($0.state) })
      },
      do: { list, _ in control(.startFresh, list) }),
    Binding(
      "pause", .transfer, in: [.list], keys: [.character("p")], label: "pause", rank: 1,
      help: "Pause it and keep the downloaded bytes, or resume it",
      labelNow: { list, _ in list.selected.pauseMeansStart ? Strings.footerResume : "pause" },
      when: { list, context in
        context.whenConnected(list.selected.availability { Strings.whyNotPause($0.state) })
      },
      do: { list, _ in control(list.selected.pauseMeansStart ? .start : .pause, list) }),
    Binding(
      "stop", .transfer, in: [.list], keys: [.character("x")], label: "stop", rank: 7,
      help: "Stop it; for ten minutes its bytes are kept, and starting continues from them",
      when: { list, context in
        context.whenConnected(list.selected.availability { Strings.whyNotStop($0.state) })
      },
      do: { list, _ in control(.stop, list) }),
  ]

  private static let files: [Binding<ListScreen>] = [
    Binding(
      "verify", .transfer, in: [.list], keys: [.character("V")], rank: 3,
      help: "Compare its finished file with what was downloaded; a damaged one is repaired",
      labelNow: { list, _ in list.repairableRow == nil ? nil : Strings.footerRepair },
      when: { list, context in
        context.whenConnected(
          list.selected.availability { $0.state == .completed ? nil : Strings.noFinishedFile })
      },
      do: { list, _ in control(list.repairableRow == nil ? .verify : .repair, list) })
  ]

  private static let removal: [Binding<ListScreen>] = [
    Binding(
      "details", .transfer, in: [.list], keys: [.enter], label: "details", rank: 3,
      help: "Show its details; on the heading of a group, fold or unfold it",
      labelNow: { list, _ in
        list.cursorHeading.map { $0.isFolded ? "unfold" : "fold" }
          ?? (list.cursorRow?.collection?.waitsForChoice == true ? "files" : "details")
      },
      when: { list, context in
        let isPossible = list.cursorRow != nil || list.cursorHeading != nil
        return context.whenConnected(isPossible ? .possible : .impossible(list.whyNoRow))
      },
      do: { list, context in
        if list.cursorHeading != nil { return list.toggleFold(context) }
        guard let row = list.cursorRow else { return [] }
        if row.collection?.waitsForChoice == true {
          return ChoiceScreen.opening(row.id, row.shownTitle)
        }
        let screen = DetailsScreen(id: row.id, requestedAt: context.now.monotonic)
        return [.open(OpenScreen(screen)), .service(.loadDetails(row.id))]
      }),
    Binding(
      "remove", .transfer, in: [.list], keys: [.character("d"), .delete], label: "remove", rank: 5,
      help: "Remove it from the list (asks first); a finished file is kept",
      when: { list, context in
        context.whenConnected(list.selected.availability { _ in nil })
      },
      do: { list, _ in confirmRemoval(list, withFiles: false) }),
    Binding(
      "remove-file", .transfer, in: [.list], keys: [.character("D")],
      label: Strings.footerDeleteFile, rank: 4,
      help: "Remove it and move its finished file to the bin (asks first)",
      labelNow: { list, _ in list.selected.need == .link ? nil : Strings.footerDeleteFile },
      when: { list, context in
        context.whenConnected(
          list.selected.availability { $0.state == .completed ? nil : Strings.noFinishedFile })
      },
      do: { list, _ in confirmRemoval(list, withFiles: true) }),
  ]

  private static let settings: [Binding<ListScreen>] = [
    Binding(
      "limit", .transfer, in: [.list], keys: [.character("l")], label: "limit", rank: 6,
      help: "Limit the speed of the transfer, of the marked ones, or of all together",
      when: { _, context in context.whenConnected(.possible) },
      do: { list, context in
        let dialog = EntryDialog(
          speedLimitFor: list.selected, under: list.cursorRow,
          shared: context.totals.limitBytesPerSecond)
        return [.open(OpenScreen(dialog))]
      })
  ]

  private static let everything: [Binding<ListScreen>] = [
    Binding(
      "add", .all, in: [.list], keys: [.character("a"), .paste("")], label: "add", rank: 4,
      help: "Add one or more URLs: type them, or paste them here",
      do: { _, context in AddScreen.opened(context) }),
    Binding(
      "start-all", .all, in: [.list], keys: [.character("S")],
      help: "Start everything on the list that is neither running nor finished",
      when: { list, context in
        context.whenConnected(list.availability(ofAll: context.totals.availabilityOfStart))
      },
      do: { list, _ in [.service(.control(.start, list.all(in: ListScreen.startable)))] }),
    Binding(
      "pause-all", .all, in: [.list], keys: [.character("P")],
      help: "Pause everything unfinished on the list",
      when: { list, context in
        context.whenConnected(list.availability(ofAll: context.totals.availabilityOfPause))
      },
      do: { list, _ in [.service(.control(.pause, list.all(in: ListScreen.pausable)))] }),
    Binding(
      "stop-all", .all, in: [.list], keys: [.character("X")],
      help: "Stop everything unfinished on the list (asks first)",
      when: { list, context in
        context.whenConnected(list.availability(ofAll: context.totals.availabilityOfStop))
      },
      do: { list, context in
        let question = Question.stop(
          list.all(in: ListScreen.stoppable), count: list.stoppableCount(context.totals))
        return [.open(OpenScreen(question))]
      }),
    Binding(
      "undo", .all, in: [.list], keys: [.character("z")], label: "undo", rank: 9,
      help: "Undo the last stop, removal, reset, clearing, start, pause, limit, priority or move; "
        + "again the one before",
      when: { _, context in context.whenConnected(.possible) },
      do: { _, _ in [.service(.bin(.undo(nil)))] }),
    Binding(
      "bin", .all, in: [.list], keys: [.character("b")], label: "bin", rank: 21,
      help: "Show what can be undone, to choose from",
      when: { _, context in context.whenConnected(.possible) },
      do: { _, _ in [.open(OpenScreen(BinScreen())), .service(.bin(.list))] }),
    Binding(
      "reset", .all, in: [.list], keys: [.character("R")],
      help: "Move the finished files to the bin and reset all transfers (asks first)",
      when: { list, context in
        let isEmpty = context.totals.transferCount == 0
        let everything = Availability(unless: isEmpty ? Strings.listIsEmpty : nil)
        return context.whenConnected(
          list.view.kind == .transfers && list.view.isFiltered
            ? .impossible(Strings.resetIsForAll) : list.availability(ofAll: everything))
      },
      do: { _, context in
        let finished = context.totals.count(.completed)
        let question = Question.reset(
          finishedCount: finished, unfinishedCount: context.totals.transferCount - finished)
        return [.open(OpenScreen(question))]
      }),
  ]

  private static func control(_ verb: ControlVerb, _ list: ListScreen) -> [ScreenRequest] {
    list.selected.selection.map { [.service(.control(verb, $0))] } ?? []
  }

  private static func confirmRemoval(_ list: ListScreen, withFiles: Bool) -> [ScreenRequest] {
    let selected = list.selected
    if !selected.areMarked, let row = selected.rows.first {
      return [.open(OpenScreen(withFiles ? Question.removeWithFile(row) : .remove(row)))]
    }
    guard let selection = selected.selection else { return [] }
    // The service decides which transfers match the filter when it processes the request.
    let most = list.view.marks.dependsOnFilter ? list.rowCount : selected.count
    let question = Question.removeMarked(selection, count: most, withFiles: withFiles)
    return [.open(OpenScreen(question))]
  }
}

extension TransferSnapshot {
  /// The screen that asks the user for what the transfer needs. It asks for a new link if the
  /// transfer needs nothing.
  fileprivate var answering: OpenScreen {
    switch need {
    case .login: OpenScreen(LoginDialog(for: self))
    case .decision: OpenScreen(DecisionScreen(self))
    case .link, nil: OpenScreen(EntryDialog(freshLinkFor: self))
    }
  }
}

extension ListScreen {
  /// The only selected row, if damaged bytes of its file can be fetched again.
  fileprivate var repairableRow: TransferSnapshot? {
    guard !selected.areMarked, let row = selected.rows.first, row.check?.finding == .damaged,
      row.check?.damaged?.isEmpty == false
    else { return nil }
    return row
  }
}

/// Whether a control of everything has an effect on any transfer.
extension Totals {
  private var unfinishedCount: Int { transferCount - count(.completed) }

  fileprivate var availabilityOfStart: Availability {
    let busy = count(.running) + count(.queued) + count(.verifying)
    return availability(unfinishedCount > busy, else: Strings.nothingToStart)
  }

  fileprivate var availabilityOfPause: Availability {
    let still = count(.paused) + count(.idle) + count(.failed)
    return availability(unfinishedCount > still, else: Strings.nothingToPause)
  }

  fileprivate var availabilityOfStop: Availability {
    availability(unfinishedCount > count(.idle), else: Strings.nothingToStop)
  }

  private func availability(_ hasEffect: Bool, else reason: String) -> Availability {
    guard transferCount > 0 else { return .impossible(Strings.listIsEmpty) }
    return Availability(unless: hasEffect ? nil : reason)
  }
}

/// What the keys for the whole list apply to: the list on the screen.
extension ListScreen {
  static let startable: [TransferState] = [.idle, .scheduled, .paused, .failed]
  static let pausable: [TransferState] = [.scheduled, .queued, .running, .waiting, .verifying]
  static let stoppable = pausable + [.paused, .failed]

  /// - Parameter everything: without a filter.
  func availability(ofAll everything: Availability) -> Availability {
    if view.kind == .history { return .impossible(Strings.notFromHistory) }
    guard view.isFiltered else { return everything }
    return Availability(unless: rowCount == 0 ? emptyReason : nil)
  }

  /// The transfers of the list in these states.
  func all(in states: [TransferState]) -> TransferSelection {
    guard view.isFiltered else { return .all }
    var filter = view.filter
    filter.states = states.filter { filter.states?.contains($0) ?? true }
    return .matching(filter, except: [])
  }

  /// How many would be stopped; of a long filtered list, at most so many.
  func stoppableCount(_ totals: Totals) -> Int {
    guard view.isFiltered else {
      return Self.stoppable.reduce(0) { $0 + totals.count($1) }
    }
    guard let window, window.isComplete else { return rowCount }
    return window.rows.count { Self.stoppable.contains($0.state) }
  }
}

/// The keys that move the cursor.
enum MovingBindings {
  static let all: [Binding<ListScreen>] = [
    move("up", .up, keys: [.up, .character("k")], help: "One row up"),
    move("down", .down, keys: [.down, .character("j")], help: "One row down"),
    move("page-up", .pageUp, keys: [.pageUp], help: "One screen up"),
    move("page-down", .pageDown, keys: [.pageDown], help: "One screen down"),
    move("first", .home, keys: [.home, .character("g")], help: "To the first row"),
    move("last", .end, keys: [.end, .character("G")], help: "To the last row"),
    Binding(
      "pane", .moving, in: [.list], keys: [.tab], label: "pane", rank: 20,
      help: "Open or close the details of the row, below or beside the list",
      when: { list, context in
        let hasRoom = list.pane != nil || context.size.rows >= ListLayout.rowsForPaneMin
        return Availability(unless: hasRoom ? nil : Strings.noRoomForPane)
      },
      do: { list, context in list.togglePane(context) }),
    section(
      "pane-next", 1, key: "]", label: Strings.footerSection,
      help: "To the next section of the pane"),
    section("pane-previous", -1, key: "[", help: "To the previous section of the pane"),
    box("speed-box", .speed, key: "1", help: "Hide the graph of the speed, or show it"),
    box("hosts-box", .hosts, key: "2", help: "Hide the hosts, or show them"),
    box("only-downloads", nil, key: "3", help: "Show only the downloads, or all boxes"),
  ]

  private static func box(
    _ name: String, _ box: ListBox?, key: Character, help: String
  ) -> Binding<ListScreen> {
    Binding(
      name, .moving, in: [.list], keys: [.character(key)], help: help,
      when: { list, context in
        if !ListLayout.hasRoom(for: box ?? .speed, context.size) {
          return .impossible(Strings.noRoom(for: box))
        }
        return Availability(unless: list.rowCount == 0 ? list.emptyReason : nil)
      },
      do: { list, context in list.toggle(box, context) })
  }

  private static func section(
    _ name: String, _ step: Int, key: Character, label: String? = nil, help: String
  ) -> Binding<ListScreen> {
    Binding(
      name, .moving, in: [.list], keys: [.character(key)], label: label, rank: 13, help: help,
      when: { list, _ in Availability(unless: list.pane == nil ? Strings.paneIsClosed : nil) },
      do: { list, _ in
        list.pane?.showNextSection(step)
        return []
      })
  }

  private static func move(
    _ name: String, _ movement: Movement, keys: [Key], help: String
  ) -> Binding<ListScreen> {
    Binding(
      name, .moving, in: [.list], keys: keys, help: help,
      when: { list, _ in list.availability(of: movement) },
      do: { list, context in list.move(movement, context) })
  }
}

/// The keys of the line in which a filter or a search is typed.
enum QueryBindings {
  static let all: [Binding<ListScreen>] =
    [
      Binding(.keepQuery) { list, context in list.acceptQuery(context) },
      Binding(.complete) { list, context in list.completeQuery(context) },
      Binding(
        "query-up", .finding, in: [.query], keys: [.up], label: "earlier", rank: 4,
        help: "The previous entry",
        do: { list, context in list.changeQuery(context) { $0.line.recall(by: -1) } }),
      Binding(
        "query-down", .finding, in: [.query], keys: [.down], help: "The next entry",
        do: { list, context in list.changeQuery(context) { $0.line.recall(by: 1) } }),
      ListScreen.cancelBinding,
    ] + ListScreen.lineBindings
}
