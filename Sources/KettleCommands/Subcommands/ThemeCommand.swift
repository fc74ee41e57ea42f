import ArgumentParser
import KettleConfiguration
import KettleDashboard
import KettleModel

/// `kettle theme`
struct ThemeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "theme",
    abstract: "List, show or choose the colors of the dashboard.",
    discussion: """
      The name of a theme alone chooses it; "default" means colors that suit the terminal. In the \
      dashboard, v shows each theme while the cursor moves.

      Examples:
        kettle theme list
        kettle theme nord
        kettle theme default
        kettle theme show nord
      """,
    subcommands: [ThemeListCommand.self, ThemeShowCommand.self, ThemeUseCommand.self],
    defaultSubcommand: ThemeUseCommand.self)
}

/// `kettle theme list`, which is `kettle theme`
struct ThemeListCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the themes, each with a line in its colors.",
    discussion: "In a pipe, and with NO_COLOR, it prints the names alone.")

  static var isForThisMachineOnly: Bool { true }

  func run(in context: CommandContext) async throws -> ExitCode {
    let themes = OfferedThemes(in: context)
    for theme in themes.all {
      let look = context.themeLook(theme)
      try context.console.printLine(
        look.colors == .none
          ? theme.name
          : Canvas(sampleOf: theme, isChosen: theme.name == themes.chosenName, look: look).line)
    }
    return .done
  }
}

/// `kettle theme show`
struct ThemeShowCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Print the colors of a theme, as in a file of a theme.",
    discussion: """
      Without a name it shows the theme in use. To change some of the colors, put those lines into \
      themes/NAME.toml beside config.toml.
      """)

  static var isForThisMachineOnly: Bool { true }

  @Argument(
    help: ArgumentHelp("As shown by \"kettle theme list\".", valueName: "name"),
    completion: .list(OfferedThemes.builtInNames))
  var name: String?

  func run(in context: CommandContext) async throws -> ExitCode {
    let themes = OfferedThemes(in: context)
    let name = name ?? themes.chosenName
    guard let theme = themes.all.first(where: { $0.name == name }) else {
      context.console.printError(Sentences.unknownTheme(name, themes.all.map(\.name)))
      return .refused
    }
    let look = context.themeLook(theme)
    try context.console.printLine("# \(theme.name)\n[colors]")
    for color in ThemeColor.allCases {
      let line = "\(color.rawValue) = \(look.theme.value(of: color))"
      let swatch = look.charset == .utf8 ? "██ " : "## "
      let sample = look.colors == .none ? "" : look.swatch(of: color).painting(swatch)
      try context.console.printLine(sample + line)
    }
    return .done
  }
}

/// `kettle theme use`, which is `kettle theme NAME`
struct ThemeUseCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "use",
    abstract: "Choose a theme; the dashboard has it when it is opened next.",
    discussion: """
      It sets theme.name in the configuration file, and forgets what was chosen in the dashboard. \
      Without a name it lists the themes.
      """)

  static var isForThisMachineOnly: Bool { true }

  @Argument(
    help: ArgumentHelp("As shown by \"kettle theme list\".", valueName: "name"),
    completion: .list(OfferedThemes.builtInNames))
  var name: String?

  func run(in context: CommandContext) async throws -> ExitCode {
    guard let name else { return try await ThemeListCommand().run(in: context) }
    let names = OfferedThemes(in: context).all.map(\.name)
    guard names.contains(name) else {
      context.console.printError(Sentences.unknownTheme(name, names))
      return .refused
    }
    var configuration = try UserConfiguration.toChange(in: context)
    if name == OfferedThemes.defaultName {
      _ = try configuration.remove("theme.name")
    } else {
      try configuration.set("theme.name", to: [name])
    }
    try configuration.write()
    let file = ChoicesFile(environment: context.environment)
    var choices = file.read()
    if choices.theme != nil {
      choices.theme = nil
      file.write(choices)
      await file.finish()
    }
    context.console.printNote(Sentences.themeChosen(name))
    return .done
  }
}

/// The themes of this process's user.
private struct OfferedThemes {
  /// Colors that suit the terminal.
  static let defaultName = "default"
  static let builtInNames = [defaultName] + BuiltInTheme.allCases.map(\.rawValue)

  let all: [NamedTheme]
  /// What the dashboard uses when it is opened next.
  let chosenName: String

  init(in context: CommandContext) {
    let settings = DashboardSettings.ofUser(environment: context.environment)
    let all = [NamedTheme(Self.defaultName, base: nil)] + settings.themes
    let chosen = ChoicesFile(environment: context.environment).read().theme
    let configured = try? UserConfiguration(in: context).editor.value(of: "theme.name")
    // The file has the name in quotes.
    let written = configured?.filter { $0 != "\"" && $0 != "'" }
    let names = [chosen, written].compactMap(\.self)
    chosenName = names.first { name in all.contains { $0.name == name } } ?? Self.defaultName
    self.all = all
  }
}

extension CommandContext {
  /// How to draw in a theme on standard output, in as many colors as the terminal has.
  fileprivate func themeLook(_ theme: NamedTheme) -> Look {
    let plain = look(of: .output)
    let background = environment["COLORFGBG"].flatMap(Theme.Background.init(COLORFGBG:)) ?? .dark
    return Look(
      charset: plain.charset, colors: plain.colors == .none ? .none : colorDepth,
      theme: Theme(background: background)
    ).with(theme)
  }

  private var colorDepth: ColorDepth {
    if ["truecolor", "24bit"].contains(environment["COLORTERM"] ?? "") { return .trueColor }
    return environment["TERM"]?.contains("256color") == true ? .indexed256 : .ansi16
  }
}

extension Canvas {
  /// A line like those of the dashboard, in the colors of a theme.
  fileprivate init(sampleOf theme: NamedTheme, isChosen: Bool, look: Look) {
    self.init(lineColumns: 79, look: look)
    let glyphs = look.glyphs
    let (heavy, light) = look.charset == .utf8 ? ("━", "─") : ("=", "-")
    if isChosen { write(glyphs.mark, row: 0, column: 0, width: 1, .key) }
    write(theme.name, row: 0, column: 2, width: 15, .boxTitle)
    var column = 18
    for role in Role.heat {
      write(heavy + heavy, row: 0, column: column, width: 2, role)
      column += 2
    }
    write(String(repeating: light, count: 4), row: 0, column: column, width: 4, .track)
    write("65%", row: 0, column: 33, width: 4)
    write("45.4 MiB/s", row: 0, column: 38, width: 10, Role.heat.last ?? .plain)
    write(glyphs.good + " done", row: 0, column: 50, width: 6, .good)
    write(glyphs.bad + " failed", row: 0, column: 58, width: 8, .problem)
    write(" needs you ", row: 0, column: 67, width: 11, .attentionChip)
  }
}

extension Sentences {
  static func unknownTheme(_ name: String, _ names: [String]) -> String {
    "There is no theme \(quoted(name)); the themes are "
      + names.map { $0.sanitizedForDisplay(limit: 60) }.joined(separator: ", ")
  }

  static func themeChosen(_ name: String) -> String {
    "The dashboard has the theme \(quoted(name)) when it is opened next"
  }
}
