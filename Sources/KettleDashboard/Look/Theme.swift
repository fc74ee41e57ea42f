/// The background and the colours that the user has changed.
package struct Theme: Hashable, Sendable {
  package enum Background: String, Hashable, Sendable, CaseIterable {
    case dark, light
  }

  package var background: Background
  package var colors: [ThemeColor: Color]

  package init(background: Background = .dark, colors: [ThemeColor: Color] = [:]) {
    self.background = background
    self.colors = colors
  }
}

/// An element that has a colour; the raw value is its name in the configuration.
package enum ThemeColor: String, Hashable, Sendable, CaseIterable {
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

extension Theme.Background {
  /// Returns the built-in colour; a test verifies that all text is legible.
  package func rgb(_ color: ThemeColor) -> RGB {
    switch self {
    case .dark: Self.onDark(color)
    case .light: Self.onLight(color)
    }
  }

  private static func onDark(_ color: ThemeColor) -> RGB {
    switch color {
    case .quiet: RGB(0x9CA2AC)
    case .heading: RGB(0x9ECEFA)
    case .key: RGB(0x82CDFF)
    case .good: RGB(0x82D08A)
    case .waiting: RGB(0xD6AC5C)
    case .problem: RGB(0xFF8A8A)
    case .bar: RGB(0xE2E8F0)
    case .barBackground: RGB(0x164E77)
    case .problemBackground: RGB(0xAA2222)
    case .progress: RGB(0x38AAF5)
    case .progressDone: RGB(0x5CB066)
    case .progressHeld: RGB(0xD6AC5C)
    case .progressFailed: RGB(0xD66262)
    case .progressBackground, .fieldBackground: RGB(0x2C3038)
    case .selectionBackground: RGB(0x282E38)
    }
  }

  private static func onLight(_ color: ThemeColor) -> RGB {
    switch color {
    case .quiet: RGB(0x585E68)
    case .heading: RGB(0x00488C)
    case .key: RGB(0x0054A6)
    case .good: RGB(0x166826)
    case .waiting: RGB(0x7A4E00)
    case .problem: RGB(0xAC1414)
    case .bar: RGB(0xECF2F8)
    case .barBackground: RGB(0x164E77)
    case .problemBackground: RGB(0xAA2222)
    case .progress: RGB(0x006CC4)
    case .progressDone: RGB(0x247A34)
    case .progressHeld: RGB(0x926000)
    case .progressFailed: RGB(0xB82828)
    case .progressBackground, .fieldBackground: RGB(0xDEE2E8)
    case .selectionBackground: RGB(0xD6E2F0)
    }
  }
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
