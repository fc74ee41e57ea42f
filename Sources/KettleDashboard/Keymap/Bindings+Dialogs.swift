/// The keys of dialogs and questions.
extension Bindings {
  static let dialogs = add + question

  private static let add: [Binding] = [
    Binding(
      "add-now", .addNow, group: .add, in: [.add], keys: [.enter], label: "add", isRequired: true,
      description: "Add all lines, if each is a URL or a curl command"),
    Binding(
      "accept", .acceptEntry, group: .add, in: [.entry], keys: [.enter], label: "apply",
      isRequired: true,
      description: "Apply the link or the limit"),
    Binding(
      "cancel", .cancel, group: .add, in: [.add, .entry, .query], keys: [.escape, .control("c")],
      label: "cancel", rank: 1, isRequired: true,
      description: "Cancel and change nothing"),
    Binding(
      "next-line", .edit(.nextLine), group: .add, in: [.add], keys: [.control("j")],
      label: "next line", rank: 2,
      description: "Start a new line of URLs, or another header"),
    Binding(
      "next-field", .edit(.nextField), group: .add, in: [.add, .entry], keys: [.tab], label: "next",
      rank: 2,
      description: "To the next field, or the next choice for a limit"),
    Binding(
      "previous-field", .edit(.previousField), group: .add, in: [.add, .entry], keys: [.backTab],
      description: "To the previous field"),
    Binding(
      "erase-line", .edit(.eraseLine), group: .add, in: [.add, .entry, .query],
      keys: [.control("u")], label: "clear line", rank: 3,
      description: "Clear the line"),
    Binding(
      "cursor-left", .edit(.left), group: .add, in: [.add, .entry, .query],
      keys: [.left, .control("b")],
      description: "One character to the left"),
    Binding(
      "cursor-right", .edit(.right), group: .add, in: [.add, .entry, .query],
      keys: [.right, .control("f")],
      description: "One character to the right"),
    Binding(
      "dialog-up", .move(.up), group: .add, in: [.add], keys: [.up],
      description: "One line or field up"),
    Binding(
      "dialog-down", .move(.down), group: .add, in: [.add], keys: [.down],
      description: "One line or field down"),
    Binding(
      "dialog-page-up", .move(.pageUp), group: .add, in: [.add], keys: [.pageUp],
      description: "Ten lines up, or back to the URLs"),
    Binding(
      "dialog-page-down", .move(.pageDown), group: .add, in: [.add], keys: [.pageDown],
      description: "Ten lines down, or to the last field"),
    Binding(
      "line-start", .edit(.lineStart), group: .add, in: [.add, .entry, .query],
      keys: [.home, .control("a")],
      description: "To the start of the line"),
    Binding(
      "line-end", .edit(.lineEnd), group: .add, in: [.add, .entry, .query],
      keys: [.end, .control("e")],
      description: "To the end of the line"),
    Binding(
      "erase-before", .edit(.eraseBefore), group: .add, in: [.add, .entry, .query],
      keys: [.backspace],
      description: "Erase the character before the cursor"),
    Binding(
      "erase-after", .edit(.eraseAfter), group: .add, in: [.add, .entry, .query],
      keys: [.delete, .control("d")],
      description: "Erase the character under the cursor"),
  ]

  private static let question: [Binding] = [
    Binding(
      "yes", .confirm, group: .question, in: [.question], keys: [.character("y"), .character("Y")],
      label: "yes", isRequired: true,
      description: "Yes, do it"),
    Binding(
      "no", .cancel, group: .question, in: [.question],
      keys: [.character("n"), .character("N"), .character("q"), .escape, .enter, .control("c")],
      label: "no", rank: 1, isRequired: true,
      description: "No, leave everything as it is"),
  ]
}
