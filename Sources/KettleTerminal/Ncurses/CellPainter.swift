import CKettleNcurses
import Glibc
import KettleDashboard
import KettleModel

/// Writes the cells that changed into the window of ncurses, which sends what differs from the
/// screen.
struct CellPainter {
  private var attributes: [Style: (attributes: attr_t, pair: Int32)] = [:]
  /// Neighbouring cells usually have the same style.
  private var latest: (style: Style, attributes: attr_t, pair: Int32)?

  mutating func paint(_ frame: Frame, over shown: Frame?) {
    frame.forEachChange(from: shown) { row, column, cell in
      paint(cell, row: Int32(row), column: Int32(column))
    }
  }

  private mutating func paint(_ cell: Cell, row: Int32, column: Int32) {
    // The right half of a wide character is written with its left half.
    guard let base = cell.base, cell.width > 0 else { return }
    let look = rendition(of: cell.style)
    func write(_ scalars: [Unicode.Scalar], _ column: Int32) {
      var text = scalars.map { wchar_t($0.value) }
      text.append(0)
      kettle_put_cell(row, column, text, look.attributes, look.pair)
    }
    if base.isASCII, cell.width == 1, !cell.hasMarks {
      kettle_put_character(row, column, wchar_t(base.value), look.attributes, look.pair)
    } else if kettle_character_width(wchar_t(base.value)) == Int32(cell.width) {
      write([base] + cell.combining, column)
    } else {
      // If the C library disagrees about the width, everything to the right would shift: a
      // placeholder replaces the character.
      write(["?"], column)
      if cell.width == 2 { write([" "], column + 1) }
    }
  }

  private mutating func rendition(of style: Style) -> (attributes: attr_t, pair: Int32) {
    if let latest, latest.style == style { return (latest.attributes, latest.pair) }
    let found = attributes[style] ?? Self.rendition(of: style)
    attributes[style] = found
    latest = (style, found.attributes, found.pair)
    return found
  }

  private static func rendition(of style: Style) -> (attributes: attr_t, pair: Int32) {
    var flags: attr_t = 0
    if style.attributes.contains(.bold) { flags |= kettle_attr_bold() }
    if style.attributes.contains(.dim) { flags |= kettle_attr_dim() }
    if style.attributes.contains(.reverse) { flags |= kettle_attr_reverse() }
    if style.attributes.contains(.underline) { flags |= kettle_attr_underline() }
    var pair: Int32 = 0
    if style.foreground != .standard || style.background != .standard {
      pair = max(0, alloc_pair(number(style.foreground), number(style.background)))
    }
    return (flags, pair)
  }

  /// -1 is the terminal's default color (default_colors(3x)).
  private static func number(_ color: Color) -> Int32 {
    switch color {
    case .standard: -1
    case .palette(let index): Int32(index)
    case .rgb(let red, let green, let blue):
      Int32(red) << 16 | Int32(green) << 8 | Int32(blue)
    }
  }
}

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

/// Capabilities that follow from the environment and that no terminal description contains.
struct TerminalKind: Hashable, Sendable {
  enum Announcement: Hashable, Sendable {
    /// OSC 9 and the text.
    case nine
    /// OSC 777, `notify`, a title and the text.
    case sevenSevenSeven
  }

  /// The multiplexer between the dashboard and the terminal.
  var multiplexer: TerminalProgram.Multiplexer?
  var showsProgress: Bool
  /// How it shows a notification. Only terminals known to support a sequence receive it.
  var announcement: Announcement?
  /// Whether it may have a clipboard.
  var canCopy: Bool
  /// Whether it answers a query for its colors, or ignores it without displaying it.
  var repliesToColorQueries: Bool
  /// Whether it is the kernel's console.
  var isConsole: Bool

  init(_ environment: (String) -> String?) {
    let program = TerminalProgram(environment)
    multiplexer = program.multiplexer
    showsProgress = program.showsProgress
    repliesToColorQueries =
      multiplexer != .screen
      && program.isOfFamily(
        "xterm", "tmux", "alacritty", "foot", "rxvt", "st", "contour", "konsole", "vte", "mintty",
        "wezterm", "iterm2", "kitty", "ghostty", "gnome", "screen")
    canCopy = !program.isPlain
    isConsole = multiplexer == nil && program.isOfFamily("linux")
    guard multiplexer == nil, !program.isPlain else { return }
    let isKitty = program.name == "xterm-kitty"
    if program.isGhostty || isKitty || program.isWezTerm || program.isITerm {
      announcement = .nine
    } else if program.isOfFamily("foot", "rxvt-unicode", "contour") {
      announcement = .sevenSevenSeven
    }
  }

  /// Returns what the terminal can show in a locale of this charset.
  func charset(inLocaleOf charset: Charset) -> Charset {
    isConsole && charset == .utf8 ? .console : charset
  }
}
