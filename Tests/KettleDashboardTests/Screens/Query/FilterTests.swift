import KettleModel
import Testing

@testable import KettleDashboard

/// The filter of the list.
struct FilterTests {
  private let list = LongList(200) { number, row in
    if number % 10 == 0 { row.state = .failed }
    if number % 50 == 7 { (row.state, row.reason) = (.waiting, .needsLogin) }
    if number % 50 == 8 { (row.state, row.reason) = (.waiting, .retry) }
  }

  @Test func `a filter applies after every character`() {
    var model = list.model()
    list.press(.character("\\"), in: &model)
    #expect(model.keyContext == .query)
    list.type("state:f", in: &model)
    #expect(
      model.list.view.filter == RowFilter(states: [.failed], scope: .uncleared, membership: .none))
    #expect(model.list.window?.matchingCount == 20)
    list.press(.enter, in: &model)
    #expect(model.keyContext == .list)
    #expect(model.list.view.filterText == "state:f")
  }

  @Test func `an exclamation mark shows only what needs the user, and then all again`() {
    var model = list.model()
    list.press(.character("!"), in: &model)
    #expect(model.list.view.filterText == "needs:you")
    #expect(model.list.window?.rows.map(\.id.rawValue) == [7, 57, 107, 157])
    list.press(.character("!"), in: &model)
    #expect(model.list.view.filterText == "")
    #expect(model.list.window?.matchingCount == 200)
  }

  @Test func `the list comes back when nothing needs the user any more`() {
    var model = list.model()
    let asked = model.update(.keyPressed(.character("!")), at: Sample.now)
    list.answer(asked, &model)
    var answered = list
    for index in answered.rows.indices { answered.rows[index].reason = nil }
    answered.answer(asked, &model)
    #expect(model.list.view.filterText == "")
    #expect(model.said == "Nothing needs you")
    #expect(model.list.window?.matchingCount == 200)
  }

  @Test func `an exclamation mark says when nothing waits`() {
    let list = LongList(3)
    var model = list.model()
    list.press(.character("!"), in: &model)
    #expect(model.said == "Nothing needs you")
    #expect(model.list.view.filterText == "")
  }

  @Test func `an invalid filter keeps the last valid one`() {
    var model = list.model()
    list.press(.character("\\"), in: &model)
    list.type("state:failed h:", in: &model)
    #expect(model.list.view.filter.states == [.failed])
    #expect(list.press(.enter, in: &model) == [])
    #expect(
      model.said == "Unknown \"h:\"; use state:, host:, queue:, session:, needs:you or hook:failed")
    #expect(model.keyContext == .query)
    list.press(.backspace, .backspace, .enter, in: &model)
    #expect(model.keyContext == .list)
  }

  @Test func `Esc in the field restores the previous filter and row`() {
    var model = list.model()
    list.press(.down, .down, .down, .character("\\"), in: &model)
    list.type("state:failed", in: &model)
    #expect(model.list.cursorRow?.id == TransferID(rawValue: 0))
    list.press(.escape, in: &model)
    #expect(model.list.view.filter == RowFilter(scope: .uncleared, membership: .none))
    #expect(model.list.cursorRow?.id == TransferID(rawValue: 3))
  }

  @Test func `the cursor stays on its transfer if it matches the filter`() {
    var model = list.model()
    list.press(.end, .character("\\"), in: &model)
    #expect(model.list.cursor.index == 199)
    list.type("file 199", in: &model)
    #expect(model.list.cursorRow?.id == TransferID(rawValue: 199))
    #expect(model.list.cursor.index == 0)
    list.press(.enter, .escape, in: &model)
    #expect(model.said == "Filter cleared")
    #expect(model.list.cursor.index == 199)
    #expect(model.list.cursorRow?.id == TransferID(rawValue: 199))
  }

  @Test func `Esc in the list clears the search, then the filter, then the marks`() {
    var model = list.model()
    list.press(.character(" "), .character("\\"), in: &model)
    list.type("file", in: &model)
    list.press(.enter, .character("/"), in: &model)
    list.type("9", in: &model)
    list.press(.enter, in: &model)
    let words = [
      "Search ended", "Filter cleared", "Marks cleared",
      "Nothing to clear",
    ]
    for word in words {
      list.press(.escape, in: &model)
      #expect(model.said == word)
    }
    #expect(model.list.view.marks.isEmpty && !model.list.search.isOn && !model.list.view.isFiltered)
  }

  @Test func `late rows of a previous filter are ignored`() {
    var model = list.model()
    let asked = model.press(.character("\\"), .character("9"))
    let late = ListWindow(first: 0, matchingCount: 200, rows: list.rows, tag: 0)
    _ = model.update(.rowsArrived(late, Totals()), at: Sample.now)
    #expect(model.list.window?.rows.count == 28)
    list.answer(asked, &model)
    #expect(model.list.window?.matchingCount == 38)
  }

  @Test func `marks of a previous filter are cleared`() {
    var model = list.model()
    list.press(.character("A"), in: &model)
    #expect(model.list.selected.count == 200)
    list.press(.character("\\"), in: &model)
    list.type("9", in: &model)
    #expect(model.list.view.marks.isEmpty)
    #expect(
      model.said == "Marks cleared: they applied to the previous filter")
    // Individual marks are kept.
    list.press(.enter, .character(" "), .character("\\"), .control("u"), .enter, in: &model)
    #expect(model.list.selected.selection == .ids([TransferID(rawValue: 9)]))
  }

  @Test func `marking all matches uses the filter, not ids`() {
    var model = list.model()
    list.press(.character("\\"), in: &model)
    list.type("state:failed", in: &model)
    list.press(.enter, .character("A"), in: &model)
    let failed = RowFilter(states: [.failed], scope: .uncleared, membership: .none)
    #expect(
      list.press(.character("s"), in: &model) == [
        .service(.control(.start, .matching(failed, except: [])))
      ])
    #expect(model.list.selected.count == 20)
  }

  @Test func `Up and Down recall earlier entries`() {
    var model = list.model()
    for text in ["one", "two", "one"] {
      list.press(.character("\\"), .control("u"), in: &model)
      list.type(text, in: &model)
      list.press(.enter, in: &model)
    }
    list.press(.character("\\"), .control("u"), in: &model)
    list.type("x", in: &model)
    func text() -> String? { model.list.query?.text }
    list.press(.up, in: &model)
    #expect(text() == "one")
    list.press(.up, .up, .up, in: &model)
    #expect(text() == "two")
    list.press(.down, .down, .down, in: &model)
    #expect(text() == "x")
  }

  @Test func `a click on a count filters by it, a second one clears the filter`() {
    var model = list.model()
    var effects = model.click(on: .failed)
    list.answer(effects, &model)
    #expect(model.list.view.filterText == "state:failed")
    effects = model.click(on: .queued)
    list.answer(effects, &model)
    #expect(model.list.view.filterText == "state:queued")
    effects = model.click(on: .queued)
    list.answer(effects, &model)
    #expect(!model.list.view.isFiltered)
  }

  @Test func `the field and the filter in 80 columns`() {
    var model = list.model(columns: 80, rows: 24)
    list.press(.character("\\"), in: &model)
    list.type("state:lost", in: &model)
    expectScreen(
      model.screen(),
      """
       ♨ ↓ 0 B/s                    ◷7 ·172 ⚑1 ✘20          0 of 180 done ──────────
         File                  Progress                      Size      Speed    Left
      ▌✘ file 0                failed                                                ┃
       · file 1                queued                                                │
       · file 2                queued                                                │
       · file 3                queued                                                │
       · file 4                queued                                                │
       · file 5                queued                                                │
       · file 6                queued                                                │
       ⚑ file 7                example.org wants a login           u log in  s retry │
       ◷ file 8                retrying now                                          │
       · file 9                queued                                                │
       ✘ file 10               failed                                                │
       · file 11               queued                                                │
       · file 12               queued                                                │
       · file 13               queued                                                │
       · file 14               queued                                                │
       · file 15               queued                                                │
       · file 16               queued                                                │
       · file 17               queued                                                │
       · file 18               queued                                                │
       Filter: state:lost
       Use one of idle scheduled queued running waiting paused verifying done failed
       Esc cancel  Ctrl-U clear line │ Enter keep it  Tab complete  Up earlier
      """)
    #expect(
      model.screen().cursor
        == model.screen().position(of: "lost").map {
          Frame.Position(row: $0.row, column: $0.column + 4)
        })
    list.press(.control("u"), in: &model)
    list.type("file 19", in: &model)
    list.press(.enter, .character(" "), in: &model)
    expectScreen(
      model.screen(),
      """
       ♨ ↓ 0 B/s                    ◷8 ·172 ✘20             0 of 180 done ──────────
         File                  Progress                      Size      Speed    Left
       ·◆file 19               queued
      ▌· file 119              queued
       ✘ file 190              failed
       · file 191              queued
       · file 192              queued
       · file 193              queued
       · file 194              queued
       · file 195              queued
       · file 196              queued
       · file 197              queued
       · file 198              queued
       · file 199              queued
      (7 empty lines)
       1 marked   Filter: file 19 (12)   Esc clears it
                                                                                 2/12
       p pause Enter details d remove l limit │ a add │ : everything ? keys q leave
      """)
  }

  @Test func `the field and the filter in 40 columns`() {
    var model = list.model(columns: 40, rows: 10)
    list.press(.character("\\"), in: &model)
    list.type("state:lost", in: &model)
    expectScreen(
      model.screen(),
      """
       ♨ ↓ 0 B/s       ◷7 ·172 ⚑1 ✘20
         File                   %      Speed
      ▌✘ file 0             failed           ┃
       · file 1             queued           │
       · file 2             queued           │
       · file 3             queued           │
       · file 4             queued           │
       Filter: state:lost
       Unknown state "lost"             1/200
       Esc cancel │ Enter keep it Tab complete
      """)
    #expect(
      model.screen().cursor
        == model.screen().position(of: "lost").map {
          Frame.Position(row: $0.row, column: $0.column + 4)
        })
    list.press(.control("u"), in: &model)
    list.type("file 19", in: &model)
    list.press(.enter, .character(" "), in: &model)
    expectScreen(
      model.screen(),
      """
       ♨ ↓ 0 B/s       ◷8 ·172 ✘20
         File                   %      Speed
       ·◆file 19            queued           ┃
      ▌· file 119           queued           ┃
       ✘ file 190           failed           │
       · file 191           queued           │
       · file 192           queued           │
       1 marked   Filter: file 19 (12)
                                         2/12
       p pause Enter details │ ? keys q leave
      """)
  }

  @Test func `an empty filter result shows a message`() {
    var model = list.model(columns: 60, rows: 12)
    list.press(.character("\\"), in: &model)
    list.type("nowhere", in: &model)
    list.press(.enter, in: &model)
    expectScreen(
      model.screen(),
      """
       ♨ ↓ 0 B/s       ◷8 ·172 ✘20        0 of 180 done ────────
         File              Progress                Speed    Left


                       Nothing matches the filter
                                nowhere
                             Esc clears it


       Filter: nowhere (0)   Esc clears it

       l limit │ a add  z undo │ : everything  ? keys  q leave
      """)
    list.press(.character("d"), in: &model)
    #expect(model.said == "Nothing matches the filter; Esc clears it")
  }

  @Test func `Right shows the files of a collection, and Left leaves them`() throws {
    var model = Sample.model(columns: 80, rows: 24)
    var row = try #require(Sample.rows.first)
    let url = try TransferURL.parse("https://example.org/pub/").get().url
    row.collection = CollectionProgress(
      CollectionRequest(CollectionSource(.index, name: url.text, url: url)))
    let window = ListWindow(first: 0, matchingCount: 1, rows: [row])
    _ = model.update(.rowsArrived(window, Sample.totals), at: Sample.now)
    _ = model.press(.right)
    #expect(model.list.view.filterText == "collection:\(row.id)")
    #expect(model.list.view.filter == RowFilter(scope: .uncleared, membership: .of(row.id)))
    _ = model.press(.left)
    #expect(model.list.view.filter == RowFilter(scope: .uncleared, membership: .none))
  }

  /// A collection of files in three directories.
  private func collection() throws -> LongList {
    var list = LongList(0)
    list.isGrouped = true
    var head = Sample.row(1, titled: "hf://org/model", state: .waiting)
    let url = try TransferURL.parse("https://example.org/pub/").get().url
    head.collection = CollectionProgress(
      CollectionRequest(CollectionSource(.index, name: "hf://org/model", url: url)))
    list.rows = [head]
    let states: [TransferState] = [.completed, .running, .queued, .completed, .completed, .queued]
    let paths = ["README.md", "b/1.bin", "b/2.bin", "a/x", "a/y", "a/in/z"]
    for (number, (path, state)) in zip(paths, states).enumerated() {
      var row = Sample.row(Int64(number) + 2, titled: "no title", state: state)
      row.member = MemberRole(
        collection: head.id, number: Int64(number), path: try #require(MemberPath(foreign: path)))
      list.rows.append(row)
    }
    return list
  }

  @Test func `the files of a collection are below their directories`() throws {
    let list = try collection()
    var model = list.model(columns: 60, rows: 18)
    list.press(.home, .right, in: &model)
    expectScreen(
      model.screen(),
      """
       ♨ ↓ 0 B/s       ▶1 ◷1 ·2 ✔3          0 of 4 done ────────
         File              Progress                Speed    Left
       ▾ ./ 1 done ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
      ▌✔ README.md         done
       ▾ a/ 2 done ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
       ✔ x                 done
       ✔ y                 done
       ▾ a/in/ 1 ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
       · z                 queued
       ▾ b/ 2 ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
       ▶ 1.bin             ──────━━━───            0 B/s
       · 2.bin             queued
      (3 empty lines)
       Filter: collection:1 (6)   Esc clears it
                                                              1/6
       Enter details  D delete file │ a add │ ? keys  q leave
      """)
  }

  @Test func `Left folds a directory, and then leaves the files`() throws {
    let list = try collection()
    var model = list.model()
    list.press(.home, .right, .end, .left, in: &model)
    #expect(model.list.view.folded == [.directory("b")])
    #expect(model.list.choices == DashboardChoices())
    #expect(model.screen().lines.contains { $0.contains("▸ b/ 2") })
    list.press(.left, in: &model)
    #expect(model.list.view.openCollection == nil)
    #expect(model.list.cursorRow?.id == list.rows[0].id)
    // The next time nothing is folded.
    list.press(.right, in: &model)
    #expect(model.list.view.folded.isEmpty)
  }

  @Test func `a key that is held folds nothing while the other list is on its way`() throws {
    let list = try collection()
    var model = list.model()
    list.press(.home, .right, .left, in: &model)
    // The replies are late from here on.
    let leaving = model.press(.left)
    _ = model.press(.left)
    #expect(model.said == "This row has not loaded yet")
    #expect(model.list.choices == DashboardChoices())
    list.answer(leaving, &model)
    #expect(model.list.cursorRow?.id == list.rows[0].id)
    let late = model.press(.right) + model.press(.left)
    #expect(model.list.view.openCollection == nil)
    list.answer(late, &model)
    #expect(model.list.view.folded.isEmpty)
    #expect(model.list.cursorRow?.id == list.rows[0].id)
  }

  @Test func `the cursor stays on its line when a file ends`() throws {
    var list = try collection()
    var model = list.model()
    list.press(.home, .right, .end, .up, in: &model)
    #expect(model.list.cursorRow?.shownTitle == "b/1.bin")
    let line = model.list.cursor.index
    list.rows[2].state = .completed
    let viewport = Viewport(filter: model.list.view.filter, sort: model.list.view.sort)
    _ = model.update(.rowsArrived(list.window(viewport), Sample.totals), at: Sample.now)
    #expect(model.list.cursor.index == line)
    #expect(model.list.cursorRow?.shownTitle == "b/2.bin")
  }

  @Test func `only files of a collection are grouped by directory`() throws {
    let list = try collection()
    var model = list.model()
    func group(_ name: String) {
      list.press(.character(":"), in: &model)
      list.type("group \(name)", in: &model)
      list.press(.enter, in: &model)
    }
    group("directory")
    #expect(model.list.view.sort.grouping == .work)
    #expect(
      model.said
        == "Only the files of a collection are grouped by directory; Right on its row shows them")
    list.press(.home, .right, in: &model)
    group("none")
    #expect(model.list.view.sort.grouping == nil)
    group("directory")
    #expect(model.list.view.sort.grouping == .directories)
    list.press(.left, .left, in: &model)
    #expect(model.list.view.sort.grouping == .work)
  }
}
