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

/// One line of text with a cursor.
package struct LineEditor: Hashable, Sendable {
  package private(set) var characters: [Character] = []
  /// The number of characters before the cursor.
  package private(set) var column = 0

  /// The maximum length of a URL.
  static let characterCountMax = 20_000

  init(_ text: String = "") {
    characters = Array(text.prefix(Self.characterCountMax))
    column = characters.count
  }

  package var text: String { String(characters) }

  /// Inserts text at the cursor. Returns false, and changes nothing, when the text is too long.
  mutating func insert(_ text: String) -> Bool {
    let added = Array(text)
    guard characters.count + added.count <= Self.characterCountMax else { return false }
    characters.insert(contentsOf: added, at: column)
    column += added.count
    return true
  }

  mutating func apply(_ edit: Edit) {
    switch edit {
    case .left: column = max(0, column - 1)
    case .right: column = min(characters.count, column + 1)
    case .lineStart: column = 0
    case .lineEnd: column = characters.count
    case .eraseBefore:
      guard column > 0 else { return }
      column -= 1
      characters.remove(at: column)
    case .eraseAfter:
      guard column < characters.count else { return }
      characters.remove(at: column)
    case .eraseLine:
      characters = []
      column = 0
    // This editor has one line; the dialog handles the fields around it.
    case .nextLine, .nextField, .previousField: break
    }
  }
}

/// A single-line text field whose secret characters are shown as dots.
struct FieldView {
  var characters: [Character]
  var secrets: [Range<Int>] = []
  /// The number of characters before the cursor; nil when the field has no cursor.
  var cursor: Int?
  /// Shown while the field is empty.
  var placeholder = ""

  /// Draws the field behind its title, across the screen.
  func draw(titled title: String, row: Int, on canvas: inout Canvas) {
    let columns = canvas.size.columns
    let begin = 2 + canvas.write(title + ":", row: row, column: 1, width: columns - 2, .heading)
    draw(row: row, column: begin, width: max(1, columns - 1 - begin), on: &canvas)
  }

  /// Scrolls a long line so that the cursor is visible; one column is reserved for the cursor.
  func draw(row: Int, column: Int, width: Int, on canvas: inout Canvas) {
    guard width > 0 else { return }
    canvas.fill(row: row, column: column, width: width, .field)
    if characters.isEmpty {
      canvas.write(placeholder, row: row, column: column, width: width, .fieldQuiet)
    }
    let charset = canvas.look.charset
    guard let cursor else {
      // No screen line is longer.
      let shown = seen(characters.startIndex..<min(characters.count, 2000), charset)
      canvas.write(String(shown), row: row, column: column, width: width, .field)
      return
    }
    let position = min(cursor, characters.count)
    var before = seen(max(0, position - width)..<position, charset)[...]
    while columns(before, charset) > width - 1 { before = before.dropFirst() }
    let after = seen(position..<min(characters.count, position + width), charset)
    canvas.write(String(before) + String(after), row: row, column: column, width: width, .field)
    canvas.placeCursor(row: row, column: column + columns(before, charset))
  }

  private func seen(_ range: Range<Int>, _ charset: Charset) -> [Character] {
    let dot: Character = charset == .utf8 ? "•" : "*"
    var seen = Array(characters[range])
    for secret in secrets {
      for index in secret.clamped(to: range) { seen[index - range.lowerBound] = dot }
    }
    return seen
  }

  private func columns(_ text: some Sequence<Character>, _ charset: Charset) -> Int {
    ShownText(String(text), charset: charset, columnsMax: 10_000).columns
  }
}

/// A line of text in which earlier entries can be recalled.
struct RecallingLine: Hashable, Sendable {
  var editor: LineEditor
  private let history: [String]
  /// The index of the history entry that is shown; the number of entries stands for the typed text.
  private var recalled: Int
  private var typed = ""

  init(_ text: String, history: InputHistory) {
    editor = LineEditor(text)
    self.history = history.entries
    recalled = history.entries.count
  }

  var text: String { editor.text }

  /// Moves backward or forward in the history; after the newest entry comes the typed text.
  mutating func recall(by step: Int) {
    let next = min(max(recalled + step, 0), history.count)
    guard next != recalled else { return }
    if recalled == history.count { typed = editor.text }
    recalled = next
    editor = LineEditor(next < history.count ? history[next] : typed)
  }
}
