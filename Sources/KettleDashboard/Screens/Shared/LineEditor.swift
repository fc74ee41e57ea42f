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
