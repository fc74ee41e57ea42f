import Dispatch
import FoundationEssentials
import Glibc
import KettleConfiguration
import KettleControl
import KettleDashboard
import KettleModel
import KettleSocket
import KettleStarter
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
    guard let theme = Self.theme(name, in: file).theme else { return }
    themes.removeAll { $0.name == name }
    themes.append(theme)
  }

  /// Reads the file of a theme. Returns nil if it is missing or has no valid setting, and the
  /// problems in it.
  private static func theme(
    _ name: String, in file: ConfigurationFile
  ) -> (theme: NamedTheme?, problems: [String]) {
    let (content, notices) = file.themeConfiguration()
    guard content != ThemeConfiguration() else { return (nil, notices) }
    var problems = notices
    var theme = NamedTheme(name, base: nil)
    if let base = content.base {
      theme.base = BuiltInTheme(rawValue: base.name)
      if theme.base == nil {
        let problem = ThemeProblem(.unknownBase(base.name), line: base.line)
        problems.append(problem.sentence(path: file.path))
      }
    }
    problems += apply(content.colors, to: &theme.colors, path: file.path)
    return (theme, problems)
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
    // Of a table of the user's names, the name is not known here.
    let keys = ConfigurationKeys.service.filter {
      !$0.name.contains { $0.isUppercase || $0 == "#" }
    }
    names = keys.map { key in
      SettingName(
        key.name, meaning: key.meaning.hasSuffix(".") ? String(key.meaning.dropLast()) : key.meaning
      )
    }
    problems = notices + keymap.problems.map { $0.sentence(path: path) }
    terminal.isMouseOn = configuration.isMouseOn
    terminal.ringsBell = configuration.ringsBell
    terminal.showsTaskbarProgress = configuration.showsTaskbarProgress
    terminal.announces = configuration.announces
    terminal.background = configuration.background.asBackground
    if let theme = configuration.theme, let themeFile {
      apply(theme, in: themeFile, path: path)
    }
    problems += Self.apply(configuration.colors, to: &terminal.colors, path: path)
  }

  /// Applies the file of a theme, or the built-in theme of this name if the file is missing or has
  /// no valid setting.
  private mutating func apply(
    _ configured: DashboardConfiguration.ThemeName, in file: ConfigurationFile, path: String
  ) {
    let builtIn = BuiltInTheme(rawValue: configured.name)
    let (theme, found) = Self.theme(configured.name, in: file)
    problems += found
    if file.isMissing, builtIn == nil {
      let problem = ThemeProblem(
        .unknownTheme(configured.name, file: file.path), line: configured.line)
      problems.append(problem.sentence(path: path))
    }
    guard let theme else {
      terminal.theme = builtIn
      return
    }
    terminal.theme = theme.base
    terminal.colors = theme.colors
  }

  /// Applies settings of colors. Returns the problems.
  private static func apply(
    _ settings: [DashboardConfiguration.Coloring], to colors: inout [ThemeColor: Color],
    path: String
  ) -> [String] {
    settings.compactMap { setting in
      guard let color = ThemeColor(rawValue: setting.name) else {
        return ThemeProblem(.unknownColor(setting.name), line: setting.line).sentence(path: path)
      }
      colors[color] = setting.color.asColor
      return nil
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

/// The file in which the dashboard remembers the user's choices. It is a convenience: what cannot
/// be read or written is forgotten without an error.
final class ChoicesFile: Sendable {
  static let byteCountMax = 1 << 20

  private let paths: ServicePaths
  /// The disk may be busy, so the terminal does not wait for it.
  private let queue = DispatchQueue(label: "kettle.choices")

  init(environment: [String: String]) { paths = ServicePaths.of(environment: environment) }

  /// Returns the defaults if the file is missing, unreadable or invalid.
  func read() -> DashboardChoices {
    let contents = FileContents.read(path: paths.choicesPath, byteCountMax: Self.byteCountMax)
    guard case .bytes(let bytes) = contents,
      let choices = try? JSONDecoder().decode(DashboardChoices.self, from: Data(bytes))
    else { return DashboardChoices() }
    return choices
  }

  /// Returns at once. Choices are written in the order of the calls.
  func write(_ choices: DashboardChoices) {
    queue.async { [self] in replace(with: choices) }
  }

  /// Returns when everything is written.
  func finish() async {
    await withCheckedContinuation { done in
      queue.async { done.resume() }
    }
  }

  /// Replaces the file as a whole. It is not synced: after a power cut, the defaults would do.
  private func replace(with choices: DashboardChoices) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    guard let data = try? encoder.encode(choices), (try? paths.makeStateDirectory()) == true
    else { return }
    // Another dashboard may write at the same time.
    let path = paths.choicesPath + ".\(getpid())"
    let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW
    guard let file = OwnedDescriptor(opened: open(path, flags, 0o600)) else { return }
    let count = data.withUnsafeBytes { Glibc.write(file.number, $0.baseAddress, $0.count) }
    if count != data.count || rename(path, paths.choicesPath) != 0 { unlink(path) }
  }
}
