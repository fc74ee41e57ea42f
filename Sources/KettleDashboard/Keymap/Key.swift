/// Keyboard input.
package enum Key: Hashable, Sendable {
  case character(Character)
  /// Several characters at once, line breaks as `\n`.
  case paste(String)
  /// With the Control key, as its lower-case letter.
  case control(Character)
  /// With the Alt key.
  case alt(Character)
  case enter, escape, tab, backTab, backspace, delete
  case up, down, left, right, home, end, pageUp, pageDown
  case function(Int)
  /// A key without a name in this enum.
  case unknown

  /// The name in the help and in the documentation.
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

  /// The key as it appears in the table of bindings, where all pastes are one key.
  var pattern: Key {
    switch self {
    case .paste: .paste("")
    case .character, .control, .alt, .enter, .escape, .tab, .backTab, .backspace, .delete, .up,
      .down, .left, .right, .home, .end, .pageUp, .pageDown, .function, .unknown:
      self
    }
  }
}
