import KettleDashboard
import KettleModel
import Testing

/// Clicks and the wheel.
struct MouseTests {
  private func model(_ count: Int) -> Dashboard {
    var model = Dashboard(size: ScreenSize(columns: 80, rows: 24))
    _ = model.update(.linkChanged(.connected), at: Sample.now)
    let rows = (0..<min(count, 40)).map {
      Sample.row(Int64($0), titled: "file \($0)", state: .queued)
    }
    _ = model.update(
      .rowsArrived(ListWindow(first: 0, matchingCount: count, rows: rows), Totals()),
      at: Sample.now)
    return model
  }

  @Test func `a click moves the cursor to the row`() {
    var model = model(40)
    _ = model.click(row: 5, column: 70)
    #expect(model.list.cursor.index == 3)
    _ = model.press(.pageDown, .pageDown)
    let first = model.list.cursor.firstVisible
    _ = model.click(row: 2, column: 0)
    #expect(model.list.cursor.index == first)
  }

  @Test func `a double click opens the details of the row`() {
    var model = model(40)
    #expect(
      model.click(row: 4, column: 6, .doubleClick) == [
        .service(.loadDetails(TransferID(rawValue: 2)))
      ])
    #expect(model.keyContext == .reader)
  }

  @Test func `a click below the last row does nothing`() {
    var model = model(3)
    let before = model
    #expect(model.click(row: 10, column: 6) == [])
    #expect(model.click(row: -1, column: 500) == [])
    #expect(model == before)
  }

  @Test func `the wheel scrolls three rows and moves the cursor`() {
    var model = model(40)
    _ = model.wheel(.wheelDown)
    #expect(model.list.cursor.firstVisible == 3)
    #expect(model.list.cursor.index == 3)
    _ = model.press(.down, .down)
    _ = model.wheel(.wheelUp)
    #expect(model.list.cursor.firstVisible == 0)
    #expect(model.list.cursor.index == 5)
    for _ in 0..<30 { _ = model.wheel(.wheelDown) }
    #expect(model.list.cursor.firstVisible == 20)
    for _ in 0..<30 { _ = model.wheel(.wheelUp) }
    #expect(model.list.cursor.index == 19)
  }

  @Test func `the wheel scrolls a reader screen`() {
    var model = model(3)
    _ = model.press(.character("?"))
    let before = model.screen()
    _ = model.wheel(.wheelDown)
    #expect(model.screen().lines[1] == before.lines[4])
    _ = model.wheel(.wheelUp)
    _ = model.wheel(.wheelUp)
    #expect(model.screen() == before)
  }

  @Test func `a key in the footer can be clicked`() throws {
    var model = Sample.model(columns: 80, rows: 24)
    let place = try #require(model.screen().position(of: "p pause"))
    #expect(
      model.click(row: place.row, column: place.column)
        == [.service(.control(.pause, .ids([TransferID(rawValue: 1)])))])
    #expect(
      model.click(row: place.row, column: place.column + 6)
        == [.service(.control(.pause, .ids([TransferID(rawValue: 1)])))])
    // The space between two keys belongs to neither.
    #expect(model.click(row: place.row, column: place.column + 7) == [])
  }

  @Test func `yes and no can be clicked, but not the list behind the question`() throws {
    var model = Sample.model(columns: 80, rows: 24)
    _ = model.press(.character("d"))
    _ = model.click(row: 3, column: 2)
    #expect(model.list.cursor.index == 0)
    #expect(model.keyContext == .question)
    let no = try #require(model.screen().position(of: "n no"))
    #expect(model.click(row: no.row, column: no.column) == [])
    #expect(model.keyContext == .list)
    #expect(model.said == "Nothing changed")
    _ = model.press(.character("d"))
    let yes = try #require(model.screen().position(of: "y yes"))
    #expect(
      model.click(row: yes.row, column: yes.column + 4)
        == [.service(.remove(.ids([TransferID(rawValue: 1)]), withFile: false))])
  }
}
