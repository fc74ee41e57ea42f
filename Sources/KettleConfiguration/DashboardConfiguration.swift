/// The user's settings for the dashboard in the configuration file.
package struct DashboardConfiguration: Hashable, Sendable {
  /// The keys of one action.
  package struct Mapping: Hashable, Sendable {
    package var action: String
    /// Names of keys; an empty array unbinds the action.
    package var keys: [String]
    package var line: Int
  }

  /// The color of one element.
  package struct Coloring: Hashable, Sendable {
    package var name: String
    package var color: ColorSetting
    package var line: Int
  }

  package struct ThemeName: Hashable, Sendable {
    package var name: String
    package var line: Int

    /// Whether the text is a safe file name, so that the file is in the directory of the themes.
    package static func isFileName(_ text: String) -> Bool {
      (1...100).contains(text.utf8.count)
        && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
    }
  }

  package enum Background: String, CaseIterable, Sendable {
    /// As the terminal reports.
    case auto
    case dark, light
  }

  /// In the order of the file.
  package var mappings: [Mapping] = []
  package var isMouseOn = true
  package var ringsBell = true
  package var showsTaskbarProgress = true
  package var announces = true
  package var background = Background.auto
  package var theme: ThemeName?
  /// In the order of the file.
  package var colors: [Coloring] = []

  package init() {}

  /// Whether an entry is in a table of the dashboard's. The service ignores those, and the
  /// dashboard ignores all others.
  static func contains(_ entry: TOMLEntry) -> Bool {
    ["keys", "dashboard", "theme"].contains { entry.name.name(in: $0) != nil }
  }

  /// Reads the dashboard's tables. A wrong key has no effect and leaves the others valid.
  package static func read(
    _ bytes: [UInt8]
  ) -> (DashboardConfiguration, [ConfigurationProblem]) {
    TOMLDocument.read(bytes, into: DashboardConfiguration()) { document, configuration in
      document.problems { contains($0) ? configuration.apply($0) : nil }
    }
  }

  /// Applies an entry, or returns its problem.
  private mutating func apply(_ entry: TOMLEntry) -> ConfigurationProblem.What? {
    if let action = entry.name.name(in: "keys") { return map(action, entry) }
    if let element = entry.name.name(in: "theme.colors") {
      return colors.append(entry, name: element)
    }
    return ConfigurationKeys.dashboard.apply(entry, of: entry.name, to: &self)
  }

  /// Sets the keys of an action, or returns the problem of the entry. The dashboard defines the
  /// actions and keys.
  private mutating func map(_ action: String, _ entry: TOMLEntry) -> ConfigurationProblem.What? {
    let array = entry.value.text.map { .array($0.isEmpty ? [] : [entry.value]) } ?? entry.value
    guard let keys = array.elements({ $0.text.flatMap { $0.isEmpty ? nil : $0 } }) else {
      return .wrongValue(
        entry.name, mustBe: "the name of a key in quotes, an array of them, or \"\" for none")
    }
    mappings.append(Mapping(action: action, keys: keys, line: entry.line))
    return nil
  }
}

/// A color as written in the file.
package enum ColorSetting: Hashable, Sendable {
  /// The terminal's default color.
  case standard
  /// One of the 256 colors of a terminal.
  case number(UInt8)
  case mixed(red: UInt8, green: UInt8, blue: UInt8)

  static let expectation =
    "a color in quotes such as \"#38aaf5\", \"blue\", \"bright-blue\" or \"default\", or a whole "
    + "number from 0 to 255"

  /// The first eight colors of terminals (ECMA-48, select graphic rendition).
  private static let names = [
    "black", "red", "green", "yellow", "blue", "magenta", "cyan", "white",
  ]

  init?(_ value: TOMLValue) {
    switch value {
    case .integer(let number):
      guard let index = UInt8(exactly: number) else { return nil }
      self = .number(index)
    case .string(let text):
      if text == "default" {
        self = .standard
      } else if text.hasPrefix("#") {
        self.init(hexadecimal: text)
      } else {
        self.init(name: text)
      }
    case .boolean, .array, .unquoted: return nil
    }
  }

  private init?(hexadecimal text: String) {
    let digits = text.utf8.dropFirst()
    guard digits.count == 6,
      digits.allSatisfy({ $0 < 128 && Character(Unicode.Scalar($0)).isHexDigit }),
      let number = UInt32(text.dropFirst(), radix: 16)
    else { return nil }
    self = .mixed(
      red: UInt8(number >> 16 & 255), green: UInt8(number >> 8 & 255), blue: UInt8(number & 255))
  }

  private init?(name text: String) {
    let bright = "bright-"
    let isBright = text.hasPrefix(bright)
    let name = isBright ? String(text.dropFirst(bright.count)) : text
    guard let index = Self.names.firstIndex(of: name) else { return nil }
    self = .number(UInt8(index + (isBright ? 8 : 0)))
  }
}

/// A theme in a file of its own.
package struct ThemeConfiguration: Hashable, Sendable {
  /// The built-in theme for the colors that the file leaves out.
  package var base: DashboardConfiguration.ThemeName?
  /// In the order of the file.
  package var colors: [DashboardConfiguration.Coloring] = []

  package init() {}

  /// Reads the file. A wrong key has no effect and leaves the others valid.
  package static func read(_ bytes: [UInt8]) -> (ThemeConfiguration, [ConfigurationProblem]) {
    TOMLDocument.read(bytes, into: ThemeConfiguration()) { document, theme in
      document.problems { theme.apply($0) }
    }
  }

  /// Applies an entry, or returns its problem.
  private mutating func apply(_ entry: TOMLEntry) -> ConfigurationProblem.What? {
    if let element = entry.name.name(in: "colors") { return colors.append(entry, name: element) }
    guard entry.name == "base" else { return .unknownKey(entry.name) }
    guard case .string(let name) = entry.value else {
      return .wrongValue(entry.name, mustBe: "the name of a built-in theme in quotes")
    }
    base = DashboardConfiguration.ThemeName(name: name, line: entry.line)
    return nil
  }
}

extension [DashboardConfiguration.Coloring] {
  /// Appends the color of an element, or returns the problem of the entry.
  mutating func append(_ entry: TOMLEntry, name: String) -> ConfigurationProblem.What? {
    guard let color = ColorSetting(entry.value) else {
      return .wrongValue(entry.name, mustBe: ColorSetting.expectation)
    }
    append(DashboardConfiguration.Coloring(name: name, color: color, line: entry.line))
    return nil
  }
}
