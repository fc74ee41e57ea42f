/// The table of default key bindings, before user mappings. `Keymap` and docs/keybindings.md are
/// built from it.
package enum Bindings {
  package static let all: [Binding] =
    transfer + everything + finding + moving + reader + sections + add + question
    + dashboard

  private static let transfer: [Binding] = [
    Binding(
      .transfer, in: [.list], keys: [.character("s")], .row(.start), label: "start", rank: 2,
      description: "Start or resume it; a waiting transfer is retried at once"),
    Binding(
      .transfer, in: [.list], keys: [.character("p")], .row(.pause), label: "pause", rank: 1,
      description: "Pause it and keep the downloaded bytes, or resume it"),
    Binding(
      .transfer, in: [.list], keys: [.character("x")], .row(.stop), label: "stop", rank: 3,
      description: "Stop it and discard the downloaded bytes"),
    Binding(
      .transfer, in: [.list], keys: [.enter], .row(.details), label: "details", rank: 9,
      description: "Show its details"),
    Binding(
      .transfer, in: [.list], keys: [.character("d"), .delete], .row(.remove), label: "remove",
      rank: 10,
      description: "Remove it from the list (asks first); a finished file is kept"),
    Binding(
      .transfer, in: [.list], keys: [.character("D")], .row(.removeWithFile),
      label: Strings.footerDeleteFile, rank: 4,
      description: "Remove it from the list and delete its finished file (asks first)"),
    Binding(
      .transfer, in: [.list], keys: [.character("u")], .row(.relink), rank: 4,
      description: "Set a new link and resume; the bytes are kept if the file is the same"),
    Binding(
      .transfer, in: [.list], keys: [.character("l")], .row(.limit),
      description: "Limit the speed of it, of the marked ones, or of all together"),
    Binding(
      .transfer, in: [.list, .reader], keys: [.character("y")], .copyOrOpen(.copyURL),
      description: "Copy its URL to the terminal's clipboard"),
    Binding(
      .transfer, in: [.list, .reader], keys: [.character("Y")], .copyOrOpen(.copyPath),
      description: "Copy the path of its file"),
    Binding(
      .transfer, in: [.list, .reader], keys: [.character("O")], .copyOrOpen(.openFile),
      label: "open", rank: 12,
      description: "Open its finished file with the desktop's default program"),
  ]

  private static let everything: [Binding] = [
    Binding(
      .all, in: [.list], keys: [.character("S")], .all(.start), label: "start all", rank: 5,
      description: "Start everything that is neither running nor finished"),
    Binding(
      .all, in: [.list], keys: [.character("X")], .all(.stop), label: "stop all", rank: 6,
      description: "Stop everything unfinished and discard the downloaded bytes"),
    Binding(
      .all, in: [.list], keys: [.character("P")], .all(.pause), label: "pause all", rank: 7,
      description: "Pause everything unfinished"),
    Binding(
      .all, in: [.list], keys: [.character("R")], .all(.reset), label: "reset", rank: 8,
      description: "Delete the finished files and reset all transfers (asks first)"),
    Binding(
      .all, in: [.list], keys: [.character("a"), .paste("")], .add, label: "add", rank: 4,
      description: "Add one or more URLs: type them, or paste them here"),
  ]

  private static let moving: [Binding] = [
    Binding(
      .moving, in: [.list], keys: [.up, .character("k")], .move(.up), description: "One row up"),
    Binding(
      .moving, in: [.list], keys: [.down, .character("j")], .move(.down),
      description: "One row down"),
    Binding(
      .moving, in: [.list], keys: [.pageUp], .move(.pageUp), description: "One screen up"),
    Binding(
      .moving, in: [.list], keys: [.pageDown], .move(.pageDown), description: "One screen down"),
    Binding(
      .moving, in: [.list], keys: [.home, .character("g")], .move(.home),
      description: "To the first row"),
    Binding(
      .moving, in: [.list], keys: [.end, .character("G")], .move(.end),
      description: "To the last row"),
  ]

  private static let reader: [Binding] = [
    Binding(
      .reader, in: [.reader], keys: [.escape, .character("q"), .enter], .back, label: "back",
      description: "Back to the list"),
    Binding(
      .reader, in: [.reader], keys: [.up, .character("k")], .move(.up), description: "One line up"),
    Binding(
      .reader, in: [.reader], keys: [.down, .character("j")], .move(.down),
      description: "One line down"),
    Binding(
      .reader, in: [.reader], keys: [.pageUp], .move(.pageUp), description: "One screen up"),
    Binding(
      .reader, in: [.reader], keys: [.pageDown, .character(" ")], .move(.pageDown), label: "more",
      rank: 1,
      description: "One screen down"),
    Binding(
      .reader, in: [.reader], keys: [.home, .character("g")], .move(.home),
      description: "To the beginning"),
    Binding(
      .reader, in: [.reader], keys: [.end, .character("G")], .move(.end), description: "To the end"),
    Binding(
      .reader, in: [.reader], keys: [.right, .tab], .details(.nextSection), label: "next section",
      rank: 2,
      description: "To the next section of the details"),
    Binding(
      .reader, in: [.reader], keys: [.left, .backTab], .details(.previousSection),
      description: "To the previous section"),
  ]

  private static let sections: [Binding] = DetailsSection.allCases.map { section in
    Binding(
      .reader, in: [.reader], keys: [.character(Character("\(section.number)"))],
      .details(.section(section)), description: "Details: " + Strings.title(of: section))
  }

  private static let add: [Binding] = [
    Binding(
      .add, in: [.add], keys: [.enter], .addNow, label: "add",
      description: "Add all lines, if each is a URL or a curl command"),
    Binding(
      .add, in: [.entry], keys: [.enter], .acceptEntry, label: "apply",
      description: "Apply the link or the limit"),
    Binding(
      .add, in: [.add, .entry, .query], keys: [.escape, .control("c")], .cancel, label: "cancel",
      rank: 1,
      description: "Cancel and change nothing"),
    Binding(
      .add, in: [.add], keys: [.control("j")], .edit(.nextLine), label: "next line", rank: 2,
      description: "Start a new line of URLs, or another header"),
    Binding(
      .add, in: [.add, .entry], keys: [.tab], .edit(.nextField), label: "next", rank: 2,
      description: "To the next field, or the next choice for a limit"),
    Binding(
      .add, in: [.add, .entry], keys: [.backTab], .edit(.previousField),
      description: "To the previous field"),
    Binding(
      .add, in: [.add, .entry, .query], keys: [.control("u")], .edit(.eraseLine),
      label: "clear line",
      rank: 3,
      description: "Clear the line"),
    Binding(
      .add, in: [.add, .entry, .query], keys: [.left, .control("b")], .edit(.left),
      description: "One character to the left"),
    Binding(
      .add, in: [.add, .entry, .query], keys: [.right, .control("f")], .edit(.right),
      description: "One character to the right"),
    Binding(
      .add, in: [.add], keys: [.up], .move(.up), description: "One line or field up"),
    Binding(
      .add, in: [.add], keys: [.down], .move(.down), description: "One line or field down"),
    Binding(
      .add, in: [.add], keys: [.pageUp], .move(.pageUp),
      description: "Ten lines up, or back to the URLs"),
    Binding(
      .add, in: [.add], keys: [.pageDown], .move(.pageDown),
      description: "Ten lines down, or to the last field"),
    Binding(
      .add, in: [.add, .entry, .query], keys: [.home, .control("a")], .edit(.lineStart),
      description: "To the start of the line"),
    Binding(
      .add, in: [.add, .entry, .query], keys: [.end, .control("e")], .edit(.lineEnd),
      description: "To the end of the line"
    ),
    Binding(
      .add, in: [.add, .entry, .query], keys: [.backspace], .edit(.eraseBefore),
      description: "Erase the character before the cursor"),
    Binding(
      .add, in: [.add, .entry, .query], keys: [.delete, .control("d")], .edit(.eraseAfter),
      description: "Erase the character under it"),
  ]

  private static let question: [Binding] = [
    Binding(
      .question, in: [.question], keys: [.character("y"), .character("Y")], .confirm, label: "yes",
      description: "Yes, do it"),
    Binding(
      .question, [.question],
      [.character("n"), .character("N"), .character("q"), .escape, .enter, .control("c")],
      .cancel, label: "no", rank: 1, description: "No, leave everything as it is"),
  ]

  private static let dashboard: [Binding] = [
    Binding(
      .dashboard, in: [.list, .reader], keys: [.character("?"), .function(1)], .help, label: "help",
      rank: 0, description: "Show the keys"),
    Binding(
      .dashboard, in: Set(KeyContext.allCases), keys: [.control("l")], .redraw,
      description: "Redraw the screen"),
    Binding(
      .dashboard, in: Set(KeyContext.allCases), keys: [.control("z")], .suspend,
      description: "Suspend the dashboard; fg in the shell resumes it"),
    Binding(
      .dashboard, in: [.list], keys: [.character("q")], .leave, label: "leave", rank: 0,
      description: "Leave; the transfers continue in the background"),
    Binding(
      .dashboard, in: [.list, .reader], keys: [.control("c")], .leave, action: "interrupt",
      description: "Leave; the transfers continue in the background"),
  ]
}

