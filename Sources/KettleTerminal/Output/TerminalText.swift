import KettleDashboard
import KettleModel

/// The sequences that ncurses does not know.
///
/// None can be broken out of: what comes from outside stands in them encoded, or without anything
/// that a terminal would obey.
enum TerminalText {
  static let pasteOn = "\u{1B}[?2004h"
  static let pasteOff = "\u{1B}[?2004l"
  /// Presses and the wheel (1000), and their places as decimal numbers (1006), because the old form
  /// ends at column 223.
  static let mouseOn = "\u{1B}[?1000h\u{1B}[?1006h"
  static let mouseOff = "\u{1B}[?1006l\u{1B}[?1000l"
  /// What is the background? And a question that every terminal answers: when its answer comes
  /// alone, the first is not known there.
  static let backgroundQuestion = "\u{1B}]11;?\u{1B}\\\u{1B}[c"

  // MARK: - Clipboard -

  /// The most bytes that are copied: their sequence is under 100,000 bytes, the least that
  /// terminals take.
  static let copyByteCountMax = 74_000

  /// Puts text on the clipboard (OSC 52 of xterm).
  ///
  /// tmux takes it only with `set-clipboard on`, and hands through to its terminal what is wrapped
  /// only with `allow-passthrough on`: it is sent both ways, and the same is copied twice at most.
  /// screen hands through what is wrapped, in pieces of up to 768 bytes.
  static func copy(_ text: String, through multiplexer: TerminalKind.Multiplexer?) -> String {
    let plain = "\u{1B}]52;c;" + Base64.text(of: text.utf8) + "\u{7}"
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

  // MARK: - Progress and announcements -

  /// OSC 9;4 of ConEmu.
  static func progress(_ progress: BatchGauge?) -> String {
    let words =
      switch progress {
      case nil: "0"
      case .percent(let percent): "1;\(percent)"
      case .unknown: "3"
      }
    return "\u{1B}]9;4;" + words + "\u{1B}\\"
  }

  static func announcement(_ text: String, as form: TerminalKind.Announcement) -> String {
    let harmless = text.sanitizedForDisplay(limit: 200)
    return switch form {
    // A number at its start would be another command there.
    case .nine: "\u{1B}]9;Kettle: " + harmless + "\u{1B}\\"
    case .sevenSevenSeven:
      "\u{1B}]777;notify;Kettle;" + harmless.replacing(";", with: ",") + "\u{1B}\\"
    }
  }
}
