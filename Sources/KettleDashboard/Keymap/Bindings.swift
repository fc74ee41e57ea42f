/// The table of default key bindings, before user mappings. `Keymap` and docs/keybindings.md are
/// built from it.
package enum Bindings {
  package static let all: [Binding] =
    transfer + everything + finding + moving + reader + sections + dialogs
    + dashboard

  private static let transfer: [Binding] = [
    Binding(
      "start", .row(.start), group: .transfer, in: [.list], keys: [.character("s")], label: "start",
      otherLabels: [Strings.footerRetry], rank: 2,
      description: "Start or resume it; a waiting transfer is retried at once"),
    Binding(
      "pause", .row(.pause), group: .transfer, in: [.list], keys: [.character("p")], label: "pause",
      otherLabels: [Strings.footerResume], rank: 1,
      description: "Pause it and keep the downloaded bytes, or resume it"),
    Binding(
      "stop", .row(.stop), group: .transfer, in: [.list], keys: [.character("x")], label: "stop",
      rank: 3,
      description: "Stop it and discard the downloaded bytes"),
    Binding(
      "details", .row(.details), group: .transfer, in: [.list], keys: [.enter], label: "details",
      rank: 9,
      description: "Show its details"),
    Binding(
      "remove", .row(.remove), group: .transfer, in: [.list], keys: [.character("d"), .delete],
      label: "remove", rank: 10,
      description: "Remove it from the list (asks first); a finished file is kept"),
    Binding(
      "remove-file", .row(.removeWithFile), group: .transfer, in: [.list], keys: [.character("D")],
      label: Strings.footerDeleteFile,
      otherLabels: [Strings.footerNewLink, Strings.footerDeleteFile], rank: 4,
      description: "Remove it from the list and delete its finished file (asks first)"),
    Binding(
      "new-link", .row(.relink), group: .transfer, in: [.list], keys: [.character("u")],
      otherLabels: [Strings.footerNewLink, Strings.footerDeleteFile], rank: 4,
      description: "Set a new link and resume; the bytes are kept if the file is the same"),
    Binding(
      "limit", .row(.limit), group: .transfer, in: [.list], keys: [.character("l")],
      description: "Limit the speed of the transfer, of the marked ones, or of all together"),
    Binding(
      "copy-url", .copyOrOpen(.copyURL), group: .transfer, in: [.list, .reader],
      keys: [.character("y")],
      description: "Copy its URL to the terminal's clipboard"),
    Binding(
      "copy-path", .copyOrOpen(.copyPath), group: .transfer, in: [.list, .reader],
      keys: [.character("Y")],
      description: "Copy the path of its file"),
    Binding(
      "open-file", .copyOrOpen(.openFile), group: .transfer, in: [.list, .reader],
      keys: [.character("O")], label: "open", rank: 12,
      description: "Open its finished file with the desktop's default program"),
  ]

  private static let everything: [Binding] = [
    Binding(
      "start-all", .all(.start), group: .all, in: [.list], keys: [.character("S")],
      label: "start all", rank: 5,
      description: "Start everything that is neither running nor finished"),
    Binding(
      "stop-all", .all(.stop), group: .all, in: [.list], keys: [.character("X")], label: "stop all",
      rank: 6,
      description: "Stop everything unfinished and discard the downloaded bytes"),
    Binding(
      "pause-all", .all(.pause), group: .all, in: [.list], keys: [.character("P")],
      label: "pause all", rank: 7,
      description: "Pause everything unfinished"),
    Binding(
      "reset", .all(.reset), group: .all, in: [.list], keys: [.character("R")], label: "reset",
      rank: 8,
      description: "Delete the finished files and reset all transfers (asks first)"),
    Binding(
      "add", .add, group: .all, in: [.list], keys: [.character("a"), .paste("")], label: "add",
      rank: 4,
      description: "Add one or more URLs: type them, or paste them here"),
  ]

  private static let moving: [Binding] = [
    Binding(
      "up", .move(.up), group: .moving, in: [.list], keys: [.up, .character("k")],
      description: "One row up"),
    Binding(
      "down", .move(.down), group: .moving, in: [.list], keys: [.down, .character("j")],
      description: "One row down"),
    Binding(
      "page-up", .move(.pageUp), group: .moving, in: [.list], keys: [.pageUp],
      description: "One screen up"),
    Binding(
      "page-down", .move(.pageDown), group: .moving, in: [.list], keys: [.pageDown],
      description: "One screen down"),
    Binding(
      "first", .move(.home), group: .moving, in: [.list], keys: [.home, .character("g")],
      description: "To the first row"),
    Binding(
      "last", .move(.end), group: .moving, in: [.list], keys: [.end, .character("G")],
      description: "To the last row"),
  ]

  private static let reader: [Binding] = [
    Binding(
      "back", .back, group: .reader, in: [.reader], keys: [.escape, .character("q"), .enter],
      label: "back", isRequired: true,
      description: "Back to the list"),
    Binding(
      "scroll-up", .move(.up), group: .reader, in: [.reader], keys: [.up, .character("k")],
      description: "One line up"),
    Binding(
      "scroll-down", .move(.down), group: .reader, in: [.reader], keys: [.down, .character("j")],
      description: "One line down"),
    Binding(
      "scroll-page-up", .move(.pageUp), group: .reader, in: [.reader], keys: [.pageUp],
      description: "One screen up"),
    Binding(
      "scroll-page-down", .move(.pageDown), group: .reader, in: [.reader],
      keys: [.pageDown, .character(" ")], label: "more", rank: 1,
      description: "One screen down"),
    Binding(
      "scroll-first", .move(.home), group: .reader, in: [.reader], keys: [.home, .character("g")],
      description: "To the beginning"),
    Binding(
      "scroll-last", .move(.end), group: .reader, in: [.reader], keys: [.end, .character("G")],
      description: "To the end"),
    Binding(
      "next-section", .details(.nextSection), group: .reader, in: [.reader], keys: [.right, .tab],
      label: "next section", rank: 2,
      description: "To the next section of the details"),
    Binding(
      "previous-section", .details(.previousSection), group: .reader, in: [.reader],
      keys: [.left, .backTab],
      description: "To the previous section"),
  ]

  private static let sections: [Binding] = DetailsSection.allCases.map { section in
    Binding(
      "show-\(section)", .details(.section(section)), group: .reader, in: [.reader],
      keys: [.character(Character("\(section.number)"))],
      description: "Details: " + Strings.title(of: section))
  }

  private static let dashboard: [Binding] = [
    Binding(
      "help", .help, group: .dashboard, in: [.list, .reader],
      keys: [.character("?"), .function(1)], label: "help", rank: 0, isRequired: true,
      description: "Show the keys"),
    Binding(
      "redraw", .redraw, group: .dashboard, in: Set(KeyContext.allCases), keys: [.control("l")],
      description: "Redraw the screen"),
    Binding(
      "suspend", .suspend, group: .dashboard, in: Set(KeyContext.allCases), keys: [.control("z")],
      description: "Suspend the dashboard; fg in the shell resumes it"),
    Binding(
      "leave", .leave, group: .dashboard, in: [.list], keys: [.character("q")], label: "leave",
      rank: 0, isRequired: true,
      description: "Leave; the transfers continue in the background"),
    Binding(
      "interrupt", .leave, group: .dashboard, in: [.list, .reader], keys: [.control("c")],
      isRequired: true,
      description: "Leave; the transfers continue in the background"),
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
