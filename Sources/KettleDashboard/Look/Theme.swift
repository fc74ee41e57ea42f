/// The colors of the dashboard: those of a built-in theme, and the user's in their place.
package struct Theme: Hashable, Sendable {
  /// A kind of background of a terminal.
  package enum Background: String, Hashable, Sendable, CaseIterable {
    case dark, light
  }

  /// The terminal's background.
  package var background: Background
  /// nil means the colors for the terminal's background, which then stays as it is.
  package var base: BuiltInTheme?
  package var colors: [ThemeColor: Color]

  package init(
    background: Background = .dark, base: BuiltInTheme? = nil, colors: [ThemeColor: Color] = [:]
  ) {
    self.background = background
    self.base = base
    self.colors = colors
  }

  /// Returns a color as the file of a theme has it.
  package func value(of name: ThemeColor) -> String {
    switch color(name, isClassic: false) {
    case .standard: "\"default\""
    case .palette(let index): String(index)
    case .rgb(let red, let green, let blue):
      "\"#"
        + [red, green, blue].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "\""
    }
  }

  /// Returns the user's color, or else the theme's.
  ///
  /// - Parameter isClassic: Whether the terminal has only the sixteen classic colors, or eight of
  ///   them.
  func color(_ name: ThemeColor, isClassic: Bool) -> Color {
    if let own = colors[name] { return own }
    if base == nil, name == .text || name == .background { return .standard }
    let base = base ?? (background == .dark ? .dark : .light)
    guard let color = base.colors[name] else { return .standard }
    if isClassic { return color.classic.map { .palette($0) } ?? .standard }
    return .rgb(color.rgb.red, color.rgb.green, color.rgb.blue)
  }
}

/// A theme that the user can choose by its name.
package struct NamedTheme: Hashable, Sendable {
  package var name: String
  package var base: BuiltInTheme?
  package var colors: [ThemeColor: Color]

  package init(_ name: String, base: BuiltInTheme?, colors: [ThemeColor: Color] = [:]) {
    self.name = name
    self.base = base
    self.colors = colors
  }
}

/// An element that has a color; the raw value is its name in the configuration.
package enum ThemeColor: String, Hashable, Sendable, CaseIterable {
  /// Ordinary text, and the background of the whole screen.
  case text, background
  case quiet, heading, key, good, waiting, problem
  /// The line at the top.
  case bar
  case barBackground = "bar-background"
  case problemBackground = "problem-background"
  case progress
  case progressDone = "progress-done"
  case progressHeld = "progress-held"
  case progressFailed = "progress-failed"
  /// The remaining part of a progress bar.
  case progressBackground = "progress-background"
  /// The row under the cursor.
  case selectionBackground = "selection-background"
  /// The background of text fields.
  case fieldBackground = "field-background"
  /// The lines of boxes, of headings, and of what is missing in a bar.
  case box
  /// What waits for the user: its text and box, and the background of its chip in the title.
  case attention
  case attentionText = "attention-text"
  /// From slow to fast.
  case heat1 = "heat-1"
  case heat2 = "heat-2"
  case heat3 = "heat-3"
  case heat4 = "heat-4"
  case heat5 = "heat-5"
  /// A color for each host.
  case host1 = "host-1"
  case host2 = "host-2"
  case host3 = "host-3"
  case host4 = "host-4"
  case host5 = "host-5"
  case host6 = "host-6"
  case host7 = "host-7"
  case host8 = "host-8"

  static let heat: [ThemeColor] = [.heat1, .heat2, .heat3, .heat4, .heat5]
  static let hosts: [ThemeColor] = [
    .host1, .host2, .host3, .host4, .host5, .host6, .host7, .host8,
  ]
}

/// The background according to the environment.
extension Theme.Background {
  /// Parses COLORFGBG, which some terminals set: two or three numbers of the sixteen colors, the
  /// last for the background. Returns nil when it says nothing.
  package init?(COLORFGBG text: String) {
    guard let last = text.split(separator: ";").last, text.contains(";"), let index = Int(last)
    else { return nil }
    switch index {
    case 0...6, 8: self = .dark
    case 7, 9...15: self = .light
    default: return nil
    }
  }
}

/// A name in the settings of the colors that is unknown.
package struct ThemeProblem: Hashable, Sendable {
  package enum What: Hashable, Sendable {
    case unknownColor(String)
    /// There is neither a built-in theme of the name nor the file.
    case unknownTheme(String, file: String)
    /// The theme that a file of a theme builds on is not built in.
    case unknownBase(String)
  }

  package var what: What
  package var line: Int

  package init(_ what: What, line: Int) {
    self.what = what
    self.line = line
  }

  /// What is wrong, where, and how to fix it.
  package func sentence(path: String) -> String { Strings.sentence(on: self, path: path) }
}
