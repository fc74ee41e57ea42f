/// `[dashboard]`: the dashboard's terminal settings.
enum TerminalTable: DashboardTable {
  static let name = "dashboard"

  static func take(
    _ entry: TOMLEntry, into configuration: inout DashboardConfiguration
  ) -> ConfigurationProblem.What? {
    let place: WritableKeyPath<DashboardConfiguration, Bool>
    switch key(of: entry) {
    case "mouse": place = \.isMouseOn
    case "bell": place = \.ringsBell
    case "taskbar": place = \.showsTaskbarProgress
    case "announcements": place = \.announces
    default: return .unknownKey(entry.name)
    }
    guard case .boolean(let isOn) = entry.value else {
      return .wrongValue(entry.name, mustBe: "true or false")
    }
    configuration[keyPath: place] = isOn
    return nil
  }
}

/// `[theme]` and `[theme.colors]`. The dashboard defines which elements have a colour.
enum ThemeTable: DashboardTable {
  static let name = "theme"
  private static let colors = "colors."

  static func take(
    _ entry: TOMLEntry, into configuration: inout DashboardConfiguration
  ) -> ConfigurationProblem.What? {
    let key = key(of: entry)
    if key.hasPrefix(colors) {
      guard let color = ColorSetting(entry.value) else {
        return .wrongValue(entry.name, mustBe: ColorSetting.expectation)
      }
      let name = String(key.dropFirst(colors.count))
      configuration.colors.append(
        DashboardConfiguration.Coloring(name: name, color: color, line: entry.line))
      return nil
    }
    guard key == "background" else { return .unknownKey(entry.name) }
    guard case .string(let text) = entry.value,
      let background = DashboardConfiguration.Background(rawValue: text)
    else { return .wrongValue(entry.name, mustBe: "\"auto\", \"dark\" or \"light\"") }
    configuration.background = background
    return nil
  }
}
