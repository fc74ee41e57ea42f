/// A theme in a file of its own.
package struct ThemeConfiguration: Hashable, Sendable {
  /// The built-in theme for the colours that the file leaves out.
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
  /// Appends the colour of an element, or returns the problem of the entry.
  mutating func append(_ entry: TOMLEntry, name: String) -> ConfigurationProblem.What? {
    guard let color = ColorSetting(entry.value) else {
      return .wrongValue(entry.name, mustBe: ColorSetting.expectation)
    }
    append(DashboardConfiguration.Coloring(name: name, color: color, line: entry.line))
    return nil
  }
}
