/// The table of default key bindings, before user mappings. `Keymap` and docs/keybindings.md are
/// built from it.
package enum Bindings {
  package static let all: [Binding] =
    transfer + everything + finding + moving + reader + sections + add + question
    + dashboard

  private static let transfer: [Binding] = [
    Binding(
      .transfer, [.list], [.character("s")], .row(.start), label: "start", rank: 2,
      "Start or resume it; a waiting transfer is retried at once"),
    Binding(
      .transfer, [.list], [.character("p")], .row(.pause), label: "pause", rank: 1,
      "Pause it and keep the downloaded bytes, or resume it"),
    Binding(
      .transfer, [.list], [.character("x")], .row(.stop), label: "stop", rank: 3,
      "Stop it and discard the downloaded bytes"),
    Binding(
      .transfer, [.list], [.enter], .row(.details), label: "details", rank: 9,
      "Show its details"),
    Binding(
      .transfer, [.list], [.character("d"), .delete], .row(.remove), label: "remove", rank: 10,
      "Remove it from the list (asks first); a finished file is kept"),
    Binding(
      .transfer, [.list], [.character("D")], .row(.removeWithFile),
      label: Strings.footerDeleteFile, rank: 4,
      "Remove it from the list and delete its finished file (asks first)"),
    Binding(
      .transfer, [.list], [.character("u")], .row(.relink), rank: 4,
      "Set a new link and resume; the bytes are kept if the file is the same"),
    Binding(
      .transfer, [.list], [.character("l")], .row(.limit),
      "Limit the speed of it, of the marked ones, or of all together"),
    Binding(
      .transfer, [.list, .reader], [.character("y")], .take(.copyURL),
      "Copy its URL to the terminal's clipboard"),
    Binding(
      .transfer, [.list, .reader], [.character("Y")], .take(.copyPath),
      "Copy the path of its file"),
    Binding(
      .transfer, [.list, .reader], [.character("O")], .take(.openFile), label: "open", rank: 12,
      "Open its finished file with the desktop's default program"),
  ]

  private static let everything: [Binding] = [
    Binding(
      .all, [.list], [.character("S")], .all(.start), label: "start all", rank: 5,
      "Start everything that is neither running nor finished"),
    Binding(
      .all, [.list], [.character("X")], .all(.stop), label: "stop all", rank: 6,
      "Stop everything unfinished and discard the downloaded bytes"),
    Binding(
      .all, [.list], [.character("P")], .all(.pause), label: "pause all", rank: 7,
      "Pause everything unfinished"),
    Binding(
      .all, [.list], [.character("R")], .all(.reset), label: "reset", rank: 8,
      "Delete the finished files and reset all transfers (asks first)"),
    Binding(
      .all, [.list], [.character("a"), .paste("")], .add, label: "add", rank: 4,
      "Add one or more URLs: type them, or paste them here"),
  ]

  private static let moving: [Binding] = [
    Binding(.moving, [.list], [.up, .character("k")], .move(.up), "One row up"),
    Binding(.moving, [.list], [.down, .character("j")], .move(.down), "One row down"),
    Binding(.moving, [.list], [.pageUp], .move(.pageUp), "One screen up"),
    Binding(.moving, [.list], [.pageDown], .move(.pageDown), "One screen down"),
    Binding(.moving, [.list], [.home, .character("g")], .move(.home), "To the first row"),
    Binding(.moving, [.list], [.end, .character("G")], .move(.end), "To the last row"),
  ]

  private static let reader: [Binding] = [
    Binding(
      .reader, [.reader], [.escape, .character("q"), .enter], .back, label: "back",
      "Back to the list"),
    Binding(.reader, [.reader], [.up, .character("k")], .move(.up), "One line up"),
    Binding(.reader, [.reader], [.down, .character("j")], .move(.down), "One line down"),
    Binding(.reader, [.reader], [.pageUp], .move(.pageUp), "One screen up"),
    Binding(
      .reader, [.reader], [.pageDown, .character(" ")], .move(.pageDown), label: "more", rank: 1,
      "One screen down"),
    Binding(.reader, [.reader], [.home, .character("g")], .move(.home), "To the beginning"),
    Binding(.reader, [.reader], [.end, .character("G")], .move(.end), "To the end"),
    Binding(
      .reader, [.reader], [.right, .tab], .details(.nextSection), label: "next section", rank: 2,
      "To the next section of the details"),
    Binding(
      .reader, [.reader], [.left, .backTab], .details(.previousSection),
      "To the previous section"),
  ]

  private static let sections: [Binding] = DetailsSection.allCases.map { section in
    Binding(
      .reader, [.reader], [.character(Character("\(section.number)"))],
      .details(.section(section)), "Details: " + Strings.title(of: section))
  }

  private static let add: [Binding] = [
    Binding(
      .add, [.add], [.enter], .addNow, label: "add",
      "Add all lines, if each is a URL or a curl command"),
    Binding(
      .add, [.entry], [.enter], .enterNow, label: "apply", "Apply the link or the limit"),
    Binding(
      .add, [.add, .entry, .query], [.escape, .control("c")], .cancel, label: "cancel", rank: 1,
      "Cancel and change nothing"),
    Binding(
      .add, [.add], [.control("j")], .edit(.nextLine), label: "next line", rank: 2,
      "Start a new line of URLs, or another header"),
    Binding(
      .add, [.add, .entry], [.tab], .edit(.nextField), label: "next", rank: 2,
      "To the next field, or the next choice for a limit"),
    Binding(.add, [.add, .entry], [.backTab], .edit(.previousField), "To the previous field"),
    Binding(
      .add, [.add, .entry, .query], [.control("u")], .edit(.eraseLine), label: "clear line",
      rank: 3,
      "Clear the line"),
    Binding(
      .add, [.add, .entry, .query], [.left, .control("b")], .edit(.left),
      "One character to the left"),
    Binding(
      .add, [.add, .entry, .query], [.right, .control("f")], .edit(.right),
      "One character to the right"),
    Binding(.add, [.add], [.up], .move(.up), "One line or field up"),
    Binding(.add, [.add], [.down], .move(.down), "One line or field down"),
    Binding(.add, [.add], [.pageUp], .move(.pageUp), "Ten lines up, or back to the URLs"),
    Binding(.add, [.add], [.pageDown], .move(.pageDown), "Ten lines down, or to the last field"),
    Binding(
      .add, [.add, .entry, .query], [.home, .control("a")], .edit(.lineStart),
      "To the start of the line"),
    Binding(
      .add, [.add, .entry, .query], [.end, .control("e")], .edit(.lineEnd), "To the end of the line"
    ),
    Binding(
      .add, [.add, .entry, .query], [.backspace], .edit(.eraseBefore),
      "Erase the character before the cursor"),
    Binding(
      .add, [.add, .entry, .query], [.delete, .control("d")], .edit(.eraseAfter),
      "Erase the character under it"),
  ]

  private static let question: [Binding] = [
    Binding(
      .question, [.question], [.character("y"), .character("Y")], .confirm, label: "yes",
      "Yes, do it"),
    Binding(
      .question, [.question],
      [.character("n"), .character("N"), .character("q"), .escape, .enter, .control("c")],
      .cancel, label: "no", rank: 1, "No, leave everything as it is"),
  ]

  private static let dashboard: [Binding] = [
    Binding(
      .dashboard, [.list, .reader], [.character("?"), .function(1)], .help, label: "help",
      rank: 0, "Show the keys"),
    Binding(
      .dashboard, Set(KeyContext.allCases), [.control("l")], .redraw, "Redraw the screen"),
    Binding(
      .dashboard, Set(KeyContext.allCases), [.control("z")], .suspend,
      "Suspend the dashboard; fg in the shell resumes it"),
    Binding(
      .dashboard, [.list], [.character("q")], .leave, label: "leave", rank: 0,
      "Leave; the transfers continue in the background"),
    Binding(
      .dashboard, [.list, .reader], [.control("c")], .leave, action: "interrupt",
      "Leave; the transfers continue in the background"),
  ]
}

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

extension Bindings {
  /// The text of docs/keybindings.md.
  package static var markdown: String {
    var lines = ["# Keys of the dashboard", "", Strings.markdownNote]
    for group in Binding.Group.allCases {
      lines += ["", "## " + Strings.title(of: group), ""]
      lines += ["| key | action | what it does |", "|---|---|---|"]
      for binding in all where binding.group == group {
        let keys = binding.keys.map { "`" + $0.name + "`" }.joined(separator: ", ")
        lines.append("| \(keys) | `\(binding.action)` | \(binding.description) |")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
