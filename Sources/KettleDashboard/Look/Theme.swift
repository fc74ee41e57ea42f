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

/// The themes that need no file; the raw value is the name in the configuration.
package enum BuiltInTheme: String, Hashable, Sendable, CaseIterable {
  case dark, light
  case highContrast = "high-contrast"
  /// States differ in blue, yellow and orange, which people who confuse red and green tell apart.
  case colorBlind = "color-blind"
  /// Dark and warm.
  case ember

  /// The names of all, separated by commas.
  package static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }

  package var colors: [ThemeColor: BuiltInColor] {
    switch self {
    case .dark: Self.darkColors
    case .light: Self.lightColors
    case .highContrast: Self.highContrastColors
    case .colorBlind: Self.colorBlindColors
    case .ember: Self.emberColors
    }
  }
}

/// A color of a built-in theme.
package struct BuiltInColor: Hashable, Sendable {
  package var rgb: RGB
  /// Its substitute among the sixteen classic colors, whose exact values are unknown; nil means
  /// that of ordinary text, or of the background.
  package var classic: UInt8?

  init(_ rgb: UInt32, _ classic: UInt8?) {
    self.rgb = RGB(rgb)
    self.classic = classic
  }
}

// Tests verify that each theme has every color, and that all text is legible.
extension BuiltInTheme {
  private static let darkColors: [ThemeColor: BuiltInColor] = [
    .text: BuiltInColor(0xDCE1E8, 7), .background: BuiltInColor(0x15181D, 0),
    .quiet: BuiltInColor(0x9CA2AC, nil), .heading: BuiltInColor(0x9ECEFA, nil),
    .key: BuiltInColor(0x82CDFF, 6), .good: BuiltInColor(0x82D08A, 2),
    .waiting: BuiltInColor(0xD6AC5C, 3), .problem: BuiltInColor(0xFF8A8A, 1),
    .bar: BuiltInColor(0xE2E8F0, 7), .barBackground: BuiltInColor(0x164E77, 4),
    .problemBackground: BuiltInColor(0xAA2222, 1), .progress: BuiltInColor(0x38AAF5, 6),
    .progressDone: BuiltInColor(0x5CB066, 2), .progressHeld: BuiltInColor(0xD6AC5C, 3),
    .progressFailed: BuiltInColor(0xD66262, 1), .progressBackground: BuiltInColor(0x2C3038, nil),
    .selectionBackground: BuiltInColor(0x282E38, nil),
    .fieldBackground: BuiltInColor(0x2C3038, nil),
  ]

  private static let lightColors: [ThemeColor: BuiltInColor] = [
    .text: BuiltInColor(0x1F242B, 0), .background: BuiltInColor(0xFCFCFA, 15),
    .quiet: BuiltInColor(0x585E68, nil), .heading: BuiltInColor(0x00488C, nil),
    .key: BuiltInColor(0x0054A6, 4), .good: BuiltInColor(0x166826, 4),
    .waiting: BuiltInColor(0x7A4E00, 5), .problem: BuiltInColor(0xAC1414, 1),
    .bar: BuiltInColor(0xECF2F8, 7), .barBackground: BuiltInColor(0x164E77, 4),
    .problemBackground: BuiltInColor(0xAA2222, 1), .progress: BuiltInColor(0x006CC4, 4),
    .progressDone: BuiltInColor(0x247A34, 4), .progressHeld: BuiltInColor(0x926000, 5),
    .progressFailed: BuiltInColor(0xB82828, 1), .progressBackground: BuiltInColor(0xDEE2E8, nil),
    .selectionBackground: BuiltInColor(0xD6E2F0, nil),
    .fieldBackground: BuiltInColor(0xDEE2E8, nil),
  ]

  private static let highContrastColors: [ThemeColor: BuiltInColor] = [
    .text: BuiltInColor(0xFFFFFF, 15), .background: BuiltInColor(0x000000, 0),
    .quiet: BuiltInColor(0xD8D8D8, 7), .heading: BuiltInColor(0xFFFFFF, 15),
    .key: BuiltInColor(0x5FFFFF, 14), .good: BuiltInColor(0x5FFF87, 10),
    .waiting: BuiltInColor(0xFFE45C, 11), .problem: BuiltInColor(0xFFB0B0, 9),
    .bar: BuiltInColor(0x000000, 0), .barBackground: BuiltInColor(0xFFFFFF, 15),
    .problemBackground: BuiltInColor(0xFFA0A0, 11), .progress: BuiltInColor(0x5FD7FF, 14),
    .progressDone: BuiltInColor(0x5FFF87, 10), .progressHeld: BuiltInColor(0xFFE45C, 11),
    .progressFailed: BuiltInColor(0xFFA0A0, 9), .progressBackground: BuiltInColor(0x444444, nil),
    .selectionBackground: BuiltInColor(0x303030, nil),
    .fieldBackground: BuiltInColor(0x303030, nil),
  ]

  private static let colorBlindColors: [ThemeColor: BuiltInColor] = [
    .text: BuiltInColor(0xE4E8EE, 7), .background: BuiltInColor(0x14171C, 0),
    .quiet: BuiltInColor(0xA2A9B4, nil), .heading: BuiltInColor(0xBFD8F2, nil),
    .key: BuiltInColor(0x9CCBFF, 14), .good: BuiltInColor(0x6FB8FF, 14),
    .waiting: BuiltInColor(0xF5EC9A, 11), .problem: BuiltInColor(0xFF8F40, 9),
    .bar: BuiltInColor(0xF0F4FA, 15), .barBackground: BuiltInColor(0x0F4C81, 4),
    .problemBackground: BuiltInColor(0x8A3D00, 1), .progress: BuiltInColor(0x4FA3EE, 6),
    .progressDone: BuiltInColor(0x9AD4FF, 14), .progressHeld: BuiltInColor(0xE8DC70, 11),
    .progressFailed: BuiltInColor(0xE87722, 9), .progressBackground: BuiltInColor(0x2A2F38, nil),
    .selectionBackground: BuiltInColor(0x26303E, nil),
    .fieldBackground: BuiltInColor(0x2A2F38, nil),
  ]

  private static let emberColors: [ThemeColor: BuiltInColor] = [
    .text: BuiltInColor(0xEDE2D6, 7), .background: BuiltInColor(0x1E1916, 0),
    .quiet: BuiltInColor(0xB0A294, nil), .heading: BuiltInColor(0xFFC88A, 3),
    .key: BuiltInColor(0xFFB45C, 11), .good: BuiltInColor(0xADC977, 2),
    .waiting: BuiltInColor(0xE6BE4E, 5), .problem: BuiltInColor(0xFF9080, 1),
    .bar: BuiltInColor(0xFFF1E2, 15), .barBackground: BuiltInColor(0x7A3A14, 4),
    .problemBackground: BuiltInColor(0xA02020, 1), .progress: BuiltInColor(0xF0893E, 3),
    .progressDone: BuiltInColor(0x94AE5A, 2), .progressHeld: BuiltInColor(0xC79E3E, 5),
    .progressFailed: BuiltInColor(0xDB6552, 1), .progressBackground: BuiltInColor(0x362C26, nil),
    .selectionBackground: BuiltInColor(0x372C24, nil),
    .fieldBackground: BuiltInColor(0x362C26, nil),
  ]
}
