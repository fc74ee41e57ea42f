/// The themes that need no file; the raw value is the name in the configuration.
package enum BuiltInTheme: String, Hashable, Sendable, CaseIterable {
  case dark, light
  case highContrast = "high-contrast"
  /// States differ in blue, yellow and orange, which people who confuse red and green tell apart.
  case colorBlind = "color-blind"
  /// Dark and warm.
  case ember
  /// The flavor Mocha.
  case catppuccin
  case dracula, gruvbox, nord
  /// Solarized Dark.
  case solarized
  /// The style Night.
  case tokyoNight = "tokyo-night"

  /// The names of all, separated by commas.
  package static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }

  package var colors: [ThemeColor: BuiltInColor] {
    switch self {
    case .dark: Self.darkColors
    case .light: Self.lightColors
    case .highContrast: Self.highContrastColors
    case .colorBlind: Self.colorBlindColors
    case .ember: Self.emberColors
    case .catppuccin: Self.catppuccinColors
    case .dracula: Self.draculaColors
    case .gruvbox: Self.gruvboxColors
    case .nord: Self.nordColors
    case .solarized: Self.solarizedColors
    case .tokyoNight: Self.tokyoNightColors
    }
  }

  /// nil means the lines that the character set has.
  var boxLines: BoxLines? {
    switch self {
    case .highContrast: .heavy
    case .gruvbox, .solarized: .square
    case .dark, .light, .colorBlind, .ember, .catppuccin, .dracula, .nord, .tokyoNight: nil
    }
  }
}

/// The lines of boxes in a terminal with UTF-8.
enum BoxLines: Hashable, Sendable {
  case square, heavy

  /// Top left, top right, bottom left, bottom right.
  var corners: [String] {
    switch self {
    case .square: ["┌", "┐", "└", "┘"]
    case .heavy: ["┏", "┓", "┗", "┛"]
    }
  }

  /// Around a title.
  var titleEnds: [String] {
    switch self {
    case .square: ["┤", "├"]
    case .heavy: ["┫", "┣"]
    }
  }

  var horizontal: String {
    switch self {
    case .square: "─"
    case .heavy: "━"
    }
  }

  var vertical: String {
    switch self {
    case .square: "│"
    case .heavy: "┃"
    }
  }
}

extension GlyphSet {
  /// - Parameter lines: The theme's, in place of those of UTF-8.
  init(_ charset: Charset, lines: BoxLines?) {
    switch charset {
    case .utf8:
      self = .utf8
      corners = lines?.corners ?? corners
      horizontal = lines?.horizontal ?? horizontal
      vertical = lines?.vertical ?? vertical
      titleEnds = lines?.titleEnds ?? titleEnds
    case .console: self = .console
    case .ascii: self = .ascii
    }
  }
}

/// A color of a built-in theme.
package struct BuiltInColor: Hashable, Sendable {
  package var rgb: RGB
  /// Its substitute among the sixteen classic colors, whose exact values are unknown; nil means
  /// that of ordinary text, or of the background.
  package var classic: UInt8?
}

/// The substitutes of a theme's colors among the sixteen classic colors.
struct ClassicColors: Hashable, Sendable {
  var colors: [ThemeColor: UInt8]
  var heat: [UInt8]
  var hosts: [UInt8]

  static let dark = ClassicColors(
    colors: [
      .text: 7, .background: 0, .key: 3, .good: 2, .waiting: 3, .problem: 1, .bar: 7,
      .barBackground: 4, .problemBackground: 1, .progress: 6, .progressDone: 2, .progressHeld: 3,
      .progressFailed: 1, .attention: 11, .attentionText: 0,
    ],
    heat: [6, 6, 2, 3, 1], hosts: [6, 5, 2, 3, 14, 13, 10, 11])

  static let light = ClassicColors(
    colors: [
      .text: 0, .background: 15, .key: 4, .good: 4, .waiting: 5, .problem: 1, .bar: 7,
      .barBackground: 4, .problemBackground: 1, .progress: 4, .progressDone: 4, .progressHeld: 5,
      .progressFailed: 1, .attention: 5, .attentionText: 15,
    ],
    heat: [4, 4, 5, 5, 1], hosts: [4, 5, 1, 0, 4, 5, 1, 0])

