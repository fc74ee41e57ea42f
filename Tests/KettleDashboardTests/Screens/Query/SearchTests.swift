import KettleDashboard
import KettleModel
import Testing

/// Search: the cursor moves to the rows that contain the words.
struct SearchTests {
  private let list = LongList(1000)

  private func id(_ number: Int64) -> TransferID { TransferID(rawValue: number) }

  @Test func `the cursor moves to the first match while typing`() {
    var model = list.model()
    list.press(.down, .down, .down, .character("/"), in: &model)
    list.type("5", in: &model)
    #expect(model.list.cursorRow?.id == id(5))
    list.type("7", in: &model)
    #expect(model.list.cursorRow?.id == id(57))
    list.type("7", in: &model)
    #expect(model.list.cursorRow?.id == id(577))
    list.press(.backspace, in: &model)
    #expect(model.list.cursorRow?.id == id(57))
    list.press(.enter, in: &model)
    #expect(model.keyContext == .list)
    #expect(model.list.search.text == "57")
  }

  @Test func `a visible match needs no request`() {
    var model = list.model()
    #expect(model.press(.character("/"), .character("9")) == [])
    #expect(model.list.cursorRow?.id == id(9))
  }

  @Test func `n and N move through the matches and report wrapping`() {
    var model = list.model()
    list.press(.character("/"), in: &model)
    list.type("99", in: &model)
    list.press(.enter, .character("n"), in: &model)
    #expect(model.list.cursorRow?.id == id(199))
    #expect(model.said == nil)
    list.press(.character("N"), .character("N"), in: &model)
    #expect(model.list.cursorRow?.id == id(999))
    #expect(model.said == "Continued from the last row")
    list.press(.character("n"), in: &model)
    #expect(model.list.cursorRow?.id == id(99))
    #expect(model.said == "Continued from the first row")
  }

  @Test func `Esc returns to where the search started`() {
    var model = list.model()
    list.press(.down, .character("/"), in: &model)
    list.type("800", in: &model)
    #expect(model.list.cursor.index == 800)
    list.press(.escape, in: &model)
    #expect(model.list.cursorRow?.id == id(1))
    #expect(!model.list.search.isOn)
  }

  @Test func `Enter on an empty search repeats the last one`() {
    var model = list.model()
    list.press(.character("/"), in: &model)
    list.type("file 12", in: &model)
    list.press(.enter, .character("/"), .enter, in: &model)
    #expect(model.list.cursorRow?.id == id(112))
    list.press(.character("/"), .up, in: &model)
    #expect(model.list.cursorRow?.id == id(112))
  }

  @Test func `a search without a match shows a message and keeps the cursor`() {
    var model = list.model()
    list.press(.down, .character("/"), in: &model)
    list.type("nowhere", in: &model)
    #expect(model.said == "No match for \"nowhere\"")
    #expect(model.list.cursorRow?.id == id(1))
  }

  @Test func `n without a search explains how to start one`() {
    var model = list.model()
    #expect(model.press(.character("n")) == [])
    #expect(model.said == "There is no search yet; / starts one")
  }

  @Test func `only one search request is pending, and its reply triggers the next`() {
    var model = list.model()
    let first = model.press(.character("/"), .character("7"), .character("7"), .character("7"))
    #expect(first.count == 1)
    let second = list.answer(first, &model)
    #expect(second == [])
    #expect(model.list.cursorRow?.id == id(777))
  }

  @Test func `a late reply is ignored`() throws {
    var model = list.model()
    let asked = model.press(.character("/"), .character("7"), .character("7"), .character("7"))
    guard case .service(.find(let search)) = try #require(asked.first) else { return }
    _ = model.press(.escape)
    _ = model.update(
      .found(search, FoundRow(id: id(77), index: 77, hasWrapped: false)), at: Sample.now)
    #expect(model.list.cursor.index == 0)
  }

  @Test func `matches are highlighted in the rows, and hidden matches are explained`() throws {
    var model = Sample.model(columns: 80, rows: 24)
    _ = model.press(.character("/"))
    _ = model.type("OVERVIEW")
    _ = model.press(.enter)
    let frame = model.screen()
    let place = try #require(frame.position(of: "Overview"))
    let style = frame.row(place.row)
    #expect(style[style.startIndex + place.column].style.attributes.contains(.underline))
    #expect(!style[style.startIndex + place.column - 2].style.attributes.contains(.underline))
    _ = model.press(.down, .down, .down, .character("/"))
    _ = model.type("AVFoundation.pdf")
    _ = model.press(.enter)
    #expect(model.screen().lines[22].hasPrefix(" \"avfoundation.pdf\" is in its path  "))
  }

  @Test func `the matches are counted when all rows are loaded`() {
    var model = Sample.model(columns: 80, rows: 24)
    _ = model.press(.character("/"))
    _ = model.type("overview")
    #expect(model.screen().lines[22].hasPrefix(" 1 of 2 "))
    _ = model.press(.enter, .character("n"))
    #expect(model.screen().lines[21] == " Search: overview (2 of 2)   Esc clears it")
    _ = model.press(.down)
    #expect(model.screen().lines[21] == " Search: overview (2 matches)   Esc clears it")
    var long = list.model()
    list.press(.character("/"), in: &long)
    list.type("57", in: &long)
    list.press(.enter, in: &long)
    #expect(long.screen().lines[21] == " Search: 57   Esc clears it")
  }

  @Test func `a search in 40 columns`() {
    var model = Sample.model(columns: 40, rows: 10)
    _ = model.press(.character("/"))
    _ = model.type("overview")
    expectScreen(
      model.screen(),
      """
       ♨ ↓ 12.6 MiB/s  ▶3 ◷2 ·1 ‖1 ⚑1 ✔1 ✘1
         File                   %      Speed
      ▌▶ Networking …erview   61% 12.1 MiB/s ┃
       ‖ iOS Technol…erview   22%     paused │
       ◷ Archive of 2025    retry in 12 s    │
       ✔ AV Foundati… Guide done 14:02       │
       ▶ A stream wi…length        500 KiB/s │
       Search: overview
       1 of 2                            1/15
       Esc cancel │ Enter keep it Tab complete
      """)
    _ = model.press(.enter)
    expectScreen(
      model.screen(.ascii),
      """
       k v 12.6 MiB/s  *3 ~2 .1 =1 !1 +1 !1
         File                   %      Speed
      >* Networking ~erview   61% 12.1 MiB/s #
       = iOS Technol~erview   22%     paused |
       ~ Archive of 2025    retry in 12 s    |
       + AV Foundati~ Guide done 14:02       |
       * A stream wi~length        500 KiB/s |
       Search: overview (1 of 2)
                                         1/15
       p pause Enter details | ? keys q leave
      """)
  }
}
