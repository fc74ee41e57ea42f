import Testing

@testable import KettleConfiguration

struct DashboardConfigurationTests {
  private typealias Mapping = DashboardConfiguration.Mapping

  private func read(_ text: String) -> (DashboardConfiguration, [ConfigurationProblem]) {
    DashboardConfiguration.read(Array(text.utf8))
  }

  @Test func `an action may have one key, several or none`() {
    let (configuration, problems) = read(
      """
      [keys]
      pause = "p"
      start = ["s", "F5"]

      remove = ""
      pause-all = []
      """)
    #expect(problems.isEmpty)
    #expect(
      configuration.mappings == [
        Mapping(action: "pause", keys: ["p"], line: 2),
        Mapping(action: "start", keys: ["s", "F5"], line: 3),
        Mapping(action: "remove", keys: [], line: 5),
        Mapping(action: "pause-all", keys: [], line: 6),
      ])
  }

  @Test(arguments: ["7", "true", "[1]", "[\"a\", \"\"]", "[[\"a\"]]"])
  func `an invalid key name has no effect, and other settings apply`(value: String) {
    let (configuration, problems) = read("[keys]\nstart = \(value)\nstop = \"x\"")
    #expect(configuration.mappings == [Mapping(action: "stop", keys: ["x"], line: 3)])
    #expect(problems.map(\.line) == [2])
  }

  @Test func `the service and the dashboard each read their own tables`() {
    let text = "[keys]\nstart = 1\n[limits]\ntransfers = 0\ntransfer = 3\n[key]\nstart = 's'"
    #expect(read(text).1.map(\.line) == [2])
    #expect(ServiceConfiguration.read(Array(text.utf8)).1.map(\.line) == [4, 5, 7])
  }

  @Test func `an invalid file has no effect at all`() {
    let (configuration, problems) = read("[keys]\nstart = 's'\nstop = \"x")
    #expect(configuration == DashboardConfiguration())
    #expect(
      problems.map { $0.sentence(path: "/c", for: .dashboard) } == [
        "Line 3 of \"/c\" cannot be read (the string is not closed), so the file is ignored; "
          + "correct it and start the dashboard again"
      ])
  }
}
