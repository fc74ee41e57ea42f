import KettleModel
import Testing

@testable import KettleDashboard

/// The menu of the columns and the themes.
struct ViewMenuTests {
  private func remembered(_ effects: [DashboardEffect]) -> [DashboardChoices] {
    effects.compactMap { effect in
      if case .service(.remember(let choices)) = effect { choices } else { nil }
    }
  }

  @Test func `a column is hidden at once, shown again, and remembered`() {
    var model = Sample.model(columns: 100, rows: 30)
    #expect(model.screen().position(of: "Size") != nil)
    let effects = model.press(.character("v"), .down, .enter)
    #expect(remembered(effects) == [DashboardChoices(hiddenColumns: [.size])])
    #expect(model.press(.escape) == [])
    #expect(model.screen().position(of: "Size") == nil)
    #expect(model.screen().position(of: "Progress") != nil)
    let back = model.press(.character("v"), .down, .character(" "))
    #expect(remembered(back) == [DashboardChoices()])

    var settings = DashboardSettings()
    settings.choices = DashboardChoices(hiddenColumns: [.host, .bar])
    let next = Dashboard(size: ScreenSize(columns: 100, rows: 30), settings: settings)
    #expect(next.list.view.hiddenColumns == [.host, .bar])
  }

  @Test func `the columns of the list can be chosen while the history is shown`() {
    var model = Sample.model(columns: 100, rows: 30)
    let effects = model.press(.character("H"), .character("v"), .down, .enter)
    #expect(remembered(effects) == [DashboardChoices(hiddenColumns: [.size])])
    _ = model.press(.escape, .character("H"))
    #expect(model.list.view.hiddenColumns == [.size])
  }

  @Test func `every set of columns fits every width`() {
    for width in [36, 40, 60, 80, 100, 120, 160, 200] {
      for hidden in TableColumn.allCases {
        let columns = TableColumns(width: width, hidden: [hidden, .ready])
        #expect(columns.file.count >= 1)
        let ends = TableColumn.allCases.compactMap { columns[$0]?.upperBound }
        #expect(ends.allSatisfy { $0 <= width }, "\(width) \(hidden)")
        #expect(columns.words.upperBound <= width)
      }
    }
  }

  @Test func `a theme is worn at once and remembered`() throws {
    var model = Sample.model(columns: 100, rows: 30)
    _ = model.press(.character("v"))
    let place = try #require(model.screen().position(of: "light"))
    let chosen = model.click(row: place.row, column: place.column)
    #expect(remembered(chosen) == [DashboardChoices(theme: "light")])
    _ = model.press(.escape)
    let usual = Sample.model(columns: 100, rows: 30)
    let look = Look(charset: .utf8, colors: .trueColor)
    let light = Look(charset: .utf8, colors: .trueColor, theme: Theme(base: .light))
    #expect(
      model.frame(at: Sample.now, look: look) == usual.frame(at: Sample.now, look: light))
    _ = model.press(.character("v"))
    let configured = try #require(model.screen().position(of: "as configured"))
    let back = model.click(row: configured.row, column: configured.column)
    #expect(remembered(back) == [DashboardChoices()])
  }

  @Test func `the theme under the cursor is shown, and Enter keeps it`() throws {
    var settings = DashboardSettings()
    settings.choices = DashboardChoices(theme: "nord")
    var model = Dashboard(size: ScreenSize(columns: 100, rows: 30), settings: settings)
    let look = Look(charset: .utf8, colors: .trueColor)
    func background(_ model: Dashboard) -> Color? {
      model.frame(at: Sample.now, look: look).cells.last?.style.background
    }
    func color(_ theme: BuiltInTheme) throws -> Color {
      let rgb = try #require(theme.colors[.background]).rgb
      return .rgb(rgb.red, rgb.green, rgb.blue)
    }
    _ = model.press(.character("v"))
    #expect(background(model) == (try color(.nord)))
    let columns = TableColumn.canBeHidden.count
    for _ in 0..<columns { _ = model.press(.down) }
    #expect(background(model) == .standard)
    #expect(remembered(model.press(.down)).isEmpty)
    #expect(background(model) == (try color(.dark)))
    _ = model.press(.escape)
    #expect(background(model) == (try color(.nord)))
    _ = model.press(.character("v"))
    for _ in 0..<(columns + 2) { _ = model.press(.down) }
    #expect(remembered(model.press(.enter)) == [DashboardChoices(theme: "light")])
    _ = model.press(.escape)
    #expect(background(model) == (try color(.light)))
  }

  @Test func `a theme that is gone is not worn`() {
    var settings = DashboardSettings()
    settings.choices = DashboardChoices(theme: "gone")
    let model = Dashboard(size: ScreenSize(columns: 100, rows: 30), settings: settings)
    let usual = Dashboard(size: ScreenSize(columns: 100, rows: 30))
    let look = Look(charset: .utf8, colors: .trueColor)
    #expect(
      model.frame(at: Sample.now, look: look) == usual.frame(at: Sample.now, look: look))
  }
}
