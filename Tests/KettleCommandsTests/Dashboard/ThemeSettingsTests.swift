import Foundation
import KettleConfiguration
import KettleDashboard
import KettleModel
import Testing

@testable import KettleCommands

struct ThemeSettingsTests {
  private let names =
    "dark, light, high-contrast, color-blind, ember, catppuccin, dracula, gruvbox, nord, solarized, "
    + "tokyo-night"

  /// The settings for a `config.toml` and the contents of the file of the theme.
  private func settings(
    _ text: String, theme: String? = nil, contents: FileContents? = nil
  ) -> DashboardSettings {
    let (configuration, problems) = DashboardConfiguration.read(Array(text.utf8))
    let written = theme.map { FileContents.bytes(Array($0.utf8)) }
    return DashboardSettings(
      configuration, notices: problems.map { $0.sentence(path: "/c", for: .dashboard) }, path: "/c",
      themeFile: configuration.theme.map { name in
        ConfigurationFile(path: "/t/\(name.name).toml", contents: contents ?? written ?? .missing)
      })
  }

  @Test(arguments: BuiltInTheme.allCases)
  func `a built-in theme needs no file`(theme: BuiltInTheme) {
    let found = settings("[theme]\nname = \"\(theme.rawValue)\"")
    #expect(found.terminal.theme == theme)
    #expect(found.terminal.colors.isEmpty && found.problems.isEmpty)
    #expect(!found.terminal.followsTerminal)
  }

  @Test func `the settings override the file, and the file its base`() {
    let found = settings(
      "[theme]\nname = \"mine\"\n[theme.colors]\ngood = 2",
      theme: "base = \"ember\"\n[colors]\ngood = 3\nkey = \"#010203\"")
    #expect(found.terminal.theme == .ember)
    #expect(found.terminal.colors == [.good: .palette(2), .key: .rgb(1, 2, 3)])
    #expect(found.problems.isEmpty)
  }

  @Test func `a file takes the place of the built-in theme of its name`() {
    let found = settings("[theme]\nname = \"ember\"", theme: "[colors]\ngood = 3")
    #expect(found.terminal.theme == nil)
    #expect(found.terminal.colors == [.good: .palette(3)])
    let unreadable = settings("[theme]\nname = \"ember\"", theme: "[colors")
    #expect(unreadable.terminal.theme == .ember)
    #expect(unreadable.problems.count == 1)
    let forbidden = settings("[theme]\nname = \"ember\"", contents: .unreadable("no"))
    #expect(forbidden.terminal.theme == .ember)
    #expect(forbidden.problems.count == 1)
  }

  @Test func `an unknown theme is reported, and the colors are those without a theme`() {
    let found = settings("[theme]\nname = \"mine\"")
    #expect(found.terminal == TerminalOptions())
    #expect(
      found.problems == [
        "Unknown theme \"mine\" on line 2 of \"/c\"; \"/t/mine.toml\" does not exist, and the "
          + "built-in themes are \(names)"
      ])
  }

  @Test(arguments: ["\"../mine\"", "\"\"", "\"a b\"", "\"ä\"", "3"])
  func `a name that is not the name of a file is reported`(name: String) {
    let found = settings("[theme]\nname = \(name)")
    #expect(found.terminal == TerminalOptions())
    #expect(
      found.problems == [
        "The value of \"theme.name\" in line 2 of \"/c\" must be the name of a theme in quotes: "
          + "letters, digits, \"-\" and \"_\"; correct it and start the dashboard again"
      ])
  }

  @Test func `errors in the file of a theme are reported, and the rest applies`() {
    let found = settings(
      "[theme]\nname = \"mine\"", theme: "base = 'night'\n[colors]\nsky = 1\nkey = 'no'\ngood = 2")
    #expect(found.terminal.theme == nil)
    #expect(found.terminal.colors == [.good: .palette(2)])
    #expect(found.problems.count == 3)
    #expect(found.problems.first?.contains("\"colors.key\" in line 4 of \"/t/mine.toml\"") == true)
    #expect(
      found.problems.dropFirst().first
        == "Unknown theme \"night\" on line 1 of \"/t/mine.toml\"; the built-in themes are \(names)"
    )
    #expect(found.problems.last?.contains("\"sky\" on line 3 of \"/t/mine.toml\"") == true)
  }

  @Test func `the documentation names every theme and every color`() throws {
    let here = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
    let document = try String(
      contentsOf: here.appending(path: "../../../docs/configuration.md").standardizedFileURL,
      encoding: .utf8)
    let start = try #require(document.range(of: "\n## Themes\n"))
    let section = String(document[start.upperBound...])
    for name in BuiltInTheme.allCases.map(\.rawValue) + ThemeColor.allCases.map(\.rawValue) {
      #expect(section.contains("`\(name)`"), "\(name)")
    }
    let exampleStart = try #require(section.range(of: "```toml\n"))
    let exampleEnd = try #require(
      section.range(of: "```", range: exampleStart.upperBound..<section.endIndex))
    let example = String(section[exampleStart.upperBound..<exampleEnd.lowerBound])
    let found = settings("[theme]\nname = \"mine\"", theme: example)
    #expect(found.problems.isEmpty)
    #expect(found.terminal.theme == .dark && found.terminal.colors.count == 3)
  }

  @Test func `the file is beside the configuration`() throws {
    let home = try TemporaryDirectory()
    try FileManager.default.createDirectory(
      atPath: home.path + "/kettle/themes", withIntermediateDirectories: true)
    _ = try home.file("kettle/config.toml", "[theme]\nname = 'mine'\n")
    _ = try home.file("kettle/themes/mine.toml", "base = 'light'\n")
    let environment = ["XDG_CONFIG_HOME": home.path, "HOME": home.path]
    let found = DashboardSettings.ofUser(environment: environment)
    #expect(found.terminal.theme == .light && found.problems.isEmpty)
  }
}
