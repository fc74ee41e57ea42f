import KettleModel
import Testing

@testable import KettleConfiguration

struct ThemeConfigurationTests {
  private func read(_ text: String) -> (ThemeConfiguration, [ConfigurationProblem]) {
    ThemeConfiguration.read(Array(text.utf8))
  }

  @Test func `a theme has a base and colors`() {
    let (theme, problems) = read("base = \"dark\"\n\n[colors]\ntext = \"#38aaF5\"\ngood = 114\n")
    #expect(problems.isEmpty)
    #expect(theme.base == DashboardConfiguration.ThemeName(name: "dark", line: 1))
    #expect(
      theme.colors == [
        .init(name: "text", color: .mixed(red: 0x38, green: 0xAA, blue: 0xF5), line: 4),
        .init(name: "good", color: .number(114), line: 5),
      ])
  }

  @Test func `a wrong key has no effect, and other settings apply`() {
    let (theme, problems) = read("name = 'x'\nbase = 1\n[colors]\ntext = 'mauve'\ngood = 'red'\n")
    #expect(theme.base == nil)
    #expect(theme.colors == [.init(name: "good", color: .number(1), line: 5)])
    #expect(
      problems.map { $0.sentence(path: "/t", for: .dashboard) } == [
        "The key \"name\" in line 1 of \"/t\" is unknown; correct it and start the dashboard again",
        "The value of \"base\" in line 2 of \"/t\" must be the name of a built-in theme in quotes; "
          + "correct it and start the dashboard again",
        "The value of \"colors.text\" in line 4 of \"/t\" must be \(ColorSetting.expectation); "
          + "correct it and start the dashboard again",
      ])
  }

  @Test func `an invalid file has no effect at all`() {
    let (theme, problems) = read("base = 'dark'\n[colors\n")
    #expect(theme == ThemeConfiguration())
    #expect(problems.map(\.line) == [2])
  }

  @Test func `a file that cannot be read is reported`() {
    let file = ConfigurationFile(path: "/t", contents: .unreadable("Permission denied"))
    #expect(file.themeConfiguration().0 == ThemeConfiguration())
    #expect(
      file.themeConfiguration().notices == [
        "\"/t\" cannot be read (Permission denied), so the file is ignored; "
          + "correct it and start the dashboard again"
      ])
    #expect(!file.isMissing)
    let missing = ConfigurationFile(path: "/t", contents: .missing)
    #expect(missing.isMissing && missing.themeConfiguration().notices.isEmpty)
  }
}
