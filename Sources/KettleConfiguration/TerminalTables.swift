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

/// `[theme]` and `[theme.colors]`. The dashboard defines which elements have a colour.
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