/// The keys for marks and for the view of the list.
extension Bindings {
  static let finding = marks + query + order

  private static let marks: [Binding] = [
    Binding(
      .finding, in: [.list], keys: [.character(" ")], .mark(.toggle),
      description: "Mark or unmark the row, and move to the next"),
    Binding(
      .finding, in: [.list], keys: [.character("A")], .mark(.all),
      description: "Mark all that match the filter"),
    Binding(
      .finding, in: [.list], keys: [.character("U")], .mark(.none), description: "Clear all marks"),
    Binding(
      .finding, in: [.list], keys: [.character("i")], .mark(.invert),
      description: "Invert the marks"),
  ]

  private static let query: [Binding] = [
    Binding(
      .finding, in: [.list], keys: [.character("/")], .view(.search), label: "search", rank: 12,
      description: "Search: move to the next row that contains the words"),
    Binding(
      .finding, in: [.list], keys: [.character("n")], .view(.findNext),
      description: "To the next match"),
    Binding(
      .finding, in: [.list], keys: [.character("N")], .view(.findPrevious),
      description: "To the previous match"),
    Binding(
      .finding, in: [.list], keys: [.character("\\")], .view(.filter),
      description: "Filter: state:failed host:example.org session:kettle \"two words\" iso"),
    Binding(
      .finding, in: [.list], keys: [.escape], .view(.clear),
      description: "Clear the search, filter or marks, or leave the history, in this order"),
    Binding(
      .finding, in: [.query], keys: [.enter], .acceptQuery, label: "keep it",
      description: "Keep the filter or the search"),
    Binding(
      .finding, in: [.query], keys: [.up], .move(.up), label: "earlier", rank: 4,
      description: "The previous entry"),
    Binding(
      .finding, in: [.query], keys: [.down], .move(.down), description: "The next entry"),
    Binding(
      .finding, in: [.list], keys: [.character("H")], .view(.history),
      description: "Show or hide the history: all finished transfers, even cleared ones"),
    Binding(
      .finding, in: [.list], keys: [.character("c")], .view(.clearFinished),
      description: "Clear finished transfers from view; H shows them, files are kept"),
  ]

