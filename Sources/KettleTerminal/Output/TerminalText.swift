import KettleModel

/// The control sequences that ncurses does not know.
///
/// Text from outside cannot break out of them: it is encoded, or stripped of everything that a
/// terminal would interpret.
enum TerminalText {
  static let pasteOn = "\u{1B}[?2004h"
  static let pasteOff = "\u{1B}[?2004l"
  /// Presses and the wheel (1000), with decimal positions (1006), because the old form ends at
  /// column 223.
  static let mouseOn = "\u{1B}[?1000h\u{1B}[?1006h"
  static let mouseOff = "\u{1B}[?1006l\u{1B}[?1000l"
  /// Queries the background, and then something that every terminal answers: if only the second
  /// reply arrives, the terminal does not support the first query.
  static let backgroundQuery = "\u{1B}]11;?\u{1B}\\\u{1B}[c"

  // MARK: - Clipboard -

  /// The maximum number of bytes to copy: their sequence is under 100,000 bytes, the smallest limit
  /// among terminals.
  static let copyByteCountMax = 74_000

  /// Copies text to the clipboard (OSC 52 of xterm).
  ///
  /// tmux accepts it only with `set-clipboard on`, and passes wrapped text to its terminal only
  /// with `allow-passthrough on`. It is sent both ways; at worst the same text is copied twice.
  /// screen passes on wrapped text, in pieces of up to 768 bytes.
  static func copy(_ text: String, through multiplexer: TerminalProgram.Multiplexer?) -> String {
    let plain = "\u{1B}]52;c;" + Base64Bytes(Array(text.utf8)).text + "\u{7}"
    switch multiplexer {
    case nil: return plain
    case .tmux:
      return plain + "\u{1B}Ptmux;" + plain.replacing("\u{1B}", with: "\u{1B}\u{1B}") + "\u{1B}\\"
    case .screen:
      var pieces = ""
      var rest = plain[...]
      while !rest.isEmpty {
        pieces += "\u{1B}P" + rest.prefix(500) + "\u{1B}\\"
        rest = rest.dropFirst(500)
      }
      return pieces
    }
  }

  // MARK: - Announcements -

  static func announcement(_ text: String, as form: TerminalKind.Announcement) -> String {
    let harmless = text.sanitizedForDisplay(limit: 200)
    return switch form {
    // A number at the start would be a different command there.
    case .nine: "\u{1B}]9;Kettle: " + harmless + "\u{1B}\\"
    case .sevenSevenSeven:
      "\u{1B}]777;notify;Kettle;" + harmless.replacing(";", with: ",") + "\u{1B}\\"
    }
  }
}
