import KettleDashboard
import KettleModel
import Testing

/// The cursor, the visible part and the subscription.
struct ListMovementTests {
  private static func rows(_ range: Range<Int64>) -> [TransferSnapshot] {
    range.map { Sample.row($0, titled: "file \($0)", state: .queued) }
  }

  private func window(_ range: Range<Int>, of count: Int) -> DashboardMessage {
    let rows = Self.rows(Int64(range.lowerBound)..<Int64(range.upperBound))
    return .rowsArrived(
      ListWindow(first: range.lowerBound, matchingCount: count, rows: rows), Totals())
  }

  private func model(_ count: Int) -> Dashboard {
    var model = Dashboard(size: ScreenSize(columns: 80, rows: 24))
    _ = model.update(.linkChanged(.connected), at: Sample.now)
    _ = model.update(window(0..<min(count, 40), of: count), at: Sample.now)
    return model
  }

  @Test func `connecting subscribes to the visible rows and a few more`() {
    var model = Dashboard(size: ScreenSize(columns: 80, rows: 24))
    #expect(
      model.update(.linkChanged(.connected), at: Sample.now) == [
        .service(.subscribe(.unfiltered(first: 0, count: 28)))
      ])
    #expect(model.update(.linkChanged(.connecting), at: Sample.now) == [])
  }

  @Test func `a new connection subscribes again`() {
    var model = model(100)
    _ = model.update(.linkChanged(.lost), at: Sample.now)
    #expect(model.update(window(0..<40, of: 100), at: Sample.now) == [])
    #expect(
      model.update(.linkChanged(.connected), at: Sample.now) == [
        .service(.subscribe(.unfiltered(first: 0, count: 28)))
      ])
    #expect(model.said == "The service is back")
  }

  @Test func `one key moves to the end of a long list`() {
    var model = model(1_000_000)
    #expect(
      model.press(.character("G")) == [.service(.subscribe(.unfiltered(first: 999_972, count: 36)))]
    )
    #expect(model.list.cursor.index == 999_999)
    #expect(model.list.cursorRow == nil)
    #expect(model.press(.character("s")) == [])
    #expect(model.said == "This row has not loaded yet")
    _ = model.update(window(999_972..<1_000_000, of: 1_000_000), at: Sample.now)
    #expect(model.list.cursorRow?.id == TransferID(rawValue: 999_999))
    #expect(
      model.press(.character("g")) == [.service(.subscribe(.unfiltered(first: 0, count: 28)))])
  }

  @Test func `pages overlap by one row`() {
    var model = model(100)
    _ = model.press(.pageDown)
    #expect(model.list.cursor.index == 19)
    _ = model.press(.pageDown)
    #expect(model.list.cursor.index == 38)
    #expect(model.list.cursor.firstVisible == 19)
    _ = model.press(.pageUp, .pageUp, .up)
    #expect(model.list.cursor.index == 0)
    #expect(model.said == "This is the first row")
  }

  @Test func `the cursor stays on its transfer when rows above disappear`() {
    var model = model(30)
    _ = model.press(.down, .down, .down, .down, .down)
    let rows = Array(Self.rows(0..<30).dropFirst(3))
    _ = model.update(
      .rowsArrived(ListWindow(first: 0, matchingCount: 27, rows: rows), Totals()), at: Sample.now)
    #expect(model.list.cursor.index == 2)
    #expect(model.list.cursorRow?.id == TransferID(rawValue: 5))
  }

  @Test func `when its transfer disappears the cursor keeps its position`() {
    var model = model(30)
    _ = model.press(.down, .down)
    let rows = Self.rows(0..<30).filter { $0.id.rawValue != 2 }
    _ = model.update(
      .rowsArrived(ListWindow(first: 0, matchingCount: 29, rows: rows), Totals()), at: Sample.now)
    #expect(model.list.cursor.index == 2)
    #expect(model.list.cursorRow?.id == TransferID(rawValue: 3))
  }

  @Test func `a shrinking list moves the cursor and the view`() {
    var model = model(40)
    _ = model.press(.end)
    #expect(model.list.cursor.firstVisible == 20)
    _ = model.update(window(0..<3, of: 3), at: Sample.now)
    #expect(model.list.cursor.index == 2)
    #expect(model.list.cursor.firstVisible == 0)
    _ = model.update(window(0..<0, of: 0), at: Sample.now)
    #expect(model.list.cursor.index == 0)
    #expect(model.list.cursorRow == nil)
  }

  @Test func `the cursor stays visible when the screen shrinks`() {
    var model = model(40)
    _ = model.press(.pageDown)
    _ = model.update(.resized(ScreenSize(columns: 80, rows: 10)), at: Sample.now)
    #expect(
      (model.list.cursor.firstVisible..<(model.list.cursor.firstVisible + 6)).contains(
        model.list.cursor.index))
  }

  @Test func `out-of-range numbers from the service are tolerated`() {
    var model = model(40)
    let row = Self.rows(1..<2)
    _ = model.update(
      .rowsArrived(ListWindow(first: .max, matchingCount: .max, rows: row), Totals()),
      at: Sample.now)
    _ = model.press(.end, .pageDown, .down)
    _ = model.update(
      .rowsArrived(ListWindow(first: -5, matchingCount: -9, rows: row), Totals()), at: Sample.now)
    #expect(model.screen().lines.count == 24)
  }
}
