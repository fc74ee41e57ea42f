import KettleDashboard
import KettleModel
import Testing

/// URLs that are already in the list or occur twice in the form.
struct DuplicatesTests {
  private let found = [
    "https://example.org/a": DuplicateSearch.Found(
      id: TransferID(rawValue: 17), state: .completed)
  ]

  private func later(_ milliseconds: Int64) -> Moment {
    Moment(
      monotonic: Sample.now.monotonic.advanced(byMilliseconds: milliseconds), wall: Sample.now.wall)
  }

  private func opened(_ text: String) -> Dashboard {
    var model = Sample.model(columns: 80, rows: 24, showing: [])
    _ = model.press(.paste(text))
    return model
  }

  @Test func `duplicates are searched once typing pauses`() {
    var model = opened("https://example.org/b\nhttps://example.org/a\nnonsense")
    #expect(model.millisecondsToNextTick(at: Sample.now) == DuplicateSearch.delayMilliseconds)
    #expect(model.update(.ticked, at: later(200)) == [])
    _ = model.press(.character("x"), at: later(250))
    #expect(model.update(.ticked, at: later(400)) == [])
    #expect(
      model.update(.ticked, at: later(550))
        == [.service(.findDuplicates(["https://example.org/a", "https://example.org/b"]))])
    #expect(model.update(.ticked, at: later(1000)) == [])
    #expect(model.millisecondsToNextTick(at: later(20_000)) == nil)
  }

  @Test func `without the service duplicates are searched after reconnecting`() {
    var model = opened("https://example.org/a")
    _ = model.update(.linkChanged(.lost), at: Sample.now)
    #expect(model.update(.ticked, at: later(900)) == [])
    _ = model.update(.linkChanged(.connected), at: later(1000))
    #expect(
      model.update(.ticked, at: later(1100)) == [
        .service(.findDuplicates(["https://example.org/a"]))
      ])
  }

  @Test func `a duplicate is added when Enter is pressed again`() {
    var model = opened("https://example.org/a")
    _ = model.update(.duplicatesFound(found), at: Sample.now)
    #expect(
      model.screen().lines.contains { $0.contains("already in the list as 17 (done)") })
    #expect(model.press(.enter) == [])
    #expect(model.said == "1 is already in the list; press Enter again to add anyway")
    #expect(model.press(.enter).count == 1)
  }

  @Test func `editing the form resets the duplicate confirmation`() {
    var model = opened("https://example.org/a")
    _ = model.update(.duplicatesFound(found), at: Sample.now)
    _ = model.press(.enter, .character("b"), .backspace)
    #expect(model.press(.enter) == [])
    #expect(model.press(.enter).count == 1)
  }

  @Test func `a repeated line is reported`() {
    var model = opened("http://a/1\nhttp://a/2\nHTTP://A/1")
    #expect(model.screen().lines.contains { $0.contains("also on another line") })
    #expect(model.press(.enter) == [])
    #expect(model.said == "1 is repeated; press Enter again to add anyway")
    _ = model.press(.control("u"))
    #expect(model.press(.enter).count == 1)
  }
}
