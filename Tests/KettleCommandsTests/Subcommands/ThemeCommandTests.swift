import Foundation
import KettleConfiguration
import KettleDashboard
import KettleModel
import Testing

@testable import KettleCommands

struct ThemeCommandTests {
  private let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  private func context(
    terminal: Bool = false, _ variables: [String: String] = [:]
  ) -> FakeContext {
    var context = FakeContext()
    context.environment = [
      "HOME": home.path, "XDG_CONFIG_HOME": home.path, "XDG_STATE_HOME": home.path,
      "XDG_RUNTIME_DIR": home.path, "TERM": "xterm-256color", "LANG": "C.UTF-8",
    ].merging(variables) { $1 }
    if terminal { context.console = FakeConsole(inputIsTerminal: true, outputColumns: 80) }
    return context
  }

  private var file: String? {
    try? String(contentsOfFile: home.path + "/kettle/config.toml", encoding: .utf8)
  }

  @Test func `in a pipe the list has the names, and those of the user's files`() async throws {
    try FileManager.default.createDirectory(
      atPath: home.path + "/kettle/themes", withIntermediateDirectories: true)
    _ = try home.file("kettle/themes/mine.toml", "base = 'light'\n")
    for arguments in [["theme"], ["theme", "list"]] {
      let outcome = await context().run(arguments)
      #expect(outcome.code == 0)
      let names = ["default"] + BuiltInTheme.allCases.map(\.rawValue) + ["mine"]
      #expect(outcome.output == names.map { $0 + "\n" }.joined())
    }
  }

  @Test func `on a terminal each theme has a line in its colors`() async throws {
    let outcome = await context(terminal: true, ["COLORTERM": "truecolor"]).run("theme", "list")
    let lines = outcome.output.split(separator: "\n").map(String.init)
    #expect(lines.count == BuiltInTheme.allCases.count + 1)
    let nord = try #require(lines.first { $0.contains("nord") })
    #expect(nord.contains("48;2;46;52;64") && nord.contains("needs you"))
    #expect(lines.first?.contains("default") == true)
    let few = await context(terminal: true).run("theme", "list")
    #expect(!few.output.contains("48;2;") && few.output.contains("48;5;"))
    let none = await context(terminal: true, ["NO_COLOR": "1"]).run("theme", "list")
    #expect(!none.output.contains("\u{1B}"))
  }

  @Test func `a theme is chosen by its name, and default removes it`() async throws {
    let chosen = await context().run("theme", "nord")
    #expect(chosen.code == 0, "\(chosen.error)")
    #expect(chosen.error == "The dashboard has the theme \"nord\" when it is opened next\n")
    #expect(file == "[theme]\nname = \"nord\"\n")
    let shown = await context().run("theme", "show")
    #expect(shown.output.hasPrefix("# nord\n[colors]\ntext = \"#"))
    #expect(await context().run("theme", "default").code == 0)
    #expect(file?.contains("nord") == false)
  }

  @Test func `what was chosen in the dashboard is forgotten`() async throws {
    let environment = context().environment
    let choices = ChoicesFile(environment: environment)
    choices.write(DashboardChoices(theme: "ember"))
    await choices.finish()
    #expect(await context().run("theme", "show").output.hasPrefix("# ember\n"))
    _ = await context().run("theme", "use", "dracula")
    #expect(choices.read() == DashboardChoices())
    #expect(await context().run("theme", "show").output.hasPrefix("# dracula\n"))
  }

  @Test func `what is shown is the file of a theme`() async throws {
    let outcome = await context().run("theme", "show", "tokyo-night")
    let file = ConfigurationFile(path: "/t", contents: .bytes(Array(outcome.output.utf8)))
    let (content, problems) = file.themeConfiguration()
    #expect(problems.isEmpty)
    #expect(content.colors.count == ThemeColor.allCases.count)
    #expect(outcome.output.contains("\nheat-1 = \"#7aa2f7\"\n"))
  }

  @Test(arguments: [["theme", "solar"], ["theme", "show", "solar"], ["theme", "use", "solar"]])
  func `an unknown name is refused, and the names are given`(arguments: [String]) async {
    let outcome = await context().run(arguments)
    #expect(outcome.code == 2)
    #expect(
      outcome.error.hasPrefix("kettle: There is no theme \"solar\"; the themes are default, dark"))
    #expect(file == nil)
  }
}