  static let bright = ClassicColors(
    colors: [
      .text: 15, .background: 0, .quiet: 7, .heading: 15, .key: 14, .good: 10, .waiting: 11,
      .problem: 9, .bar: 0, .barBackground: 15, .problemBackground: 11, .progress: 14,
      .progressDone: 10, .progressHeld: 11, .progressFailed: 9, .box: 7, .attention: 11,
      .attentionText: 0,
    ],
    heat: [14, 14, 10, 11, 9], hosts: [14, 13, 10, 11, 15, 14, 13, 10])

  static let colorBlind = ClassicColors(
    colors: [
      .text: 7, .background: 0, .key: 14, .good: 14, .waiting: 11, .problem: 9, .bar: 15,
      .barBackground: 4, .problemBackground: 1, .progress: 6, .progressDone: 14,
      .progressHeld: 11, .progressFailed: 9, .attention: 11, .attentionText: 0,
    ],
    heat: [6, 6, 7, 3, 11], hosts: [6, 3, 11, 5, 15, 14, 9, 7])

  static let ember = ClassicColors(
    colors: [
      .text: 7, .background: 0, .heading: 3, .key: 11, .good: 2, .waiting: 5, .problem: 1,
      .bar: 15, .barBackground: 4, .problemBackground: 1, .progress: 3, .progressDone: 2,
      .progressHeld: 5, .progressFailed: 1, .attention: 11, .attentionText: 0,
    ],
    heat: [1, 1, 3, 11, 15], hosts: [3, 2, 5, 11, 13, 6, 10, 7])
}

// Tests verify that each theme has every color, and that all text is legible.
extension BuiltInTheme {
  static func colors(
    _ values: [ThemeColor: UInt32], heat: [UInt32], hosts: [UInt32], classic: ClassicColors
  ) -> [ThemeColor: BuiltInColor] {
    var colors: [ThemeColor: BuiltInColor] = [:]
    for (name, value) in values {
      colors[name] = BuiltInColor(rgb: RGB(value), classic: classic.colors[name])
    }
    for (index, name) in ThemeColor.heat.enumerated() where index < heat.count {
      colors[name] = BuiltInColor(rgb: RGB(heat[index]), classic: classic.heat[index])
    }
    for (index, name) in ThemeColor.hosts.enumerated() where index < hosts.count {
      colors[name] = BuiltInColor(rgb: RGB(hosts[index]), classic: classic.hosts[index])
    }
    return colors
  }

  private static let darkColors = colors(
    [
      .text: 0xDCE1E8, .background: 0x15181D, .quiet: 0x959DAA, .heading: 0xF2F5F9, .key: 0xFFB454,
      .good: 0x7CDB86, .waiting: 0xFFB454, .problem: 0xFF7F87, .bar: 0xE2E8F0,
      .barBackground: 0x164E77, .problemBackground: 0xAA2222, .progress: 0x38AAF5,
      .progressDone: 0x5CB066, .progressHeld: 0xD6AC5C, .progressFailed: 0xD66262,
      .progressBackground: 0x2C3038, .selectionBackground: 0x202B40, .fieldBackground: 0x2C3038,
      .box: 0x4A5876, .attention: 0xFFB454, .attentionText: 0x1A1206,
    ],
    heat: [0x5D9DE8, 0x3ECFDE, 0x86DD6E, 0xFFC24B, 0xFF7F6B],
    hosts: [
      0x62C8FF, 0xB794FF, 0x7CDB86, 0xFFB454, 0xFF8FC7, 0x4ED8C4, 0xE3DB72, 0xFF8C6B,
    ],
    classic: .dark)

