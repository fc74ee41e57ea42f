/// The keys for marks and for the view of the list.
extension Bindings {
  static let finding = marks + query + order

  private static let marks: [Binding] = [
    Binding(
      .finding, [.list], [.character(" ")], .mark(.toggle),
      "Mark the row, or take its mark away, and go on to the next"),
    Binding(.finding, [.list], [.character("A")], .mark(.all), "Mark all that the filter shows"),
    Binding(.finding, [.list], [.character("U")], .mark(.none), "Take all marks away"),
    Binding(
      .finding, [.list], [.character("i")], .mark(.invert),
      "Mark what is not marked, and take the marks of the others away"),
  ]

  private static let query: [Binding] = [
    Binding(
      .finding, [.list], [.character("/")], .view(.search), label: "search", rank: 12,
      "Search: the cursor goes to the next row with the words"),
    Binding(.finding, [.list], [.character("n")], .view(.findNext), "To the next one with them"),
    Binding(.finding, [.list], [.character("N")], .view(.findPrevious), "To the one before"),
    Binding(
      .finding, [.list], [.character("\\")], .view(.filter),
      "Filter: state:failed host:example.org session:kettle \"two words\" iso"),
    Binding(
      .finding, [.list], [.escape], .view(.clear),
      "End the search, the filter, the marks, the history: the first that there is"),
    Binding(
      .finding, [.query], [.enter], .acceptQuery, label: "keep it", "Keep the filter or the search"),
    Binding(
      .finding, [.query], [.up], .move(.up), label: "earlier", rank: 4,
      "What was entered before"),
    Binding(.finding, [.query], [.down], .move(.down), "What was entered after it"),
    Binding(
      .finding, [.list], [.character("H")], .view(.history),
      "The history: everything that is finished, also what was cleared; and back"),
    Binding(
      .finding, [.list], [.character("c")], .view(.clearFinished),
      "Clear finished ones from view; H shows them, and their files stay"),
  ]

  private static let order: [Binding] = [
    Binding(
      .finding, [.list], [.character("o")], .view(.sortMenu),
      "Choose what the list is sorted by"),
    Binding(.finding, [.list], [.character("<")], .view(.columnLeft), "Sort by the column before"),
    Binding(.finding, [.list], [.character(">")], .view(.columnRight), "Sort by the next column"),
    Binding(
      .finding, [.list, .menu], [.character("I")], .view(.reverse), "Turn the order round"),
    Binding(.finding, [.menu], [.up, .character("k")], .move(.up), "One line up"),
    Binding(.finding, [.menu], [.down, .character("j")], .move(.down), "One line down"),
    Binding(
      .finding, [.menu], [.enter], .choose, label: "take it",
      "Sort by it; by the same again turns the order round"),
    Binding(
      .finding, [.menu], [.escape, .character("q"), .character("o"), .control("c")], .cancel,
      label: "leave", rank: 1, "Leave and change nothing"),
    Binding(.finding, [.list], [.character("K")], .queue(.up), "Up in the queue"),
    Binding(.finding, [.list], [.character("J")], .queue(.down), "Down in the queue"),
    Binding(.finding, [.list], [.alt("k")], .queue(.toTop), "To the top of the queue"),
    Binding(.finding, [.list], [.alt("j")], .queue(.toBottom), "To the bottom of the queue"),
    Binding(.finding, [.list], [.character("+")], .queue(.sooner), "A higher priority"),
    Binding(.finding, [.list], [.character("-")], .queue(.later), "A lower priority"),
    Binding(
      .finding, [.list], [.character("F")], .view(.follow),
      "Follow: the view goes after the row wherever it goes; and stop that"),
    Binding(
      .finding, [.list], [.character("Z")], .view(.freeze),
      "Freeze: the rows stay as they are; and go on"),
  ]
}
