import Configuration
import DashboardUI
import Foundation
import Testing

@testable import Commands

struct DashboardSettingsTests {
  @Test func `keys of the file are keys of the dashboard, and what is wrong is said`() {
    let text = "[keys]\nstart = ['F5', 'm']\nbegin = 'b'\nstop = 3\n"
    let (configuration, problems) = DashboardConfiguration.read(Array(text.utf8))
    let notices = problems.map { $0.sentence(path: "/c/config.toml", for: .dashboard) }
    let settings = DashboardSettings(configuration, notices: notices, path: "/c/config.toml")
    #expect(settings.keymap.command(for: .function(5), in: .list) == .row(.start))
    #expect(
      settings.problems == notices + [
        "The action \"begin\" in line 3 of \"/c/config.toml\" means nothing; "
          + "the help screen names them all"
      ])
    #expect(notices.count == 1)
  }

  @Test func `the example of the documentation holds`() throws {
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
    #expect(settings.keymap.command(for: .alt("<"), in: .list) == .move(.home))
  }
}