  private static let lightColors = colors(
    [
      .text: 0x1F242B, .background: 0xFCFCFA, .quiet: 0x585E68, .heading: 0x10151C, .key: 0x0054A6,
      .good: 0x166826, .waiting: 0x714800, .problem: 0xAC1414, .bar: 0xECF2F8,
      .barBackground: 0x164E77, .problemBackground: 0xAA2222, .progress: 0x006CC4,
      .progressDone: 0x247A34, .progressHeld: 0x926000, .progressFailed: 0xB82828,
      .progressBackground: 0xDEE2E8, .selectionBackground: 0xD6E2F0, .fieldBackground: 0xDEE2E8,
      .box: 0xAAB4C4, .attention: 0x723E00, .attentionText: 0xFFFFFF,
    ],
    heat: [0x2F5FB8, 0x006D7C, 0x2B6E12, 0x723E00, 0xB3201A],
    hosts: [
      0x0067B8, 0x7138B8, 0x3F7A00, 0x9A5400, 0xB0207A, 0x00786E, 0x6E6600, 0xB8401C,
    ],
    classic: .light)

  private static let highContrastColors = colors(
    [
      .text: 0xFFFFFF, .background: 0x000000, .quiet: 0xD8D8D8, .heading: 0xFFFFFF, .key: 0x5FFFFF,
      .good: 0x5FFF87, .waiting: 0xFFE45C, .problem: 0xFFB0B0, .bar: 0x000000,
      .barBackground: 0xFFFFFF, .problemBackground: 0xFFA0A0, .progress: 0x5FD7FF,
      .progressDone: 0x5FFF87, .progressHeld: 0xFFE45C, .progressFailed: 0xFFA0A0,
      .progressBackground: 0x444444, .selectionBackground: 0x303030, .fieldBackground: 0x303030,
      .box: 0x8A8A8A, .attention: 0xFFE45C, .attentionText: 0x000000,
    ],
    heat: [0xAFC8FF, 0x5FFFFF, 0x5FFF87, 0xFFE45C, 0xFFB0B0],
    hosts: [
      0x5FD7FF, 0xD7AFFF, 0x5FFF87, 0xFFAF5F, 0xFFAFD7, 0x5FFFD7, 0xFFFF5F, 0xFFFFFF,
    ],
    classic: .bright)

  private static let colorBlindColors = colors(
    [
      .text: 0xE4E8EE, .background: 0x14171C, .quiet: 0xA2A9B4, .heading: 0xBFD8F2, .key: 0x9CCBFF,
      .good: 0x6FB8FF, .waiting: 0xF5EC9A, .problem: 0xFF8F40, .bar: 0xF0F4FA,
      .barBackground: 0x0F4C81, .problemBackground: 0x8A3D00, .progress: 0x4FA3EE,
      .progressDone: 0x9AD4FF, .progressHeld: 0xE8DC70, .progressFailed: 0xE87722,
      .progressBackground: 0x2A2F38, .selectionBackground: 0x26303E, .fieldBackground: 0x2A2F38,
      .box: 0x465468, .attention: 0xF5EC9A, .attentionText: 0x14171C,
    ],
    heat: [0x78A0F0, 0xA9B6C6, 0xD2C68E, 0xF0D445, 0xFFF7B8],
    hosts: [
      0x56B4E9, 0xE69F00, 0xF0E442, 0xCC79A7, 0xE4E8EE, 0x4F86D8, 0xD5703A, 0x9AA4B0,
    ],
    classic: .colorBlind)

  private static let emberColors = colors(
    [
      .text: 0xEDE2D6, .background: 0x1E1916, .quiet: 0xB0A294, .heading: 0xFFC88A, .key: 0xFFB45C,
      .good: 0xADC977, .waiting: 0xE6BE4E, .problem: 0xFF9080, .bar: 0xFFF1E2,
      .barBackground: 0x7A3A14, .problemBackground: 0xA02020, .progress: 0xF0893E,
      .progressDone: 0x94AE5A, .progressHeld: 0xC79E3E, .progressFailed: 0xDB6552,
      .progressBackground: 0x362C26, .selectionBackground: 0x372C24, .fieldBackground: 0x362C26,
      .box: 0x5C4A3C, .attention: 0xFFB454, .attentionText: 0x1E1206,
    ],
    heat: [0xC78B8B, 0xE8784A, 0xF59A3C, 0xFFC24D, 0xFFE9A8],
    hosts: [
      0xFFB45C, 0xADC977, 0xE08A78, 0xD8C58A, 0xD99BC0, 0x8FBFB0, 0xC9A27E, 0xF0E0C8,
    ],
    classic: .ember)
}
