import CKettleNcurses
import KettleDashboard
import KettleModel

/// Decodes the input from ncurses into keys, pastes, mouse events and terminal replies.
///
/// ncurses knows the keys of the terminal's description. It passes on other input character by
/// character, and this decoder parses that as control sequences (ECMA-48). An unknown sequence is
/// one unknown key, not a row of letters, because letters are commands.
struct InputDecoder {
  enum Code: Hashable {
    case scalar(Unicode.Scalar)
    /// A key for which ncurses has a code.
    case key(Int32)
  }

  enum Piece: Hashable {
    case key(Key)
    case pointer(PointerPress)
    /// The paste exceeds the limit; it is discarded as a whole.
    case pasteRefused
    /// The terminal reports its background.
    case background(RGB)
    /// The terminal identifies itself, which every terminal does on request.
    case identity
  }

  private enum State {
    case ground
    /// Esc was read.
    case escape
    /// `Esc [` and the characters before the final one.
    case control(String)
    /// `Esc O`, before the letter of a key.
    case singleShift
    /// A string of the terminal, up to its terminator: the character after the Esc that began it,
    /// its text, and whether Esc was the last character.
    case string(opener: Unicode.Scalar, text: String, endsWithEscape: Bool)
    /// `Esc [ M` and up to three characters: a mouse that supports no other form.
    case oldPointer([Unicode.Scalar])
    /// Further characters are collected in `paste`.
    case paste
  }

  private struct Paste {
    var scalars: [Unicode.Scalar] = []
    var isTooLong = false

    private static let end: [Unicode.Scalar] = Array("\u{1B}[201~".unicodeScalars)

    /// Returns true at the end mark, which is then removed.
    mutating func append(_ scalar: Unicode.Scalar) -> Bool {
      scalars.append(scalar)
      if scalar == "~", scalars.suffix(Self.end.count).elementsEqual(Self.end) {
        scalars.removeLast(Self.end.count)
        return true
      }
      if scalars.count > InputDecoder.pasteCountMax + Self.end.count {
        isTooLong = true
        scalars.removeFirst(scalars.count - Self.end.count)
      }
      return false
    }
  }

  /// In characters; a list of ten thousand long URLs is shorter.
  static let pasteCountMax = 1_000_000
  /// A sequence arrives in one piece, unless the line has trouble.
  private static let sequenceTimeoutMilliseconds: Int64 = 50
  /// On a slow line the rest of a paste may arrive late, and would be executed as keys. But if its
  /// end is lost, the keyboard must not be dead for long.
  private static let pasteTimeoutMilliseconds: Int64 = 2000
  private static let stringCountMax = 4096

  private var state = State.ground
  /// Outside the state, so that adding a character does not copy all of it.
  private var paste = Paste()
  private var changedAt: MonotonicTime?

  /// Returns how long to wait for the rest of an incomplete sequence; nil when there is none.
  func millisecondsLeft(at now: MonotonicTime) -> Int64? {
    let timeout: Int64
    switch state {
    case .ground: return nil
    case .escape, .control, .singleShift, .oldPointer: timeout = Self.sequenceTimeoutMilliseconds
    // Nothing follows: it was that letter with Alt.
    case .string(_, text: "", _): timeout = Self.sequenceTimeoutMilliseconds
    case .string, .paste: timeout = Self.pasteTimeoutMilliseconds
    }
    guard let changedAt else { return 0 }
    return max(0, timeout - now.milliseconds(since: changedAt))
  }

  /// Ends an incomplete sequence whose rest has not arrived in time.
  mutating func endIfLate(at now: MonotonicTime) -> [Piece] {
    guard millisecondsLeft(at: now) == 0 else { return [] }
    let late = state
    state = .ground
    switch late {
    case .ground, .oldPointer: return []
    case .string(let opener, let text, _):
      return text.isEmpty ? [.key(.alt(Character(opener)))] : []
    case .escape: return [.key(.escape)]
    case .singleShift: return [.key(.alt("O"))]
    case .control(let text): return [.key(text.isEmpty ? .alt("[") : .unknown)]
    case .paste: return endPaste()
    }
  }

  mutating func decode(_ codes: [Code], at now: MonotonicTime) -> [Piece] {
    guard !codes.isEmpty else { return [] }
    changedAt = now
    if case .ground = state, let text = Self.unmarkedPaste(codes) { return [.key(.paste(text))] }
    var pieces: [Piece] = []
    for code in codes {
      switch code {
      case .key(let number): pieces += decode(key: number)
      case .scalar(let scalar): pieces += decode(scalar)
      }
    }
    // ncurses has waited for more input after Esc (`ESCDELAY`), and none arrived.
    if case .escape = state {
      state = .ground
      pieces.append(.key(.escape))
    }
    return pieces
  }

