import KettleDashboard
import KettleModel

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
  /// Whether it answers a query for its colours, or ignores it without displaying it.
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
