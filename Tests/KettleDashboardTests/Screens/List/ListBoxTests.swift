import KettleDashboard
import KettleModel
import Testing

/// The boxes above the list, and the keys that hide them.
struct ListBoxTests {
  private func titles(_ model: Dashboard) -> [String] {
    let text = model.screen().lines.joined()
    return ["¹speed", "²hosts", "! needs you", "³downloads"].filter { text.contains($0) }
  }

  @Test func `1 and 2 hide a box, and its neighbor takes the place`() {
    var model = Sample.model(columns: 120, rows: 35)
    let height = model.screen().lines.count { $0.hasPrefix("│ ") }
    #expect(titles(model) == ["¹speed", "²hosts", "³downloads"])
    _ = model.press(.character("1"))
    #expect(titles(model) == ["²hosts", "³downloads"])
    #expect(model.screen().lines[1].hasPrefix("╭─┤²hosts├─"))
    _ = model.press(.character("2"))
    #expect(titles(model) == ["³downloads"])
    #expect(model.screen().lines[1].hasPrefix("╭─┤³downloads├─"))
    #expect(model.screen().lines.count { $0.hasPrefix("│ ") } > height)
    _ = model.press(.character("1"), .character("2"))
    #expect(titles(model) == ["¹speed", "²hosts", "³downloads"])
  }

  @Test func `3 shows only the downloads, then all boxes`() {
    var model = Sample.model(columns: 120, rows: 35)
    _ = model.press(.character("3"))
    #expect(titles(model) == ["³downloads"])
    _ = model.press(.character("3"))
    #expect(titles(model) == ["¹speed", "²hosts", "³downloads"])
  }

  @Test func `hidden boxes are remembered`() {
    var model = Sample.model(columns: 120, rows: 35)
    let effects = model.press(.character("2"))
    let choices = DashboardChoices(hiddenBoxes: [.hosts])
    #expect(effects.contains(.service(.remember(choices))))
    var settings = DashboardSettings()
    settings.choices = choices
    var next = Dashboard(size: ScreenSize(columns: 120, rows: 35), settings: settings)
    _ = next.update(.linkChanged(.connected), at: Sample.now)
    let window = ListWindow(first: 0, matchingCount: Sample.rows.count, rows: Sample.rows)
    _ = next.update(.rowsArrived(window, Sample.totals), at: Sample.now)
    #expect(titles(next) == ["¹speed", "³downloads"])
  }

  @Test func `without room a key says what a box needs`() {
    var model = Sample.model(columns: 110, rows: 35)
    _ = model.press(.character("2"))
    #expect(model.said == "The hosts need 120 columns and 28 rows")
    model = Sample.model(columns: 80, rows: 35)
    _ = model.press(.character("1"))
    #expect(model.said == "The graph needs 100 columns and 28 rows")
  }

  @Test func `before the first transfer only the list is there`() {
    var model = Sample.model(columns: 120, rows: 35, showing: [])
    #expect(titles(model) == ["³downloads"])
    let window = ListWindow(first: 0, matchingCount: 1, rows: [Sample.rows[0]])
    _ = model.update(.rowsArrived(window, Sample.totals), at: Sample.now)
    #expect(titles(model) == ["¹speed", "²hosts", "³downloads"])
  }

  @Test func `headings have the sum of their rows`() {
    var list = LongList(0)
    (list.rows, list.isGrouped) = (Sample.rows, true)
    var model = list.model(columns: 80, rows: 24)
    let lines = model.screen().lines
    #expect(lines.contains { $0.hasPrefix(" ▾ running 4 6 connections ╌") })
    #expect(lines.contains { $0.hasPrefix(" ▾ done today 1 11 MiB, newest first ╌") })
    list.press(.down, .left, in: &model)
    #expect(model.screen().lines.contains { $0.hasPrefix("▌▸ running 4 ╌") })
  }
}