  private static let order: [Binding] = [
    Binding(
      .finding, in: [.list], keys: [.character("o")], .view(.sortMenu),
      description: "Choose the sort order of the list"),
    Binding(
      .finding, in: [.list], keys: [.character("<")], .view(.columnLeft),
      description: "Sort by the previous column"),
    Binding(
      .finding, in: [.list], keys: [.character(">")], .view(.columnRight),
      description: "Sort by the next column"),
    Binding(
      .finding, in: [.list, .menu], keys: [.character("I")], .view(.reverse),
      description: "Reverse the order"),
    Binding(
      .finding, in: [.menu], keys: [.up, .character("k")], .move(.up), description: "One line up"),
    Binding(
      .finding, in: [.menu], keys: [.down, .character("j")], .move(.down),
      description: "One line down"),
    Binding(
      .finding, in: [.menu], keys: [.enter], .choose, label: "select",
      description: "Sort by it; selecting the current order reverses it"),
    Binding(
      .finding, in: [.menu], keys: [.escape, .character("q"), .character("o"), .control("c")],
      .cancel,
      label: "cancel", rank: 1, description: "Cancel and change nothing"),
    Binding(
      .finding, in: [.list], keys: [.character("K")], .queue(.up), description: "Up in the queue"),
    Binding(
      .finding, in: [.list], keys: [.character("J")], .queue(.down),
      description: "Down in the queue"),
    Binding(
      .finding, in: [.list], keys: [.alt("k")], .queue(.toTop),
      description: "To the top of the queue"),
    Binding(
      .finding, in: [.list], keys: [.alt("j")], .queue(.toBottom),
      description: "To the bottom of the queue"),
    Binding(
      .finding, in: [.list], keys: [.character("+")], .queue(.sooner),
      description: "Raise the priority"),
    Binding(
      .finding, in: [.list], keys: [.character("-")], .queue(.later),
      description: "Lower the priority"),
    Binding(
      .finding, in: [.list], keys: [.character("F")], .view(.follow),
      description: "Follow the row wherever it moves, or stop following"),
    Binding(
      .finding, in: [.list], keys: [.character("Z")], .view(.freeze),
      description: "Freeze the rows, or resume updates"),
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
