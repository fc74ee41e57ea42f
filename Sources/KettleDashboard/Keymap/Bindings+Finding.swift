/// The keys for marks and for the view of the list.
extension Bindings {
  static let finding = marks + query + order

  private static let marks: [Binding] = [
    Binding(
      "mark", .mark(.toggle), group: .finding, in: [.list], keys: [.character(" ")],
      description: "Mark or unmark the row, and move to the next"),
    Binding(
      "mark-all", .mark(.all), group: .finding, in: [.list], keys: [.character("A")],
      description: "Mark all that match the filter"),
    Binding(
      "unmark-all", .mark(.none), group: .finding, in: [.list], keys: [.character("U")],
      description: "Clear all marks"),
    Binding(
      "invert-marks", .mark(.invert), group: .finding, in: [.list], keys: [.character("i")],
      description: "Invert the marks"),
  ]

  private static let query: [Binding] = [
    Binding(
      "search", .view(.search), group: .finding, in: [.list], keys: [.character("/")],
      label: "search", rank: 12,
      description: "Search: move to the next row that contains the words"),
    Binding(
      "next-match", .view(.findNext), group: .finding, in: [.list], keys: [.character("n")],
      description: "To the next match"),
    Binding(
      "previous-match", .view(.findPrevious), group: .finding, in: [.list], keys: [.character("N")],
      description: "To the previous match"),
    Binding(
      "filter", .view(.filter), group: .finding, in: [.list], keys: [.character("\\")],
      description: "Filter: state:failed host:example.org session:kettle \"two words\" iso"),
    Binding(
      "clear", .view(.clear), group: .finding, in: [.list], keys: [.escape],
      description: "Clear the search, filter or marks, or leave the history, in this order"),
    Binding(
      "keep-query", .acceptQuery, group: .finding, in: [.query], keys: [.enter], label: "keep it",
      isRequired: true,
      description: "Keep the filter or the search"),
    Binding(
      "query-up", .move(.up), group: .finding, in: [.query], keys: [.up], label: "earlier", rank: 4,
      description: "The previous entry"),
    Binding(
      "query-down", .move(.down), group: .finding, in: [.query], keys: [.down],
      description: "The next entry"),
    Binding(
      "history", .view(.history), group: .finding, in: [.list], keys: [.character("H")],
      description: "Show or hide the history: all finished transfers, even cleared ones"),
    Binding(
      "clear-finished", .view(.clearFinished), group: .finding, in: [.list],
      keys: [.character("c")],
      description: "Clear finished transfers from view; H shows them, files are kept"),
  ]

  private static let order: [Binding] = [
    Binding(
      "sort-menu", .view(.sortMenu), group: .finding, in: [.list], keys: [.character("o")],
      description: "Choose the sort order of the list"),
    Binding(
      "sort-left", .view(.columnLeft), group: .finding, in: [.list], keys: [.character("<")],
      description: "Sort by the previous column"),
    Binding(
      "sort-right", .view(.columnRight), group: .finding, in: [.list], keys: [.character(">")],
      description: "Sort by the next column"),
    Binding(
      "reverse", .view(.reverse), group: .finding, in: [.list, .menu], keys: [.character("I")],
      description: "Reverse the order"),
    Binding(
      "menu-up", .move(.up), group: .finding, in: [.menu], keys: [.up, .character("k")],
      description: "One line up"),
    Binding(
      "menu-down", .move(.down), group: .finding, in: [.menu], keys: [.down, .character("j")],
      description: "One line down"),
    Binding(
      "choose", .choose, group: .finding, in: [.menu], keys: [.enter], label: "select",
      isRequired: true,
      description: "Sort by this column; selecting the current one reverses the order"),
    Binding(
      "menu-cancel", .cancel, group: .finding, in: [.menu],
      keys: [.escape, .character("q"), .character("o"), .control("c")], label: "cancel", rank: 1,
      isRequired: true,
      description: "Cancel and change nothing"),
    Binding(
      "queue-up", .queue(.up), group: .finding, in: [.list], keys: [.character("K")],
      description: "Up in the queue"),
    Binding(
      "queue-down", .queue(.down), group: .finding, in: [.list], keys: [.character("J")],
      description: "Down in the queue"),
    Binding(
      "queue-top", .queue(.toTop), group: .finding, in: [.list], keys: [.alt("k")],
      description: "To the top of the queue"),
    Binding(
      "queue-bottom", .queue(.toBottom), group: .finding, in: [.list], keys: [.alt("j")],
      description: "To the bottom of the queue"),
    Binding(
      "priority-up", .queue(.sooner), group: .finding, in: [.list], keys: [.character("+")],
      description: "Raise the priority"),
    Binding(
      "priority-down", .queue(.later), group: .finding, in: [.list], keys: [.character("-")],
      description: "Lower the priority"),
    Binding(
      "follow", .view(.follow), group: .finding, in: [.list], keys: [.character("F")],
      description: "Follow the row wherever it moves, or stop following"),
    Binding(
      "freeze", .view(.freeze), group: .finding, in: [.list], keys: [.character("Z")],
      description: "Freeze the rows, or resume updates"),
  ]
}
