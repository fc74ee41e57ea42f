import KettleModel

/// What the terminal can display, and the resulting appearance of each role.
package struct Look: Hashable, Sendable {
  package let charset: Charset
  package let colors: ColorDepth
  package let theme: Theme
  package let glyphs: GlyphSet
  /// Indexed by the number of the role.
  private let styles: [Style]
  private let selection: Color

  package init(charset: Charset, colors: ColorDepth, theme: Theme = Theme()) {
    self.charset = charset
    self.colors = colors
    self.theme = theme
    glyphs = GlyphSet(charset, lines: theme.base?.boxLines)
    let palette = Palette(theme: theme, depth: colors)
    styles = Role.allCases.map { palette.style($0) }
    selection = palette.background(.selectionBackground)
  }

  /// Returns the same look for another background.
  package func on(_ background: Theme.Background) -> Look {
    var theme = theme
    theme.background = background
    return Look(charset: charset, colors: colors, theme: theme)
  }

  /// Returns the same look with another theme.
  package func with(_ named: NamedTheme) -> Look {
    var theme = theme
    theme.base = named.base
    theme.colors = named.colors
    return Look(charset: charset, colors: colors, theme: theme)
  }

  package func style(_ role: Role) -> Style {
    let number = Int(role.rawValue)
    return styles.indices.contains(number) ? styles[number] : .plain
  }

  /// Returns the style of a single color.
  package func swatch(of name: ThemeColor) -> Style {
    Palette(theme: theme, depth: colors).swatch(name)
  }

  /// Returns the color of a speed.
  ///
  /// - Parameter share: 0 for the coolest color, 1 for the hottest.
  func heat(_ share: Double) -> Style {
    let last = Role.heat.count - 1
    return style(Role.heat[Int(min(max(share, 0), 1) * Double(last) + 0.5)])
  }

  /// Returns the color of a host by its number, which may be larger than the number of colors.
  func host(_ number: Int) -> Style {
    number < 0 ? style(.plain) : style(Role.hosts[number % Role.hosts.count])
  }

  /// Whether pictures may move: an old terminal has too few colors to do it gently.
  package var canMove: Bool {
    switch colors {
    case .none, .ansi8, .ansi16: false
    case .indexed256, .trueColor: charset == .utf8
    }
  }

  /// Styles the row under the cursor. Without color it is reversed, except for the progress bar:
  /// reversed blocks would show the opposite of the progress.
  package func select(_ style: inout Style, isBar: Bool) {
    var plain = self.style(.plain)
    switch colors {
    case .none: if !isBar { style.attributes.insert(.reverse) }
    case .ansi8, .ansi16:
      guard !isBar else { return }
      // With eight colors bold would turn black text gray.
      plain.attributes = colors == .ansi8 ? .reverse : [.reverse, .bold]
      style = plain
    case .indexed256, .trueColor:
      if !isBar || style.background == plain.background { style.background = selection }
      style.attributes.insert(.bold)
      style.attributes.remove(.dim)
    }
  }
}

package enum Charset: Hashable, Sendable {
  case utf8
  /// UTF-8 on the kernel's console, whose fonts have letters, lines and few symbols.
  case console
  case ascii

  /// - Parameter codeset: The name that `nl_langinfo(CODESET)` returns.
  package init(codeset: String) {
    let letters = codeset.lowercased().filter { $0 != "-" }
    self = letters == "utf8" ? .utf8 : .ascii
  }
}

package enum ColorDepth: Hashable, Sendable {
  case none, ansi8, ansi16, indexed256, trueColor

  /// Whether there are only the sixteen classic colors, eight of them, or none.
  var isClassic: Bool {
    switch self {
    case .none, .ansi8, .ansi16: true
    case .indexed256, .trueColor: false
    }
  }

  /// - Parameters:
  ///   - noColor: The variable NO_COLOR; set and not empty means no color (no-color.org).
  ///   - colorCount: The number of colors in the terminal description.
  ///   - isDirect: Whether a color number of the description is a red-green-blue value.
  package init(noColor: String?, colorCount: Int, isDirect: Bool) {
    if let noColor, !noColor.isEmpty {
      self = .none
    } else if isDirect {
      self = .trueColor
    } else if colorCount >= 256 {
      self = .indexed256
    } else if colorCount >= 16 {
      self = .ansi16
    } else {
      self = colorCount >= 8 ? .ansi8 : .none
    }
  }
}

