import KettleModel
import Testing

@testable import KettleDashboard

/// The keys in the last lines.
struct FooterTests {
  private func lines(columns: Int, height: Int, _ dashboard: Dashboard) -> [String] {
    var canvas = Canvas(size: ScreenSize(columns: columns, rows: height), look: .text)
    Footer(dashboard.footerItems).draw(on: &canvas, row: 0, height: height)
    return canvas.frame.lines
  }

  @Test func `the least important keys are dropped first`() {
    var dashboard = Sample.model(columns: 80, rows: 24)
    _ = dashboard.press(.character("a"))
    #expect(
      lines(columns: 80, height: 1, dashboard)
        == [" Enter add  Esc cancel  Ctrl-J next line  Tab next  Ctrl-U clear line"])
    #expect(lines(columns: 30, height: 1, dashboard) == [" Enter add  Esc cancel"])
    #expect(lines(columns: 12, height: 1, dashboard) == [" Enter add"])
    #expect(lines(columns: 5, height: 1, dashboard) == [""])
  }
}
