import FoundationEssentials
import KettleClient
import KettleConfiguration
import KettleControl
import KettleDashboard
import KettleModel
import KettleSystem

extension DashboardSettings {
  /// The settings of this process's user, whichever service the dashboard shows.
  static func ofUser(environment: [String: String]) -> DashboardSettings {
    let paths = ServicePaths.of(environment: environment)
    let (configuration, notices) = file(paths.configPath).dashboardConfiguration()
    let themeFile = configuration.theme.map { file(paths.themePath(of: $0.name)) }
    var settings = DashboardSettings(
      configuration, notices: notices, path: paths.configPath, themeFile: themeFile)
    for name in themeNames(in: paths.themesDirectory) {
      settings.offer(name, in: file(paths.themePath(of: name)))
    }
    return settings
  }

  /// The names of the files in the directory of themes, sorted; at most a hundred.
  private static func themeNames(in directory: String) -> [String] {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    let names = files.filter { $0.hasSuffix(".toml") }.map { String($0.dropLast(5)) }
    return Array(names.filter(DashboardConfiguration.ThemeName.isFileName).sorted().prefix(100))
  }

  /// Offers the theme of a file in place of a built-in one of this name. Problems in the file are
  /// reported when it is configured.
  private mutating func offer(_ name: String, in file: ConfigurationFile) {
    let (content, _) = file.themeConfiguration()
    guard content != ThemeConfiguration() else { return }
    let base = content.base.flatMap { BuiltInTheme(rawValue: $0.name) }
    let colors = content.colors.compactMap { coloring in
      ThemeColor(rawValue: coloring.name).map { ($0, coloring.color.asColor) }
    }
    let named = NamedTheme(name, base: base, colors: Dictionary(colors) { _, last in last })
    themes.removeAll { $0.name == name }
    themes.append(named)
  }

  private static func file(_ path: String) -> ConfigurationFile {
    ConfigurationFile(
      path: path,
      contents: FileContents.read(path: path, byteCountMax: ConfigurationFile.byteCountMax))
  }

  /// - Parameter themeFile: The file of the configured theme; the file need not exist.
  init(
    _ configuration: DashboardConfiguration, notices: [String], path: String,
    themeFile: ConfigurationFile? = nil
  ) {
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
    if let theme = configuration.theme, let themeFile {
      apply(theme, in: themeFile, path: path)
    }
    apply(configuration.colors, path: path)
  }

  /// Applies the file of a theme, or the built-in theme of this name if the file is missing or has
  /// no valid setting.
  private mutating func apply(
    _ theme: DashboardConfiguration.ThemeName, in file: ConfigurationFile, path: String
  ) {
    let builtIn = BuiltInTheme(rawValue: theme.name)
    let (content, notices) = file.themeConfiguration()
    problems += notices
    if file.isMissing, builtIn == nil {
      let problem = ThemeProblem(
        .unknownTheme(theme.name, file: file.path), line: theme.line)
      problems.append(problem.sentence(path: path))
    }
    guard content != ThemeConfiguration() else {
      terminal.theme = builtIn
      return
    }
    if let base = content.base {
      terminal.theme = BuiltInTheme(rawValue: base.name)
      if terminal.theme == nil {
        let problem = ThemeProblem(.unknownBase(base.name), line: base.line)
        problems.append(problem.sentence(path: file.path))
      }
    }
    apply(content.colors, path: file.path)
  }

  private mutating func apply(_ colors: [DashboardConfiguration.Coloring], path: String) {
    for coloring in colors {
      if let color = ThemeColor(rawValue: coloring.name) {
        terminal.colors[color] = coloring.color.asColor
      } else {
        let problem = ThemeProblem(.unknownColor(coloring.name), line: coloring.line)
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
