import CKettleNcurses
import KettleDashboard
import KettleModel

/// Makes keys, pastes, movements of the mouse and replies of the terminal of what ncurses reads.
///
/// ncurses knows the keys of the terminal's description. What it does not know it hands on
/// character by character, and here that is read as a control sequence (ECMA-48): a sequence that
/// nobody knows is one unknown key, not a row of letters, because letters are commands.
struct InputDecoder {
  enum Code: Hashable {
    case scalar(Unicode.Scalar)
    /// A key with a code of ncurses.
    case key(Int32)
  }

  enum Piece: Hashable {
    case key(Key)
    case pointer(PointerPress)
    /// More was pasted than is taken; all of it is left out.
    case pasteRefused
    /// The terminal says what its background is.
    case background(RGB)
    /// The terminal says what it is, which every terminal answers.
    case identity
  }

  private enum State {
    case ground
    /// Esc has come.
    case escape
    /// `Esc [` and what stands before the final character.
    case control(String)
    /// `Esc O`, before the letter of a key.
    case singleShift
    /// A string of the terminal, up to its terminator: what was behind the Esc that began it, its
    /// text, and whether Esc was the last.
    case string(opener: Unicode.Scalar, text: String, endsWithEscape: Bool)
    /// `Esc [ M` and up to three characters: a mouse that knows no other form.
    case oldPointer([Unicode.Scalar])
    /// What comes is collected in `paste`.
    case paste
  }

  private struct Paste {
    var scalars: [Unicode.Scalar] = []
    var isTooLong = false

    private static let end: [Unicode.Scalar] = Array("\u{1B}[201~".unicodeScalars)

    /// True at the mark of its end, which then is not in it.
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

  /// So many characters; a list of ten thousand long links has fewer.
  static let pasteCountMax = 1_000_000
  /// A sequence comes in one piece, unless the line has trouble.
  private static let sequencePatience: Int64 = 50
  /// The rest of a paste may come late over a slow line, and would be obeyed as keys; but when its
  /// end is lost, the keyboard must not be dead for long.
  private static let pastePatience: Int64 = 2000
  private static let stringCountMax = 4096

  private var state = State.ground
  /// Beside the state, so that a character more does not copy all of it.
  private var paste = Paste()
  private var changedAt: MonotonicTime?

  /// How long to wait for the rest of what has begun; nil when nothing has.
  func millisecondsLeft(at now: MonotonicTime) -> Int64? {
    let patience: Int64
    switch state {
    case .ground: return nil
    case .escape, .control, .singleShift, .oldPointer: patience = Self.sequencePatience
    // Nothing behind it: it was that letter with Alt.
    case .string(_, text: "", _): patience = Self.sequencePatience
    case .string, .paste: patience = Self.pastePatience
    }
    guard let changedAt else { return 0 }
    return max(0, patience - now.milliseconds(since: changedAt))
  }

  /// Ends what has begun when its rest did not come in time.
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
      case .key(let number): pieces += take(number)
      case .scalar(let scalar): pieces += take(scalar)
      }
    }
    // ncurses has waited for more after an Esc (`ESCDELAY`), and nothing came.
    if case .escape = state {
      state = .ground
      pieces.append(.key(.escape))
    }
    return pieces
  }

  private mutating func take(_ number: Int32) -> [Piece] {
    switch state {
    // What looks like a key within a paste, or within a string, is part of neither.
    case .paste, .string: return []
    case .escape:
      state = .ground
      return [.key(.escape), .key(NcursesKey.key(number))]
    case .ground, .control, .singleShift, .oldPointer:
      state = .ground
      return [.key(NcursesKey.key(number))]
    }
  }

  private mutating func take(_ scalar: Unicode.Scalar) -> [Piece] {
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
    case .escape: return takeAfterEscape(scalar)
    case .singleShift: return [.key(KeySequence.key(singleShift: scalar))]
    case .control(let text): return takeInControl(scalar, text)
    case .string(let opener, let text, let endsWithEscape):
      return takeInString(scalar, opener, text, endsWithEscape)
    case .oldPointer(var scalars):
      scalars.append(scalar)
      guard scalars.count == 3 else {
        state = .oldPointer(scalars)
        return []
      }
      return PointerPress(oldForm: scalars).map { [.pointer($0)] } ?? []
    }
  }

  private mutating func takeAfterEscape(_ scalar: Unicode.Scalar) -> [Piece] {
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

  private mutating func takeInControl(_ scalar: Unicode.Scalar, _ text: String) -> [Piece] {
    switch scalar.value {
    case 0x20...0x3F where text.utf8.count < 64:
      state = .control(text + String(scalar))
      return []
    case 0x40...0x7E: break
    // No sequence goes on like this; what was read of it is lost.
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
    // Answers to questions, and whether the terminal has the focus, are no keys.
    if text.hasPrefix("?") || text.hasPrefix(">") { return scalar == "c" ? [.identity] : [] }
    if text.isEmpty, scalar == "I" { return [] }
    return [.key(KeySequence.key(parameters: text, final: scalar))]
  }

  private mutating func takeInString(
    _ scalar: Unicode.Scalar, _ opener: Unicode.Scalar, _ text: String, _ endsWithEscape: Bool
  ) -> [Piece] {
    let isEnd = scalar == "\u{7}" || scalar == "\u{9C}" || (endsWithEscape && scalar == "\\")
    if isEnd {
      guard opener == "]" else { return [] }
      return RGB(backgroundReply: text).map { [.background($0)] } ?? []
    }
    // Letters behind an Alt key that is no beginning of a string must not be swallowed for ever.
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
}
