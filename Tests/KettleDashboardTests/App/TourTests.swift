import KettleModel
import Testing

@testable import KettleDashboard

struct TourTests {
  private func totals(_ counts: [TransferState: Int]) -> Totals {
    var totals = Totals()
    totals.counts = counts
    return totals
  }

  private func text(_ counts: [TransferState: Int], turn: Int64) -> String {
    Tour.text(totals(counts), afterMilliseconds: turn * Tour.stepMilliseconds)
  }

  @Test func `every sentence names keys that exist, and fits into 80 columns`() {
    for sentence in Strings.tourSteps + [Strings.tourQuestion, Strings.tourEnd] {
      let shown = Keymap.standard.filled(sentence)
      #expect(!shown.contains("-link") && !shown.contains("view-menu"), "\(shown)")
      #expect(shown.count <= 78, "\(shown)")
      let names = sentence.split(separator: "{").dropFirst().compactMap {
        $0.split(separator: "}").first.map(String.init)
      }
      for name in names { #expect(Keymap.standard.key(of: name) != nil, "\(name)") }
    }
  }

  @Test func `the sentences take turns, and the question comes every other time`() {
    let steps = Strings.tourSteps
    #expect(text([.running: 1], turn: 0) == steps.first)
    #expect(text([.running: 1], turn: Int64(steps.count)) == steps.first)
    #expect(text([.running: 1, .waiting: 1], turn: 2) == Strings.tourQuestion)
    #expect(text([.running: 1, .waiting: 1], turn: 3) == steps.dropFirst().first)
    #expect(text([.completed: 5, .failed: 1], turn: 3) == Strings.tourEnd)
    #expect(Tour.millisecondsToNext(afterMilliseconds: 7000) == 1000)
    #expect(Tour.millisecondsToNext(afterMilliseconds: 8000) == 8000)
  }

  @Test func `only the demo has a tour`() {
    var settings = DashboardSettings()
    let size = ScreenSize(columns: 100, rows: 30)
    let usual = Dashboard(size: size, settings: settings)
    #expect(usual.screen().position(of: "This is a demo") == nil)
    settings.showsTour = true
    var model = Dashboard(size: size, settings: settings)
    #expect(model.screen().position(of: "This is a demo: small files") != nil)
    _ = model.press(.character("?"))
    #expect(model.screen().position(of: "This is a demo") == nil)
  }
}
