import KettleClient
import KettleConfiguration
import KettleControl
import KettleDashboard

extension DashboardSettings {
  /// The settings of this process's user, whichever service the dashboard shows.
  static func ofUser(environment: [String: String]) -> DashboardSettings {
    let path = ServicePaths.of(environment: environment).configPath
    let (configuration, notices) = ConfigurationFile(path: path).readForDashboard()
    return DashboardSettings(configuration, notices: notices, path: path)
  }

  init(_ configuration: DashboardConfiguration, notices: [String], path: String) {
    self.init()
    let mappings = configuration.mappings.map {
      KeyMapping(action: $0.action, keys: $0.keys, line: $0.line)
    }
    keymap = Keymap(mappings)
    problems = notices + keymap.problems.map { $0.sentence(path: path) }
    terminal.isMouseOn = configuration.isMouseOn
    terminal.ringsBell = configuration.ringsBell
    terminal.showsTaskbarProgress = configuration.showsTaskbarProgress
    terminal.announces = configuration.announces
    terminal.background = configuration.background.asBackground
    for coloring in configuration.colors {
      if let color = ThemeColor(rawValue: coloring.name) {
        terminal.colors[color] = coloring.color.asColor
      } else {
        let problem = ThemeProblem(name: coloring.name, line: coloring.line)
        problems.append(problem.sentence(path: path))
      }
    }
  }
}

extension DashboardConfiguration.Background {
  /// nil: ask the terminal.
  fileprivate var asBackground: Theme.Background? {
    switch self {
    case .auto: nil
    case .dark: .dark
    case .light: .light
    }
  }
}

extension ColorSetting {
  fileprivate var asColor: Color {
    switch self {
    case .standard: .standard
    case .number(let index): .palette(index)
    case .mixed(let red, let green, let blue): .rgb(red, green, blue)
    }
  }
}
