import KettleModel
import Testing

@testable import KettleDashboard

/// The keys in the last line.
struct FooterTests {
  private func line(columns: Int, _ dashboard: Dashboard) -> String {
    var canvas = Canvas(size: ScreenSize(columns: columns, rows: 1), look: .text)
    Footer(dashboard.footerItems).draw(on: &canvas, row: 0)
    return canvas.frame.lines[0]
  }

  @Test func `the least important keys are dropped first`() {
    var dashboard = Sample.model(columns: 80, rows: 24)
    _ = dashboard.press(.character("a"))
    #expect(
      line(columns: 80, dashboard)
        == " Enter add  Esc cancel  Ctrl-J next line  Tab next  Ctrl-U clear line")
    #expect(line(columns: 30, dashboard) == " Enter add Esc cancel Tab next")
    #expect(line(columns: 22, dashboard) == " Enter add  Esc cancel")
    #expect(line(columns: 12, dashboard) == " Enter add")
    #expect(line(columns: 5, dashboard) == "")
  }
}
