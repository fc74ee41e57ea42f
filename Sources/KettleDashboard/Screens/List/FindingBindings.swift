import KettleModel

/// The keys for marks, for what the list shows, and for its order.
enum FindingBindings {
  static let all = marks + finding + command + order + QueueBindings.all + holding

  private static let marks: [Binding<ListScreen>] = [
    Binding(
      "mark", .finding, in: [.list], keys: [.character(" ")], label: "mark", rank: 10,
      help: "Mark or unmark the row, and move to the next",
      when: { list, _ in
        Availability(unless: list.cursorRow == nil ? list.whyNoRow : nil)
      },
      do: { list, context in
        guard let row = list.cursorRow else { return [] }
        list.view.marks.toggle(row.id)
        return list.moveCursor(to: list.cursor.index + 1, context)
      }),
    Binding(
      "mark-all", .finding, in: [.list], keys: [.character("A")],
      help: "Mark all that match the filter",
      when: { list, _ in
        if list.rowCount == 0 { return .impossible(list.emptyReason) }
        let isDone = list.view.marks.areAll(matching: list.view.filter)
        return Availability(unless: isDone ? Strings.allAreMarked : nil)
      },
      do: { list, _ in
        list.view.marks.markAll(matching: list.view.filter)
        return []
      }),
    Binding(
      "unmark-all", .finding, in: [.list], keys: [.character("U")], help: "Clear all marks",
      when: { list, _ in
        Availability(unless: list.view.marks.isEmpty ? Strings.nothingIsMarked : nil)
      },
      do: { list, _ in
        list.view.marks.removeAll()
        return []
      }),
    Binding(
      "invert-marks", .finding, in: [.list], keys: [.character("i")], help: "Invert the marks",
      when: { list, _ in Availability(unless: list.rowCount == 0 ? list.emptyReason : nil) },
      do: { list, _ in
        list.view.marks.invert(within: list.view.filter)
        return []
      }),
  ]

  private static let finding: [Binding<ListScreen>] = [
    Binding(
      .search,
      when: { list, _ in Availability(unless: list.rowCount == 0 ? list.emptyReason : nil) },
      do: { list, _ in
        list.openQuery(.search)
        return []
      }),
    Binding(
      .nextMatch,
      when: { list, _ in availabilityOfMatches(list) },
      do: { list, context in list.findNext(isBackwards: false, context) }),
    Binding(
      .previousMatch,
      when: { list, _ in availabilityOfMatches(list) },
      do: { list, context in list.findNext(isBackwards: true, context) }),
    Binding(
      "filter", .finding, in: [.list], keys: [.character("\\")], label: "filter", rank: 15,
      help:
        "Filter: words, 'whole, ^begin, end$, !not, \"two words\", state:failed, needs:you, host:, "
        + "queue:, session:, hook:failed; in a fleet on:nas",
      when: availabilityOfViews,
      do: { list, _ in
        list.openQuery(.filter)
        return []
      }),
    Binding(
      "needs-you", .finding, in: [.list], keys: [.character("!")], label: "needs you", rank: 11,
      help: "Show only what needs you: a login, a link, a decision, a full disk; then failed hooks",
      labelNow: { list, context in
        switch list.attentionAfter(context) {
        case FilterQuery.needsYou: "needs you"
        case FilterQuery.hookFailed: "failed hooks"
        case nil: nil
        default: "show all"
        }
      },
      when: { list, context in
        if list.view.kind == .history { return .impossible(Strings.historyNeedsNothing) }
        let filter = list.attentionAfter(context)
        return context.whenConnected(
          Availability(unless: filter == nil ? Strings.nothingNeedsYou : nil))
      },
      do: { list, context in
        list.setFilter(list.attentionAfter(context) ?? "", wanted: list.cursor.id, context)
      }),
    Binding(
      "clear", .finding, in: [.list], keys: [.escape],
      help: "Clear the search, filter or marks, or leave the history, in this order",
      when: { list, _ in
        Availability(unless: list.hasSomethingToClear ? nil : Strings.nothingToClear)
      },
      do: { list, context in list.clear(context) }),
    Binding(
      "history", .finding, in: [.list], keys: [.character("H")], label: "history", rank: 19,
      help: "Show or hide the history: all finished transfers, even cleared ones",
      when: { _, context in context.whenConnected(.possible) },
      do: { list, context in list.showOtherView(context) }),
    Binding(
      "clear-finished", .finding, in: [.list], keys: [.character("c")], label: "clear done",
      rank: 18,
      help: "Clear finished transfers from view; H shows them, files are kept",
      when: { list, context in
        let finished = context.totals.count(.completed)
        let reason =
          list.view.kind == .history
          ? Strings.historyIsNotCleared : finished == 0 ? Strings.nothingFinished : nil
        return context.whenConnected(Availability(unless: reason))
      },
      do: { _, _ in [.service(.clearFinished)] }),
  ]

