import CKettleNcurses
import KettleDashboard
import KettleModel

/// The key sequences that nearly all terminals send, for terminals whose description has others:
/// TERM is often wrong, and the arrow keys should work nevertheless.
///
/// xterm's "PC-Style Function Keys" and "VT220-Style Function Keys" (ctlseqs.txt).
enum KeySequence {
  /// Returns the key for `Esc O letter`.
  static func key(singleShift letter: Unicode.Scalar) -> Key {
    switch letter {
    case "P": .function(1)
    case "Q": .function(2)
    case "R": .function(3)
    case "S": .function(4)
    case "M": .enter
    default: place(letter) ?? .unknown
    }
  }

  /// Returns the key for `Esc [ parameters final`; a key with a modifier has no name here.
  static func key(parameters: String, final: Unicode.Scalar) -> Key {
    let hasModifier = parameters.contains(";") && !parameters.hasSuffix(";1")
    guard !hasModifier else { return .unknown }
    let number = Int(parameters.prefix { $0 != ";" })
    guard final == "~" else { return place(final) ?? .unknown }
    return switch number {
    case 1, 7: .home
    case 3: .delete
    case 4, 8: .end
    case 5: .pageUp
    case 6: .pageDown
    case .some(let number): function(number)
    case nil: .unknown
    }
  }

  private static func place(_ letter: Unicode.Scalar) -> Key? {
    switch letter {
    case "A": .up
    case "B": .down
    case "C": .right
    case "D": .left
    case "H": .home
    case "F": .end
    case "Z": .backTab
    default: nil
    }
  }

  /// The numbers have gaps where the VT220 keyboard had them.
  private static func function(_ number: Int) -> Key {
    switch number {
    case 11...15: .function(number - 10)
    case 17...21: .function(number - 11)
    case 23...24: .function(number - 12)
    default: .unknown
    }
  }
}

/// Maps key codes of ncurses, and characters, to keys.
enum NcursesKey {
  static func key(_ number: Int32) -> Key {
    switch number {
    case KEY_ENTER: .enter
    case KEY_BACKSPACE: .backspace
    case KEY_BTAB: .backTab
    case KEY_DC: .delete
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

  static func key(_ scalar: Unicode.Scalar) -> Key {
    switch scalar.value {
    case 13: .enter
    case 9: .tab
    case 8, 127: .backspace
    case 1...26: .control(Character(Unicode.Scalar(UInt8(scalar.value + 96))))
    case 0...31, 128...159: .unknown
    default: .character(Character(scalar))
    }
  }

  /// Alt with a key that is not a character is `unknown`.
  static func key(withAlt scalar: Unicode.Scalar) -> Key {
    switch key(scalar) {
    case .character(let character): .alt(character)
    case .paste, .control, .alt, .enter, .escape, .tab, .backTab, .backspace, .delete, .up, .down,
      .left, .right, .home, .end, .pageUp, .pageDown, .function, .unknown:
      .unknown
    }
  }
}

/// A mouse button press or a wheel step.
struct PointerPress: Hashable {
  enum Button: Hashable {
    case left, wheelUp, wheelDown
  }

  var button: Button
  /// From 0.
  var row: Int
  var column: Int

  /// Parses `Esc [ < code ; column ; row M` (xterm's SGR form, mode 1006). Returns nil for `m`, the
  /// release of a button, and for other buttons and movements.
  init?(parameters: some StringProtocol, final: Unicode.Scalar) {
    let numbers = parameters.split(separator: ";").map { Int($0) }
    guard final == "M", numbers.count == 3, let code = numbers[0], let column = numbers[1],
      let row = numbers[2]
    else { return nil }
    self.init(code: code, rowFromOne: row, columnFromOne: column)
  }

  /// Parses three characters, each 32 more than its number: the code, and column and row from 1.
  init?(oldForm scalars: [Unicode.Scalar]) {
    guard scalars.count == 3 else { return nil }
    let numbers = scalars.map { Int($0.value) - 32 }
    self.init(code: numbers[0], rowFromOne: numbers[2], columnFromOne: numbers[1])
  }

  private init?(code: Int, rowFromOne: Int, columnFromOne: Int) {
    // The bits in between are Shift (4), Alt (8), Control (16) and movement (32).
    switch code {
    case 0: button = .left
    case 64: button = .wheelUp
    case 65: button = .wheelDown
    default: return nil
    }
    // Checked before any arithmetic: the numbers can be anything.
    let places = 1...10_000
    guard places.contains(rowFromOne), places.contains(columnFromOne) else { return nil }
    row = rowFromOne - 1
    column = columnFromOne - 1
  }
}

/// Tells clicks from double clicks. The first click is reported without waiting for a second.
struct ClickTimer {
  static let doubleClickMilliseconds: Int64 = 400

  private var last: (press: PointerPress, at: MonotonicTime)?

  mutating func event(_ press: PointerPress, at now: MonotonicTime) -> MouseEvent {
    switch press.button {
    case .wheelUp:
      last = nil
      return MouseEvent(.wheelUp, row: press.row, column: press.column)
    case .wheelDown:
      last = nil
      return MouseEvent(.wheelDown, row: press.row, column: press.column)
    case .left: break
    }
    if let last, now.milliseconds(since: last.at) <= Self.doubleClickMilliseconds,
      last.press.row == press.row, abs(last.press.column - press.column) <= 1
    {
      // A third click starts over.
      self.last = nil
      return MouseEvent(.doubleClick, row: press.row, column: press.column)
    }
    last = (press, now)
    return MouseEvent(.click, row: press.row, column: press.column)
  }
}
