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

  package enum Background: String, Hashable, Sendable {
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

  /// The tables that the dashboard reads. The service ignores them, and the dashboard ignores all
  /// others.
  static var tables: [any DashboardTable.Type] {
    [KeysTable.self, TerminalTable.self, ThemeTable.self]
  }

  /// Reads the dashboard's tables. A wrong key has no effect and leaves the others valid. A file
  /// that is not TOML has no effect at all, because its meaning is unknown.
  package static func read(
    _ bytes: [UInt8]
  ) -> (DashboardConfiguration, [ConfigurationProblem]) {
    var configuration = DashboardConfiguration()
    var problems: [ConfigurationProblem] = []
    do throws(TOMLProblem) {
      for entry in try TOMLReader.read(bytes).entries {
        guard let table = table(of: entry) else { continue }
        if let what = table.apply(entry, to: &configuration) {
          problems.append(ConfigurationProblem(what, line: entry.line))
        }
      }
    } catch {
      let problem = ConfigurationProblem(.unreadable(error.detail), line: error.line)
      return (DashboardConfiguration(), [problem])
    }
    return (configuration, problems)
  }

  /// Returns nil for an entry that is not the dashboard's.
  static func table(of entry: TOMLEntry) -> (any DashboardTable.Type)? {
    tables.first { entry.name.hasPrefix($0.name + ".") }
  }
}

/// One table of the file.
protocol DashboardTable {
  static var name: String { get }
  /// Applies an entry of the table, or returns its problem.
  static func apply(
    _ entry: TOMLEntry, to configuration: inout DashboardConfiguration
  ) -> ConfigurationProblem.What?
}

extension DashboardTable {
  /// Returns the key of an entry within the table.
  static func key(of entry: TOMLEntry) -> String { String(entry.name.dropFirst(name.count + 1)) }
}

/// `[keys]`: the keys of each action. The dashboard defines the actions and keys.
enum KeysTable: DashboardTable {
  static let name = "keys"

  static func apply(
    _ entry: TOMLEntry, to configuration: inout DashboardConfiguration
  ) -> ConfigurationProblem.What? {
    guard let keys = keys(entry.value) else {
      return .wrongValue(
        entry.name, mustBe: "the name of a key in quotes, an array of them, or \"\" for none")
    }
    configuration.mappings.append(
      DashboardConfiguration.Mapping(action: key(of: entry), keys: keys, line: entry.line))
    return nil
  }

  private static func keys(_ value: TOMLValue) -> [String]? {
    switch value {
    case .string(let name): return name.isEmpty ? [] : [name]
    case .array(let values):
      var names: [String] = []
      for value in values {
        guard case .string(let name) = value, !name.isEmpty else { return nil }
        names.append(name)
      }
      return names
    case .integer, .boolean, .unquoted: return nil
    }
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

  /// Reads the file. A wrong key has no effect and leaves the others valid. A file that is not TOML
  /// has no effect at all, because its meaning is unknown.
  package static func read(_ bytes: [UInt8]) -> (ThemeConfiguration, [ConfigurationProblem]) {
    var theme = ThemeConfiguration()
    var problems: [ConfigurationProblem] = []
    do throws(TOMLProblem) {
      for entry in try TOMLReader.read(bytes).entries {
        if let what = theme.apply(entry) {
          problems.append(ConfigurationProblem(what, line: entry.line))
        }
      }
    } catch {
      let problem = ConfigurationProblem(.unreadable(error.detail), line: error.line)
      return (ThemeConfiguration(), [problem])
    }
    return (theme, problems)
  }

  /// Applies an entry, or returns its problem.
  private mutating func apply(_ entry: TOMLEntry) -> ConfigurationProblem.What? {
    let table = "colors."
    if entry.name.hasPrefix(table) {
      return colors.append(entry, name: String(entry.name.dropFirst(table.count)))
    }
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

/// `[dashboard]`: the dashboard's terminal settings.
enum TerminalTable: DashboardTable {
  static let name = "dashboard"

  static func apply(
    _ entry: TOMLEntry, to configuration: inout DashboardConfiguration
  ) -> ConfigurationProblem.What? {
    let setting: WritableKeyPath<DashboardConfiguration, Bool>
    switch key(of: entry) {
    case "mouse": setting = \.isMouseOn
    case "bell": setting = \.ringsBell
    case "taskbar": setting = \.showsTaskbarProgress
    case "announcements": setting = \.announces
    default: return .unknownKey(entry.name)
    }
    guard case .boolean(let isOn) = entry.value else {
      return .wrongValue(entry.name, mustBe: "true or false")
    }
    configuration[keyPath: setting] = isOn
    return nil
  }
}

/// `[theme]` and `[theme.colors]`. The dashboard defines which elements have a color.
enum ThemeTable: DashboardTable {
  static let name = "theme"
  private static let colors = "colors."

  static func apply(
    _ entry: TOMLEntry, to configuration: inout DashboardConfiguration
  ) -> ConfigurationProblem.What? {
    let key = key(of: entry)
    if key.hasPrefix(colors) {
      return configuration.colors.append(entry, name: String(key.dropFirst(colors.count)))
    }
    switch key {
    case "name":
      guard case .string(let text) = entry.value,
        DashboardConfiguration.ThemeName.isFileName(text)
      else {
        return .wrongValue(
          entry.name, mustBe: "the name of a theme in quotes: letters, digits, \"-\" and \"_\"")
      }
      configuration.theme = DashboardConfiguration.ThemeName(name: text, line: entry.line)
    case "background":
      guard case .string(let text) = entry.value,
        let background = DashboardConfiguration.Background(rawValue: text)
      else { return .wrongValue(entry.name, mustBe: "\"auto\", \"dark\" or \"light\"") }
      configuration.background = background
    default: return .unknownKey(entry.name)
    }
    return nil
  }
}
