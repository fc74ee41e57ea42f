import CNcurses
import DashboardUI

/// Makes keys of what ncurses reads; a bracketed paste becomes one key.
struct KeyDecoder {
  enum Code: Hashable {
    case scalar(Unicode.Scalar)
    /// A key with a code of ncurses, or one of ours.
    case key(Int32)
  }

  /// Beyond KEY_MAX, where ncurses has nothing of its own.
  static let pasteStart: Int32 = KEY_MAX + 101
  static let pasteEnd: Int32 = KEY_MAX + 102

  private enum State {
    case keys
    /// Between the start and the end of a paste.
    case paste([Unicode.Scalar])
  }

  /// A paste without an end must not eat memory.
  private static let pasteCountMax = 4_000_000

  private var state = State.keys

  var isCollecting: Bool {
    switch state {
    case .keys: false
    case .paste: true
    }
  }

  func defineKeys() {
    define_key("\u{1B}[200~", Self.pasteStart)
    define_key("\u{1B}[201~", Self.pasteEnd)
  }

  mutating func decode(_ codes: [Code]) -> [Key] {
    if case .keys = state, let text = Self.unmarkedPaste(codes) { return [.paste(text)] }
    var keys: [Key] = []
    var isAlt = false
    for (index, code) in codes.enumerated() {
      switch (state, code) {
      case (.paste, .key(Self.pasteEnd)):
        keys += flush()
      case (.paste(var scalars), .scalar(let scalar)):
        state = .keys
        if scalars.count < Self.pasteCountMax { scalars.append(scalar) }
        state = .paste(scalars)
      case (.paste, .key): break
      case (.keys, .key(Self.pasteStart)): state = .paste([])
      case (.keys, .key(let number)): keys.append(Self.key(number))
      case (.keys, .scalar("\u{1B}")):
        // ncurses waited for more of an escape sequence; what follows at once came with Alt.
        if index + 1 < codes.count, case .scalar(let next) = codes[index + 1], next != "\u{1B}" {
          isAlt = true
          continue
        }
        keys.append(.escape)
      case (.keys, .scalar(let scalar)):
        keys.append(isAlt ? .alt(Character(scalar)) : Self.key(scalar))
      }
      isAlt = false
    }
    return keys
  }

  /// Ends a paste whose end did not come.
  mutating func flush() -> [Key] {
    guard case .paste(let scalars) = state else { return [] }
    state = .keys
    return [.paste(Self.text(scalars))]
  }

  /// Terminals without bracketed paste send what is pasted as if it were typed, and the letters of
  /// a URL are commands here. Nobody types a URL within one read.
  private static func unmarkedPaste(_ codes: [Code]) -> String? {
    guard codes.count >= 8 else { return nil }
    var scalars: [Unicode.Scalar] = []
    for code in codes {
      guard case .scalar(let scalar) = code, scalar != "\u{1B}" else { return nil }
      scalars.append(scalar)
    }
    let text = text(scalars)
    return text.contains("://") ? text : nil
  }

  private static func text(_ scalars: [Unicode.Scalar]) -> String {
    var text = String.UnicodeScalarView()
    var previous: Unicode.Scalar?
    for scalar in scalars {
      if scalar == "\r" {
        text.append("\n")
      } else if scalar != "\n" || previous != "\r" {
        text.append(scalar)
      }
      previous = scalar
    }
    return String(text)
  }

  private static func key(_ scalar: Unicode.Scalar) -> Key {
    switch scalar.value {
    case 13: .enter
    case 9: .tab
    case 8, 127: .backspace
    case 1...26: .control(Character(Unicode.Scalar(UInt8(scalar.value + 96))))
    case 0...31, 128...159: .unknown
    default: .character(Character(scalar))
    }
  }

  private static func key(_ number: Int32) -> Key {
    switch number {
    case KEY_ENTER: .enter
    case KEY_BACKSPACE: .backspace
    case KEY_DC: .delete
    case KEY_BTAB: .backTab
    case KEY_UP: .up
    case KEY_DOWN: .down
    case KEY_LEFT: .left
    case KEY_RIGHT: .right
    case KEY_HOME: .home
    case KEY_END: .end
    case KEY_PPAGE: .pageUp
    case KEY_NPAGE: .pageDown
    case kettle_key_f(1)...kettle_key_f(12): .function(Int(number - kettle_key_f(0)))
    default: .unknown
    }
  }
}