/// The symbols that the dashboard draws; each is one column wide.
package struct GlyphSet: Hashable, Sendable {
  package var states: [TransferState: String]
  package var arrowDown: String
  package var arrowUp: String
  /// The symbols of the speed graph, from lowest to highest.
  package var levels: [String]
  /// 1/8 to 8/8 of a cell; empty where the bar is drawn with brackets.
  package var eighths: [String]
  package var receivedCell: String
  package var missingCell: String
  package var horizontal: String
  package var vertical: String
  /// Top left, top right, bottom left, bottom right.
  package var corners: [String]
  package var good: String
  package var bad: String
  /// Shown beside a marked row.
  package var mark: String
  /// At the left edge of the row under the cursor.
  package var cursor: String
  /// A bar of one line: what has arrived, what is missing, and the end of a part that is growing.
  package var barDone: String
  package var barRest: String
  package var barTip: String
  /// The line after the heading of a group, and a limit in a graph.
  package var dash: String
  /// Between numbers in a border.
  package var separator: String
  /// Around a title in the border of a box.
  package var titleEnds: [String]
  /// The keys of the boxes.
  var raisedDigits: [String: String]
  /// An open connection, and one that may be opened.
  package var dot: String
  package var dotRest: String
  /// In the color of a host.
  package var tick: String
  /// Beside what needs the user.
  package var flag: String
  package var kettle: String
  /// Beside the heading of a group with its rows, and without them.
  package var unfolded: String
  package var folded: String
  /// The visible part of a long list, and the rest.
  package var scrollbarThumb: String
  package var scrollbarTrack: String

  /// A digit is raised beside what it stands for; another key has a blank after it.
  func raised(_ key: Key) -> String { raisedDigits[key.name] ?? key.name + " " }

  package func symbol(_ state: TransferState) -> String { states[state] ?? " " }

  func symbol(of row: TransferSnapshot) -> String { row.isBad ? bad : symbol(row.state) }

  package static let utf8 = GlyphSet(
    states: [
      .idle: "○", .scheduled: "◔", .queued: "·", .running: "▶", .waiting: "◷", .paused: "‖",
      .verifying: "≡", .completed: "✔", .failed: "✘",
    ],
    arrowDown: "↓", arrowUp: "↑", levels: ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"],
    eighths: ["▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"], receivedCell: "█", missingCell: "░",
    horizontal: "─", vertical: "│", corners: ["╭", "╮", "╰", "╯"], good: "✔", bad: "✘", mark: "◆",
    cursor: "▌", barDone: "━", barRest: "─", barTip: "╸", dash: "╌", separator: "·",
    titleEnds: ["┤", "├"],
    raisedDigits: ["1": "¹", "2": "²", "3": "³"],
    dot: "●", dotRest: "·", tick: "▌", flag: "⚑", kettle: "♨", unfolded: "▾", folded: "▸",
    scrollbarThumb: "┃", scrollbarTrack: "│")

  package static let ascii = GlyphSet(
    states: [
      .idle: "o", .scheduled: "@", .queued: ".", .running: "*", .waiting: "~", .paused: "=",
      .verifying: "#", .completed: "+", .failed: "!",
    ],
    arrowDown: "v", arrowUp: "^", levels: ["_", ".", ":", "-", "=", "+", "*", "#"], eighths: [],
    receivedCell: "#", missingCell: ".", horizontal: "-", vertical: "|",
    corners: ["+", "+", "+", "+"], good: "+", bad: "!", mark: "x", cursor: ">",
    barDone: "=", barRest: ".", barTip: "-", dash: "-", separator: "-",
    titleEnds: ["[", "]"], raisedDigits: [:],
    dot: "*",
    dotRest: ".", tick: "|", flag: "!", kettle: "k", unfolded: "v", folded: ">",
    scrollbarThumb: "#", scrollbarTrack: "|")

  /// Symbols that nearly all console fonts of Debian have, and ASCII for the others.
  package static let console: GlyphSet = {
    var glyphs = ascii
    glyphs.states[.queued] = "·"
    glyphs.states[.running] = "▶"
    glyphs.arrowDown = "↓"
    glyphs.arrowUp = "↑"
    glyphs.levels = ["_", "░", "▒", "█"]
    glyphs.eighths = ["░", "░", "░", "▒", "▒", "▒", "▒", "█"]
    glyphs.receivedCell = "█"
    glyphs.missingCell = "░"
    glyphs.horizontal = "─"
    glyphs.vertical = "│"
    glyphs.corners = ["┌", "┐", "└", "┘"]
    glyphs.barRest = "─"
    glyphs.dash = "─"
    glyphs.dotRest = "·"
    glyphs.tick = "│"
    glyphs.scrollbarThumb = "█"
    glyphs.scrollbarTrack = "│"
    return glyphs
  }()
}

/// The user's settings for the terminal.
package struct TerminalOptions: Hashable, Sendable {
  /// Whether the dashboard uses the mouse; with Shift, the terminal keeps it.
  package var isMouseOn = true
  package var ringsBell = true
  /// Whether to show the progress in the tab or in the taskbar, where the terminal supports it.
  package var showsTaskbarProgress = true
  /// Whether to show a desktop notification, where the terminal supports it, when all transfers
  /// have ended or one has failed.
  package var announces = true
  /// Use only ASCII, whatever the locale is.
  package var isASCII = false
  /// nil detects it.
  package var background: Theme.Background?
  /// nil means the colors for the terminal's background.
  package var theme: BuiltInTheme?
  /// Replace the colors of the theme.
  package var colors: [ThemeColor: Color] = [:]

  package init() {}

  /// Whether the colors depend on the background that the terminal reports.
  package var followsTerminal: Bool { background == nil && theme == nil }
}
