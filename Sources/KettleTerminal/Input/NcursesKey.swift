import CKettleNcurses
import KettleDashboard

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