  private static let command: [Binding<ListScreen>] = [
    Binding(
      "command", .finding, in: [.list], keys: [.character(":")], label: "everything", rank: 5,
      help: "Do anything by name: type a part of it, or a command such as limit 500K or start 3 5",
      do: { list, context in [.open(OpenScreen(CommandScreen(over: list, context)))] })
  ]

  private static let order: [Binding<ListScreen>] = [
    Binding(
      "sort-menu", .finding, in: [.list], keys: [.character("o")], label: "sort", rank: 16,
      help: "Choose the sort order of the list",
      when: availabilityOfViews,
      do: { list, _ in [.open(OpenScreen(SortMenu(showing: list.view.sort)))] }),
    Binding(
      "view-menu", .finding, in: [.list], keys: [.character("v")], label: "view", rank: 22,
      help: "Choose the columns and the theme",
      do: { _, context in
        [.open(OpenScreen(ViewMenu(themes: context.settings.themes)))]
      }),
    Binding(
      "sort-left", .finding, in: [.list], keys: [.character("<")],
      help: "Sort by the previous column",
      when: availabilityOfViews,
      do: { list, context in
        list.setSort(list.view.sorted(byColumn: -1, columns: context.size.columns), context)
      }),
    Binding(
      "sort-right", .finding, in: [.list], keys: [.character(">")],
      help: "Sort by the next column",
      when: availabilityOfViews,
      do: { list, context in
        list.setSort(list.view.sorted(byColumn: 1, columns: context.size.columns), context)
      }),
    Binding(
      .reverse, when: availabilityOfViews,
      do: { list, context in list.fulfil(.reverse, context) }),
  ]

  private static let holding: [Binding<ListScreen>] = [
    Binding(
      "follow", .finding, in: [.list], keys: [.character("F")],
      help: "Follow the row wherever it moves, or stop following",
      when: { list, _ in
        Availability(unless: list.rowCount == 0 && !list.isFollowing ? list.emptyReason : nil)
      },
      do: { list, context in list.toggleFollowing(context) }),
    Binding(
      "freeze", .finding, in: [.list], keys: [.character("Z")],
      help: "Freeze the rows, or resume updates",
      when: { list, _ in Availability(unless: list.window == nil ? Strings.rowNotThereYet : nil) },
      do: { list, context in list.toggleFreezing(context) }),
  ]

  private static func availabilityOfMatches(_ list: ListScreen) -> Availability {
    if !list.search.isOn { return .impossible(Strings.noSearchYet) }
    return Availability(unless: list.rowCount == 0 ? list.emptyReason : nil)
  }

  /// A list that is empty without a filter has no other view.
  @Sendable
  private static func availabilityOfViews(
    _ list: ListScreen, _ context: ScreenContext
  ) -> Availability {
    let isEmpty = list.rowCount == 0 && !list.view.isFiltered
    return context.whenConnected(Availability(unless: isEmpty ? list.emptyReason : nil))
  }
}

extension Action {
  static let search = Action(
    "search", .finding, in: [.list, .reader], keys: [.character("/")], label: "find", rank: 8,
    help: "Search: move to the next row or line with the words; in the list, signs as in the filter"
  )
  static let nextMatch = Action(
    "next-match", .finding, in: [.list, .reader], keys: [.character("n")],
    help: "To the next match")
  static let previousMatch = Action(
    "previous-match", .finding, in: [.list, .reader], keys: [.character("N")],
    help: "To the previous match")
  static let keepQuery = Action(
    "keep-query", .finding, in: [.query], keys: [.enter], label: "keep it", isRequired: true,
    help: "Keep the filter or the search")
  static let complete = Action(
    "complete", .finding, in: [.query, .command], keys: [.tab], label: "complete", rank: 2,
    help: "Complete the word: state:, host:, queue:, a command")
  static let reverse = Action(
    "reverse", .finding, in: [.list, .menu], keys: [.character("I")], help: "Reverse the order")
}
