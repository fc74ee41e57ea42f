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
    case .quiet: RGB(156, 162, 172)
    case .heading: RGB(158, 206, 250)
    case .key: RGB(130, 205, 255)
    case .good: RGB(130, 208, 138)
    case .waiting: RGB(214, 172, 92)
    case .problem: RGB(255, 138, 138)
    case .bar: RGB(226, 232, 240)
    case .barBackground: RGB(22, 78, 119)
    case .problemBackground: RGB(170, 34, 34)
    case .progress: RGB(56, 170, 245)
    case .progressDone: RGB(92, 176, 102)
    case .progressHeld: RGB(214, 172, 92)
    case .progressFailed: RGB(214, 98, 98)
    case .progressBackground, .fieldBackground: RGB(44, 48, 56)
    case .selectionBackground: RGB(40, 46, 56)
    }
  }

  private static func onLight(_ color: ThemeColor) -> RGB {
    switch color {
    case .quiet: RGB(88, 94, 104)
    case .heading: RGB(0, 72, 140)
    case .key: RGB(0, 84, 166)
    case .good: RGB(22, 104, 38)
    case .waiting: RGB(122, 78, 0)
    case .problem: RGB(172, 20, 20)
    case .bar: RGB(236, 242, 248)
    case .barBackground: RGB(22, 78, 119)
    case .problemBackground: RGB(170, 34, 34)
    case .progress: RGB(0, 108, 196)
    case .progressDone: RGB(36, 122, 52)
    case .progressHeld: RGB(146, 96, 0)
    case .progressFailed: RGB(184, 40, 40)
    case .progressBackground, .fieldBackground: RGB(222, 226, 232)
    case .selectionBackground: RGB(214, 226, 240)
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
