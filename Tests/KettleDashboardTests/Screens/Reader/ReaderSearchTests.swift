import KettleDashboard
import KettleModel
import Testing

/// The search in help, details and reports.
struct ReaderSearchTests {
  private func help() -> Dashboard {
    var model = Sample.model(columns: 80, rows: 24)
    _ = model.press(.character("?"), .character("/"))
    return model
  }

  @Test func `the first match is shown while typing, with the number of matches`() {
    var model = help()
    _ = model.type("PRIORITY")
    let lines = model.screen().lines
    #expect(lines[0].hasPrefix(" ♨ kettle   Keys   Search: PRIORITY (1 of 3)"))
    #expect(lines[1].contains("priority or move"))
    #expect(lines[22] == " Search: PRIORITY")
    #expect(lines[23] == " Esc cancel  Ctrl-U clear line │ Enter keep it")
    _ = model.press(.enter, .character("n"), .character("n"), .character("n"))
    #expect(model.screen().lines[0].contains("(1 of 3)"))
    _ = model.press(.character("N"))
    #expect(model.screen().lines[0].contains("(3 of 3)"))
  }

  @Test func `matches are highlighted`() throws {
    var model = help()
    _ = model.type("the priority")
    let frame = model.screen()
    let place = try #require(frame.position(of: "Raise the priority"))
    let row = frame.row(place.row)
    #expect(row[row.startIndex + place.column + 10].style.attributes.contains(.underline))
    #expect(!row[row.startIndex + place.column + 4].style.attributes.contains(.underline))
  }

  @Test func `Esc returns to where the search began`() {
    var model = Sample.model(columns: 80, rows: 24)
    _ = model.press(.character("?"), .pageDown)
    let before = model.screen()
    _ = model.press(.character("/"))
    _ = model.type("suspend")
    #expect(model.screen().lines[1] != before.lines[1])
    _ = model.press(.escape)
    #expect(model.screen() == before)
    #expect(model.keyContext == .reader)
  }

  @Test func `text that does not occur is reported`() {
    var model = help()
    _ = model.type("nowhere")
    #expect(model.screen().lines[0].contains("Search: nowhere (no match)"))
    _ = model.press(.enter, .character("n"))
    #expect(model.said == "No match for \"nowhere\"")
    var other = Sample.model(columns: 80, rows: 24)
    _ = other.press(.character("?"), .character("n"))
    #expect(other.said == "There is no search yet; / starts one")
  }

  @Test func `the details can be searched, and events stay where the match is`() {
    var model = Sample.model(columns: 80, rows: 12)
    _ = model.press(.enter)
    var details = Sample.details
    details.history = (0..<100).map {
      .init(at: Sample.time(seconds: Int64($0)), .redirected(url: "event \($0)"))
    }
    _ = model.update(.detailsArrived(details), at: Sample.now)
    _ = model.press(.character("5"), .character("/"))
    _ = model.type("event 42")
    _ = model.press(.enter)
    _ = model.update(.detailsArrived(details), at: Sample.now)
    #expect(model.screen().lines[2].hasSuffix("event 42"))
  }

  @Test func `the help of a screen begins with the keys of that screen`() {
    var model = Sample.model(columns: 80, rows: 24)
    _ = model.press(.enter, .character("?"))
    #expect(model.screen().lines[1] == " Details and other screens")
    #expect(model.screen().lines[2].hasPrefix(" Esc q Enter "))
  }
}
