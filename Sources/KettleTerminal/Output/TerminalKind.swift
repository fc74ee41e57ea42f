import KettleDashboard

/// Capabilities that follow from the environment and that no terminal description contains.
///
/// Programs give different meanings to OSC 9, and some would display text meant for others. Only
/// terminals known to support a sequence receive it.
struct TerminalKind: Hashable, Sendable {
  enum Multiplexer: Hashable, Sendable {
    case tmux, screen
  }

  enum Announcement: Hashable, Sendable {
    /// OSC 9 and the text.
    case nine
    /// OSC 777, `notify`, a title and the text.
    case sevenSevenSeven
  }

  /// The multiplexer between the dashboard and the terminal. The outer terminal shows other windows
  /// too, so it is sent no progress.
  var multiplexer: Multiplexer?
  var showsProgress = false
  var announcement: Announcement?
  /// Whether it may have a clipboard.
  var canCopy: Bool
  /// Whether it answers a query for its colours, or ignores it without displaying it.
  var repliesToColorQueries = false
  /// Whether it is the kernel's console.
  var isConsole: Bool

  init(_ environment: (String) -> String?) {
    let name = environment("TERM") ?? ""
    let program = environment("TERM_PROGRAM") ?? ""
    let version = environment("TERM_PROGRAM_VERSION") ?? ""
    func isOfFamily(_ families: String...) -> Bool {
      families.contains { name == $0 || name.hasPrefix($0 + "-") }
    }
    if environment("TMUX") != nil || isOfFamily("tmux") {
      multiplexer = .tmux
    } else if environment("STY") != nil || isOfFamily("screen") {
      multiplexer = .screen
    }
    repliesToColorQueries =
      multiplexer != .screen
      && isOfFamily(
        "xterm", "tmux", "alacritty", "foot", "rxvt", "st", "contour", "konsole", "vte", "mintty",
        "wezterm", "iterm2", "kitty", "ghostty", "gnome", "screen")
    let isPlain =
      isOfFamily("dumb", "linux", "ansi") || name.hasPrefix("vt1") || name.hasPrefix("vt2")
    canCopy = !isPlain
    isConsole = multiplexer == nil && isOfFamily("linux")
    guard multiplexer == nil, !isPlain else { return }
    let isGhostty = program == "ghostty" || name == "xterm-ghostty"
    let isKitty = name == "xterm-kitty"
    let isWezTerm = program == "WezTerm"
    showsProgress =
      isGhostty || environment("WT_SESSION") != nil || environment("ConEmuANSI") == "ON"
      || isWezTerm && Self.isVersion(version, atLeast: [20_250_209])
      || program == "iTerm.app" && Self.isVersion(version, atLeast: [3, 6, 6])
      || Self.isVersion(environment("VTE_VERSION") ?? "", atLeast: [7900])
      || Self.isVersion(environment("KONSOLE_VERSION") ?? "", atLeast: [260_400])
    if isGhostty || isKitty || isWezTerm || program == "iTerm.app" {
      announcement = .nine
    } else if isOfFamily("foot", "rxvt-unicode", "contour") {
      announcement = .sevenSevenSeven
    }
  }

  /// Returns what the terminal can show in a locale of this charset.
  func charset(inLocaleOf charset: Charset) -> Charset {
    isConsole && charset == .utf8 ? .console : charset
  }

  /// Compares the leading numbers: `3.6.6beta2` is 3, 6, 6.
  private static func isVersion(_ text: String, atLeast wanted: [Int]) -> Bool {
    let numbers = text.split { $0 == "." || $0 == "-" }.map { part in
      Int(part.prefix(while: \.isASCIIDigit)) ?? 0
    }
    for (index, number) in wanted.enumerated() {
      let own = index < numbers.count ? numbers[index] : 0
      if own != number { return own > number }
    }
    return true
  }
}

extension Character {
  fileprivate var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}
