/// What came from the keyboard.
package enum Key: Hashable, Sendable {
  case character(Character)
  /// Several characters at once, line breaks as `\n`.
  case paste(String)
  /// With the Control key held, by its lower-case letter.
  case control(Character)
  /// With the Alt key held.
  case alt(Character)
  case enter, escape, tab, backTab, backspace, delete
  case up, down, left, right, home, end, pageUp, pageDown
  case function(Int)
  /// A key that has no name here.
  case unknown

  /// As the help and the documentation call it.
  package var name: String {
    switch self {
    case .character(" "): "Space"
    case .character(let character): String(character)
    case .paste: "paste"
    case .control(let letter): "Ctrl-" + letter.uppercased()
    case .alt(let character): "Alt-" + String(character)
    case .enter: "Enter"
    case .escape: "Esc"
    case .tab: "Tab"
    case .backTab: "Shift-Tab"
    case .backspace: "Backspace"
    case .delete: "Del"
    case .up: "Up"
    case .down: "Down"
    case .left: "Left"
    case .right: "Right"
    case .home: "Home"
    case .end: "End"
    case .pageUp: "PgUp"
    case .pageDown: "PgDn"
    case .function(let number): "F\(number)"
    case .unknown: "That key"
    }
  }

  /// The key as it stands in the table of bindings, where a paste is one key whatever is pasted.
  var pattern: Key {
    switch self {
    case .paste: .paste("")
    case .character, .control, .alt, .enter, .escape, .tab, .backTab, .backspace, .delete, .up,
      .down, .left, .right, .home, .end, .pageUp, .pageDown, .function, .unknown:
      self
    }
  }
}
