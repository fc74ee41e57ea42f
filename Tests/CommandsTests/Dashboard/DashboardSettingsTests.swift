import Configuration
import DashboardUI
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
}
