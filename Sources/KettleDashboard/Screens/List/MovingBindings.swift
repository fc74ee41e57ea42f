/// The keys that move the cursor.
enum MovingBindings {
  static let all: [Binding<ListScreen>] = [
    move("up", .up, keys: [.up, .character("k")], help: "One row up"),
    move("down", .down, keys: [.down, .character("j")], help: "One row down"),
    move("page-up", .pageUp, keys: [.pageUp], help: "One screen up"),
    move("page-down", .pageDown, keys: [.pageDown], help: "One screen down"),
    move("first", .home, keys: [.home, .character("g")], help: "To the first row"),
    move("last", .end, keys: [.end, .character("G")], help: "To the last row"),
  ]

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
