/// The keys for marks and for the view of the list.
extension Bindings {
  static let finding = marks + query + order

  private static let marks: [Binding] = [
    Binding(
      .finding, [.list], [.character(" ")], .mark(.toggle),
      "Mark or unmark the row, and move to the next"),
    Binding(.finding, [.list], [.character("A")], .mark(.all), "Mark all that match the filter"),
    Binding(.finding, [.list], [.character("U")], .mark(.none), "Clear all marks"),
    Binding(
      .finding, [.list], [.character("i")], .mark(.invert),
      "Invert the marks"),
  ]

  private static let query: [Binding] = [
    Binding(
      .finding, [.list], [.character("/")], .view(.search), label: "search", rank: 12,
      "Search: move to the next row that contains the words"),
    Binding(.finding, [.list], [.character("n")], .view(.findNext), "To the next match"),
    Binding(.finding, [.list], [.character("N")], .view(.findPrevious), "To the previous match"),
    Binding(
      .finding, [.list], [.character("\\")], .view(.filter),
      "Filter: state:failed host:example.org session:kettle \"two words\" iso"),
    Binding(
      .finding, [.list], [.escape], .view(.clear),
      "Clear the search, filter or marks, or leave the history, in this order"),
    Binding(
      .finding, [.query], [.enter], .takeField, label: "keep it", "Keep the filter or the search"),
    Binding(
      .finding, [.query], [.up], .move(.up), label: "earlier", rank: 4,
      "The previous entry"),
    Binding(.finding, [.query], [.down], .move(.down), "The next entry"),
    Binding(
      .finding, [.list], [.character("H")], .view(.history),
      "Show or hide the history: all finished transfers, even cleared ones"),
    Binding(
      .finding, [.list], [.character("c")], .view(.clearFinished),
      "Clear finished transfers from view; H shows them, files are kept"),
  ]

  private static let order: [Binding] = [
    Binding(
      .finding, [.list], [.character("o")], .view(.sortMenu),
      "Choose the sort order of the list"),
    Binding(
      .finding, [.list], [.character("<")], .view(.columnLeft), "Sort by the previous column"),
    Binding(.finding, [.list], [.character(">")], .view(.columnRight), "Sort by the next column"),
    Binding(
      .finding, [.list, .menu], [.character("I")], .view(.reverse), "Reverse the order"),
    Binding(.finding, [.menu], [.up, .character("k")], .move(.up), "One line up"),
    Binding(.finding, [.menu], [.down, .character("j")], .move(.down), "One line down"),
    Binding(
      .finding, [.menu], [.enter], .choose, label: "select",
      "Sort by it; selecting the current order reverses it"),
    Binding(
      .finding, [.menu], [.escape, .character("q"), .character("o"), .control("c")], .cancel,
      label: "cancel", rank: 1, "Cancel and change nothing"),
    Binding(.finding, [.list], [.character("K")], .queue(.up), "Up in the queue"),
    Binding(.finding, [.list], [.character("J")], .queue(.down), "Down in the queue"),
    Binding(.finding, [.list], [.alt("k")], .queue(.toTop), "To the top of the queue"),
    Binding(.finding, [.list], [.alt("j")], .queue(.toBottom), "To the bottom of the queue"),
    Binding(.finding, [.list], [.character("+")], .queue(.sooner), "Raise the priority"),
    Binding(.finding, [.list], [.character("-")], .queue(.later), "Lower the priority"),
    Binding(
      .finding, [.list], [.character("F")], .view(.follow),
      "Follow the row wherever it moves, or stop following"),
    Binding(
      .finding, [.list], [.character("Z")], .view(.freeze),
      "Freeze the rows, or resume updates"),
  ]
}
