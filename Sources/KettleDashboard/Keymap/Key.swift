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

  /// The key as it appears in the table of actions, where all pastes are one key.
  var pattern: Key {
    switch self {
    case .paste: .paste("")
    case .character, .control, .alt, .enter, .escape, .tab, .backTab, .backspace, .delete, .up,
      .down, .left, .right, .home, .end, .pageUp, .pageDown, .function, .unknown:
      self
    }
  }
}

extension Key {
  /// The text that the key inserts; nil for a key that is not text.
  var typedText: String? {
    switch self {
    case .character(let character): String(character)
    case .paste(let text): text
    case .control, .alt, .enter, .escape, .tab, .backTab, .backspace, .delete, .up, .down, .left,
      .right, .home, .end, .pageUp, .pageDown, .function, .unknown:
      nil
    }
  }

  /// Maps the names that `name` returns to their keys.
  private static let named: [String: Key] = {
    let keys: [Key] = [
      .character(" "), .enter, .escape, .tab, .backTab, .backspace, .delete, .up, .down, .left,
      .right, .home, .end, .pageUp, .pageDown,
    ]
    return Dictionary(uniqueKeysWithValues: keys.map { ($0.name.lowercased(), $0) })
  }()

  /// Parses a name that `name` returns; case matters only for single letters.
  package init?(name: String) {
    let lowered = name.lowercased()
    if name.count == 1, let character = name.first {
      guard Self.canBeTyped(character) else { return nil }
      self = .character(character)
    } else if let key = Self.named[lowered] {
      self = key
    } else if lowered.hasPrefix("ctrl-"), name.count == 6, let letter = lowered.last {
      guard let key = Self.withControl(letter) else { return nil }
      self = key
    } else if lowered.hasPrefix("alt-"), name.count == 5, let character = name.last {
      guard Self.canBeTyped(character) else { return nil }
      self = .alt(character)
    } else if lowered.first == "f", let number = Int(name.dropFirst()), (1...12).contains(number) {
      self = .function(number)
    } else {
      return nil
    }
  }

  private static func canBeTyped(_ character: Character) -> Bool {
    guard let scalar = character.unicodeScalars.first, character.unicodeScalars.count == 1 else {
      return false
    }
    // A blank is named "Space", because it is invisible.
    return !character.isWhitespace && !(0...31).contains(scalar.value)
      && !(127...159).contains(scalar.value)
  }

  /// Terminals send Ctrl-M as Enter, Ctrl-I as Tab and Ctrl-H as Backspace.
  private static func withControl(_ letter: Character) -> Key? {
    switch letter {
    case "h": .backspace
    case "i": .tab
    case "m": .enter
    case "a"..."z": .control(letter)
    default: nil
    }
  }
}

/// The user's keys for one action, and where they are configured.
package struct KeyMapping: Hashable, Sendable {
  package var action: String
  /// The names of keys; an empty list unbinds the action.
  package var keys: [String]
  /// The line in the configuration file.
  package var line: Int

  package init(action: String, keys: [String], line: Int) {
    self.action = action
    self.keys = keys
    self.line = line
  }
}

/// A mapping that is rejected: the action keeps its default keys.
package struct KeyMappingProblem: Hashable, Sendable {
  package enum What: Hashable, Sendable {
    case unknownAction
    case unknownKey(String)
    /// A letter cannot be a command where letters are text.
    case letterInText(Key)
    /// Another action has the key in the same context.
    case bound(Key, by: String)
    /// The action must have a key, or the user could not leave the screen.
    case needsKey
  }

  package var what: What
  package var action: String
  package var line: Int
}

/// Mouse input.
package struct MouseEvent: Hashable, Sendable {
  package enum Kind: Hashable, Sendable, CaseIterable {
    case click, doubleClick, wheelUp, wheelDown
  }

  package var kind: Kind
  /// From 0, at the top left cell.
  package var row: Int
  package var column: Int

  package init(_ kind: Kind, row: Int, column: Int) {
    self.kind = kind
    self.row = row
    self.column = column
  }
}