  private mutating func decode(key number: Int32) -> [Piece] {
    switch state {
    // A key code within a paste or a string belongs to neither.
    case .paste, .string: return []
    case .escape:
      state = .ground
      return [.key(.escape), .key(NcursesKey.key(number))]
    case .ground, .control, .singleShift, .oldPointer:
      state = .ground
      return [.key(NcursesKey.key(number))]
    }
  }

  private mutating func decode(_ scalar: Unicode.Scalar) -> [Piece] {
    if case .paste = state {
      guard paste.append(scalar) else { return [] }
      state = .ground
      return endPaste()
    }
    let before = state
    state = .ground
    switch before {
    case .ground, .paste:
      if scalar == "\u{1B}" {
        state = .escape
        return []
      }
      return [.key(NcursesKey.key(scalar))]
    case .escape: return decodeAfterEscape(scalar)
    case .singleShift: return [.key(KeySequence.key(singleShift: scalar))]
    case .control(let text): return decodeInControlSequence(scalar, after: text)
    case .string(let opener, let text, let endsWithEscape):
      return decodeInString(scalar, opener: opener, after: text, endsWithEscape: endsWithEscape)
    case .oldPointer(var scalars):
      scalars.append(scalar)
      guard scalars.count == 3 else {
        state = .oldPointer(scalars)
        return []
      }
      return PointerPress(oldForm: scalars).map { [.pointer($0)] } ?? []
    }
  }

  private mutating func decodeAfterEscape(_ scalar: Unicode.Scalar) -> [Piece] {
    switch scalar {
    case "\u{1B}":
      state = .escape
      return [.key(.escape)]
    case "[": state = .control("")
    case "O": state = .singleShift
    case "]", "P", "^", "_", "X":
      state = .string(opener: scalar, text: "", endsWithEscape: false)
    default: return [.key(NcursesKey.key(withAlt: scalar))]
    }
    return []
  }

  private mutating func decodeInControlSequence(
    _ scalar: Unicode.Scalar, after text: String
  ) -> [Piece] {
    switch scalar.value {
    case 0x20...0x3F where text.utf8.count < 64:
      state = .control(text + String(scalar))
      return []
    case 0x40...0x7E: break
    // No sequence continues like this; the part that was read is discarded.
    default:
      if scalar == "\u{1B}" { state = .escape }
      return [.key(.unknown)]
    }
    switch (text, scalar) {
    case ("200", "~"):
      paste = Paste()
      state = .paste
      return []
    case ("201", "~"): return []
    case ("", "M"):
      state = .oldPointer([])
      return []
    default: break
    }
    if text.hasPrefix("<") {
      return PointerPress(parameters: text.dropFirst(), final: scalar).map { [.pointer($0)] } ?? []
    }
    // Replies to queries and focus reports are not keys.
    if text.hasPrefix("?") || text.hasPrefix(">") { return scalar == "c" ? [.identity] : [] }
    if text.isEmpty, scalar == "I" { return [] }
    return [.key(KeySequence.key(parameters: text, final: scalar))]
  }

  private mutating func decodeInString(
    _ scalar: Unicode.Scalar, opener: Unicode.Scalar, after text: String, endsWithEscape: Bool
  ) -> [Piece] {
    let isEnd = scalar == "\u{7}" || scalar == "\u{9C}" || (endsWithEscape && scalar == "\\")
    if isEnd {
      guard opener == "]" else { return [] }
      return RGB(backgroundReply: text).map { [.background($0)] } ?? []
    }
    // Letters after an Alt key that does not begin a string must not be swallowed indefinitely.
    guard text.utf8.count < Self.stringCountMax, !endsWithEscape else { return [] }
    let isEscape = scalar == "\u{1B}"
    state = .string(
      opener: opener, text: isEscape ? text : text + String(scalar), endsWithEscape: isEscape)
    return []
  }

  // MARK: - Pastes -

  private mutating func endPaste() -> [Piece] {
    defer { paste = Paste() }
    return paste.isTooLong || paste.scalars.count > Self.pasteCountMax
      ? [.pasteRefused] : [.key(.paste(Self.text(paste.scalars)))]
  }

  /// Terminals without bracketed paste send a paste as if it were typed, and the letters of a URL
  /// are commands here. No one types a URL within one read.
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
}
