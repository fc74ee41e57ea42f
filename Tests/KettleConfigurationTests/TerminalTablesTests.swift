import Testing

@testable import KettleConfiguration

struct TerminalTablesTests {
  private func read(_ text: String) -> (DashboardConfiguration, [ConfigurationProblem]) {
    DashboardConfiguration.read(Array(text.utf8))
  }

  @Test func `terminal features can be turned off`() {
    let (configuration, problems) = read(
      "[dashboard]\nmouse = false\nbell = false\ntaskbar = false\nannouncements = false")
    #expect(problems.isEmpty)
    #expect(!configuration.isMouseOn)
    #expect(!configuration.ringsBell)
    #expect(!configuration.showsTaskbarProgress)
    #expect(!configuration.announces)
    #expect(read("").0.isMouseOn)
  }

  @Test func `a switch is on or off`() {
    let (configuration, problems) = read("[dashboard]\nmouse = \"no\"\nmice = true\nbell = false")
    #expect(configuration.isMouseOn)
    #expect(!configuration.ringsBell)
    #expect(
      problems.map { $0.sentence(path: "/c", for: .dashboard) } == [
        "The value of \"dashboard.mouse\" in line 2 of \"/c\" must be true or false; "
          + "correct it and start the dashboard again",
        "The key \"dashboard.mice\" in line 3 of \"/c\" is unknown; "
          + "correct it and start the dashboard again",
      ])
  }

  @Test func `a theme consists of a name, a background and colors`() {
    let (configuration, problems) = read(
      """
      [theme]
      background = "light"
      name = "my-2nd_theme"
      [theme.colors]
      progress = "#38aaF5"
      problem = "bright-red"
      good = 114
      quiet = "default"
      """)
    #expect(problems.isEmpty)
    #expect(configuration.background == .light)
    #expect(configuration.theme == .init(name: "my-2nd_theme", line: 3))
    #expect(
      configuration.colors == [
        .init(name: "progress", color: .mixed(red: 0x38, green: 0xAA, blue: 0xF5), line: 5),
        .init(name: "problem", color: .number(9), line: 6),
        .init(name: "good", color: .number(114), line: 7),
        .init(name: "quiet", color: .standard, line: 8),
      ])
  }

  @Test(
    arguments: [
      "256", "-1", "\"#12345\"", "\"#12345g\"", "\"#+12345\"", "\"mauve\"", "\"bright-\"", "true",
      "[1]", "\"\"", "\"#１２３４５６\"",
    ])
  func `an invalid color has no effect, and other settings apply`(value: String) {
    let (configuration, problems) = read("[theme.colors]\nprogress = \(value)\ngood = \"red\"")
    #expect(configuration.colors == [.init(name: "good", color: .number(1), line: 3)])
    #expect(
      problems.map { $0.sentence(path: "/c", for: .dashboard) } == [
        "The value of \"theme.colors.progress\" in line 2 of \"/c\" must be a color in quotes "
          + "such as \"#38aaf5\", \"blue\", \"bright-blue\" or \"default\", or a whole number "
          + "from 0 to 255; correct it and start the dashboard again"
      ])
  }

  @Test func `an unknown background or theme key is reported`() {
    let (configuration, problems) = read("[theme]\nbackground = \"gray\"\nnames = \"x\"")
    #expect(configuration.background == .auto)
    #expect(problems.map(\.line) == [2, 3])
    #expect(ServiceConfiguration.read(Array("[theme]\nname = 1".utf8)).1.isEmpty)
  }
}
