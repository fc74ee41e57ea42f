/// The colours of the dashboard: those of a built-in theme, and the user's in their place.
package struct Theme: Hashable, Sendable {
  /// A kind of background of a terminal.
  package enum Background: String, Hashable, Sendable, CaseIterable {
    case dark, light
  }

  /// The terminal's background.
  package var background: Background
  /// nil means the colours for the terminal's background, which then stays as it is.
  package var base: BuiltInTheme?
  package var colors: [ThemeColor: Color]

  package init(
    background: Background = .dark, base: BuiltInTheme? = nil, colors: [ThemeColor: Color] = [:]
  ) {
    self.background = background
    self.base = base
    self.colors = colors
  }

  /// Returns the user's colour, or else the theme's.
  ///
  /// - Parameter isClassic: Whether the terminal has only the sixteen classic colours, or eight of
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

/// An element that has a colour; the raw value is its name in the configuration.
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
}

/// The background according to the environment.
extension Theme.Background {
  /// Parses COLORFGBG, which some terminals set: two or three numbers of the sixteen colours, the
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
