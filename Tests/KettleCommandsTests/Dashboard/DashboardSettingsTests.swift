import Foundation
import KettleConfiguration
import KettleDashboard
import Testing

@testable import KettleCommands

struct DashboardSettingsTests {
  @Test func `keys in the file are applied, and problems are reported`() {
    let text = "[keys]\nstart = ['F5', 'm']\nbegin = 'b'\nstop = 3\n"
    let (configuration, problems) = DashboardConfiguration.read(Array(text.utf8))
    let notices = problems.map { $0.sentence(path: "/c/config.toml", for: .dashboard) }
    let settings = DashboardSettings(configuration, notices: notices, path: "/c/config.toml")
    #expect(settings.keymap.action(for: .function(5), in: .list) == "start")
    #expect(
      settings.problems == notices + [
        "Unknown action \"begin\" on line 3 of \"/c/config.toml\"; the help screen lists all "
          + "actions"
      ])
    #expect(notices.count == 1)
  }

  @Test func `switches and colors in the file are applied, and unknown colors are reported`() {
    let text = """
      [dashboard]
      mouse = false
      bell = false
      [theme]
      background = "light"
      [theme.colors]
      progress = "#38aaf5"
      problem = 9
      quiet = "default"
      sky = "blue"
      """
    let (configuration, problems) = DashboardConfiguration.read(Array(text.utf8))
    let settings = DashboardSettings(configuration, notices: [], path: "/c")
    #expect(problems.isEmpty)
    #expect(!settings.terminal.isMouseOn)
    #expect(!settings.terminal.ringsBell)
    #expect(settings.terminal.announces)
    #expect(settings.terminal.background == .light)
    #expect(
      settings.terminal.colors == [
        .progress: .rgb(0x38, 0xAA, 0xF5), .problem: .palette(9), .quiet: .standard,
      ])
    #expect(
      settings.problems == [
        "Unknown color \"sky\" on line 10 of \"/c\"; the colors are text, background, quiet, "
          + "heading, key, good, waiting, problem, bar, bar-background, problem-background, "
          + "progress, progress-done, progress-held, progress-failed, progress-background, "
          + "selection-background, field-background, box, attention, attention-text, heat-1, heat-2, "
          + "heat-3, heat-4, heat-5, host-1, host-2, host-3, host-4, host-5, host-6, host-7, host-8"
      ])
  }

  @Test func `without a file the terminal determines the background`() {
    let settings = DashboardSettings(DashboardConfiguration(), notices: [], path: "/c")
    #expect(settings.terminal == TerminalOptions())
    #expect(settings.terminal.background == nil)
  }

  @Test func `the example in the documentation is valid`() throws {
    let here = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
    let document = try String(
      contentsOf: here.appending(path: "../../../docs/configuration.md").standardizedFileURL,
      encoding: .utf8)
    let start = try #require(document.range(of: "```toml\n[keys]\n"))
    let end = try #require(document.range(of: "```\n", range: start.upperBound..<document.endIndex))
    let example = "[keys]\n" + document[start.upperBound..<end.lowerBound]
    let (configuration, problems) = DashboardConfiguration.read(Array(example.utf8))
    let settings = DashboardSettings(configuration, notices: [], path: "/c/config.toml")
    #expect(problems.isEmpty && settings.problems.isEmpty)
    #expect(configuration.mappings.count == 4)
    #expect(settings.keymap.action(for: .alt("<"), in: .list) == "first")
  }
}
