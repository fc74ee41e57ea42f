import KettleModel
import Testing

@testable import KettleDashboard

/// The list of what can be undone.
struct BinScreenTests {
  private func opened(columns: Int = 80, rows: Int = 24) -> Dashboard {
    var model = Sample.model(columns: columns, rows: rows)
    #expect(model.press(.character("b")) == [.loadBin])
    _ = model.update(.commandFinished(.binListed(Sample.bin)), at: Sample.now)
    return model
  }

  @Test func `Enter undoes the chosen action`() {
    var model = opened()
    #expect(model.press(.down, .enter) == [.undo(6)])
    #expect(model.keyContext == .list)
  }

  @Test func `the choice stays within the list`() {
    var model = opened()
    _ = model.press(.up)
    #expect(model.press(.down, .down, .down, .down, .enter) == [.undo(5)])
  }

  @Test func `emptying asks first`() {
    var model = opened()
    #expect(model.press(.character("D")).isEmpty)
    #expect(model.keyContext == .question)
    #expect(model.press(.character("n")).isEmpty)
    var other = opened()
    #expect(other.press(.character("D"), .character("y")) == [.emptyBin])
    _ = other.update(.commandFinished(.binEmptied), at: Sample.now)
    #expect(other.said == "the bin is empty; nothing can be undone")
  }

  @Test func `an empty bin undoes nothing`() {
    var model = Sample.model(columns: 80, rows: 24)
    _ = model.press(.character("b"))
    _ = model.update(.commandFinished(.binListed([])), at: Sample.now)
    #expect(model.press(.enter).isEmpty)
    #expect(model.said == "the bin is empty: there is nothing to undo")
  }

  @Test func `a double click undoes, and a click beside the list closes it`() throws {
    var model = opened()
    let place = try #require(model.screen().position(of: "removed"))
    #expect(model.click(row: place.row, column: place.column).isEmpty)
    #expect(
      model.click(row: place.row, column: place.column, .doubleClick) == [.undo(6)])
    var other = opened()
    _ = other.click(row: 1, column: 1)
    #expect(other.keyContext == .list)
  }

  @Test(arguments: [(40, 12), (80, 24), (100, 28), (120, 35), (200, 60)])
  func `the bin fits on every screen`(columns: Int, rows: Int) {
    let lines = opened(columns: columns, rows: rows).screen().lines
    #expect(lines.contains { $0.contains("stopped") })
    #expect(lines.contains { $0.contains("empty the bin") })
  }

  @Test func `the bin in 80 columns`() {
    expectScreen(opened().screen(), "PICTURE bin80")
  }

  @Test func `the bin in 120 columns`() {
    expectScreen(opened(columns: 120, rows: 35).screen(), "PICTURE bin120")
  }
}
