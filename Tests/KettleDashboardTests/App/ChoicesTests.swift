import KettleDashboard
import KettleModel
import Testing

/// What the dashboard remembers from one run to the next.
struct ChoicesTests {
  private let bySpeed = RowSort(key: .speed, isDescending: true, isGrouped: true)

  private func remembered(_ effects: [DashboardEffect]) -> [DashboardChoices] {
    effects.compactMap { effect in
      if case .service(.remember(let choices)) = effect { choices } else { nil }
    }
  }

  private func restarted(_ choices: DashboardChoices, rows: Int = 24) -> Dashboard {
    var settings = DashboardSettings()
    settings.choices = choices
    return Dashboard(size: ScreenSize(columns: 80, rows: rows), settings: settings)
  }

  @Test func `another order is remembered, the usual one is not`() {
    var model = Sample.model(columns: 80, rows: 24)
    let sort = model.press(.character("o"), .character("e"))
    #expect(remembered(sort) == [DashboardChoices(sort: bySpeed)])
    let reverse = model.press(.character("I"))
    #expect(remembered(reverse) == [DashboardChoices(sort: RowSort(key: .speed, isGrouped: true))])
    let queue = model.press(.character("o"), .character("u"))
    #expect(remembered(queue) == [DashboardChoices()])
  }

  @Test func `the pane is remembered with its section while it is open`() {
    var model = Sample.model(columns: 80, rows: 24)
    #expect(remembered(model.press(.tab)) == [DashboardChoices(pane: .overview)])
    #expect(remembered(model.press(.character("]"))) == [DashboardChoices(pane: .parts)])
    #expect(remembered(model.press(.tab)) == [DashboardChoices()])
  }

  @Test func `folded groups are remembered`() {
    var list = LongList(0)
    (list.rows, list.isGrouped) = (Sample.rows, true)
    var model = list.model()
    #expect(
      remembered(list.press(.down, .down, .left, in: &model)) == [
        DashboardChoices(folded: [.running])
      ])
    let next = restarted(DashboardChoices(folded: [.done]))
    #expect(next.list.view.folded == [.done])
  }

  @Test func `nothing is remembered while nothing is chosen`() {
    var model = Sample.model(columns: 80, rows: 24)
    var effects = model.press(.down, .character("o"), .escape, .character("?"), .escape)
    effects += model.update(.resized(ScreenSize(columns: 40, rows: 10)), at: Sample.now)
    effects += model.press(.tab)
    #expect(remembered(effects).isEmpty)
  }

  @Test func `the order of the history is not that of the list`() {
    var model = Sample.model(columns: 80, rows: 24)
    let effects = model.press(
      .character("o"), .character("e"), .character("H"), .character("I"), .character("H"))
    #expect(remembered(effects) == [DashboardChoices(sort: bySpeed)])
    #expect(model.list.view.sort == bySpeed)
  }

  @Test func `the next run starts with the choices`() {
    let choices = DashboardChoices(sort: bySpeed, pane: .parts)
    var model = restarted(choices)
    #expect(model.choices == choices)
    let effects = model.update(.linkChanged(.connected), at: Sample.now)
    #expect(remembered(effects).isEmpty)
    guard case .service(.subscribe(let viewport))? = effects.first else {
      Issue.record("not asked for")
      return
    }
    #expect(viewport.sort == bySpeed)
    let window = ListWindow(first: 0, matchingCount: Sample.rows.count, rows: Sample.rows)
    let arrived = model.update(.rowsArrived(window, Sample.totals), at: Sample.now)
    #expect(arrived.contains(.service(.loadDetails(Sample.rows[0].id))))
    _ = model.update(.detailsArrived(Sample.details), at: Sample.now)
    #expect(model.screen().lines.contains { $0.hasSuffix("2/6 Parts") })
  }

  @Test func `a pane without room stays chosen`() {
    var model = restarted(DashboardChoices(pane: .speed), rows: 12)
    #expect(remembered(model.update(.linkChanged(.connected), at: Sample.now)).isEmpty)
    _ = model.update(.resized(ScreenSize(columns: 80, rows: 30)), at: Sample.now)
    #expect(model.choices == DashboardChoices(pane: .speed))
  }
}
