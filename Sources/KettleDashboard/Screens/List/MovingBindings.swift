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
  ]

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
