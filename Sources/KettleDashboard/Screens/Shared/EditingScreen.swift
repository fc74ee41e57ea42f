/// An edit within a line of text.
package enum Edit: Hashable, Sendable, CaseIterable {
  case left, right, lineStart, lineEnd, eraseBefore, eraseAfter, eraseLine, nextLine
  /// Moves to another field of a form, or to another choice.
  case nextField, previousField
}

/// A screen with a line of text that has a cursor.
protocol EditingScreen: Screen {
  mutating func edit(_ edit: Edit, _ context: ScreenContext) -> [ScreenRequest]
  /// Closes the screen without an effect.
  mutating func cancel(_ context: ScreenContext) -> [ScreenRequest]
}

extension EditingScreen {
  static var cancelBinding: Binding<Self> {
    Binding(.cancel) { screen, context in screen.cancel(context) }
  }

  /// The keys within a line.
  static var lineBindings: [Binding<Self>] {
    [
      editing(.eraseLine, .eraseLine), editing(.cursorLeft, .left), editing(.cursorRight, .right),
      editing(.lineStart, .lineStart), editing(.lineEnd, .lineEnd),
      editing(.eraseBefore, .eraseBefore), editing(.eraseAfter, .eraseAfter),
    ]
  }

  /// The keys that move to another field.
  static func fieldBindings(when availability: Binding<Self>.Available? = nil) -> [Binding<Self>] {
    [
      editing(.nextField, .nextField, when: availability),
      editing(.previousField, .previousField, when: availability),
    ]
  }

  private static func editing(
    _ action: Action, _ edit: Edit, when availability: Binding<Self>.Available? = nil
  ) -> Binding<Self> {
    Binding(action, when: availability) { screen, context in screen.edit(edit, context) }
  }
}

extension Action {
  fileprivate static let cancel = Action(
    "cancel", .add, in: [.add, .entry, .query, .command], keys: [.escape, .control("c")],
    label: "cancel",
    rank: 1, isRequired: true, help: "Cancel and change nothing")
  fileprivate static let nextField = Action(
    "next-field", .add, in: [.add, .entry], keys: [.tab], label: "next", rank: 2,
    help: "To the next field, or the next choice for a limit")
  fileprivate static let previousField = Action(
    "previous-field", .add, in: [.add, .entry], keys: [.backTab], help: "To the previous field")
  fileprivate static let eraseLine = Action(
    "erase-line", .add, in: [.add, .entry, .query, .command], keys: [.control("u")],
    label: "clear line",
    rank: 3, help: "Clear the line")
  fileprivate static let cursorLeft = Action(
    "cursor-left", .add, in: [.add, .entry, .query, .command], keys: [.left, .control("b")],
    help: "One character to the left")
  fileprivate static let cursorRight = Action(
    "cursor-right", .add, in: [.add, .entry, .query, .command], keys: [.right, .control("f")],
    help: "One character to the right")
  fileprivate static let lineStart = Action(
    "line-start", .add, in: [.add, .entry, .query, .command], keys: [.home, .control("a")],
    help: "To the start of the line")
  fileprivate static let lineEnd = Action(
    "line-end", .add, in: [.add, .entry, .query, .command], keys: [.end, .control("e")],
    help: "To the end of the line")
  fileprivate static let eraseBefore = Action(
    "erase-before", .add, in: [.add, .entry, .query, .command], keys: [.backspace],
    help: "Erase the character before the cursor")
  fileprivate static let eraseAfter = Action(
    "erase-after", .add, in: [.add, .entry, .query, .command], keys: [.delete, .control("d")],
    help: "Erase the character under the cursor")
}
