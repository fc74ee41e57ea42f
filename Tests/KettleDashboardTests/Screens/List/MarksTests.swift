import KettleDashboard
import KettleModel
import Testing

/// Marks, and the transfers to which controls apply.
struct MarksTests {
  private func ids(_ numbers: Int64...) -> TransferSelection {
    .ids(numbers.map { TransferID(rawValue: $0) })
  }

  private func model(_ states: TransferState...) -> Dashboard {
    let rows = states.enumerated().map {
      Sample.row(Int64($0.offset) + 1, titled: "x", state: $0.element)
    }
    return Sample.model(columns: 80, rows: 24, showing: rows)
  }

  @Test func `without marks the row under the cursor is selected`() {
    var model = Sample.model(columns: 80, rows: 24)
    #expect(model.list.selected.selection == ids(1))
    #expect(model.list.selected.count == 1)
    model = Sample.model(columns: 80, rows: 24, showing: [])
    #expect(model.list.selected.selection == nil)
    #expect(model.list.selected.count == 0)
  }

  @Test func `Space toggles the mark and moves on`() {
    var model = Sample.model(columns: 80, rows: 24)
    _ = model.press(.character(" "), .down, .character(" "))
    #expect(model.list.cursor.index == 3)
    #expect(model.list.selected.selection == ids(1, 3))
    #expect(model.list.selected.count == 2)
    _ = model.press(.home, .character(" "))
    #expect(model.list.selected.selection == ids(3))
  }

  @Test func `marking the last row leaves the cursor there`() {
    var model = model(.running)
    _ = model.press(.character(" "))
    #expect(model.list.cursor.index == 0)
    #expect(model.list.selected.selection == ids(1))
  }

  @Test func `a long list is marked without listing ids`() {
    var model = Sample.model(columns: 80, rows: 24)
    let window = ListWindow(first: 0, matchingCount: 1_000_000, rows: Sample.rows)
    _ = model.update(.rowsArrived(window, Sample.totals), at: Sample.now)
    _ = model.press(.character("A"), .character(" "))
    #expect(
      model.list.selected.selection
        == .matching(
          RowFilter(scope: .uncleared, membership: .none), except: [TransferID(rawValue: 1)]))
    #expect(model.list.selected.count == 999_999)
    _ = model.press(.character("i"))
    #expect(model.list.selected.selection == ids(1))
    _ = model.press(.character("i"), .character("U"))
    #expect(model.list.selected.count == 1)
    #expect(model.list.selected.selection == ids(2))
    _ = model.press(.character("U"))
    #expect(model.said == "Nothing is marked; Space marks a row")
  }

  @Test func `controls apply to the marked rows, and the marks stay`() {
    var model = model(.paused, .running, .completed)
    _ = model.press(.character(" "), .character(" "))
    #expect(model.press(.character("p")) == [.service(.control(.pause, ids(1, 2)))])
    #expect(model.press(.character("s")) == [.service(.control(.start, ids(1, 2)))])
    #expect(model.press(.character("x")) == [.service(.control(.stop, ids(1, 2)))])
    #expect(model.list.selected.count == 2)
  }

  @Test func `p resumes when all marked transfers are paused`() {
    var model = model(.paused, .paused, .running)
    _ = model.press(.character(" "), .character(" "))
    #expect(model.press(.character("p")) == [.service(.control(.start, ids(1, 2)))])
  }

  @Test func `a reason for several transfers includes their count`() {
    var model = model(.completed, .completed, .running)
    _ = model.press(.character(" "), .character(" "))
    #expect(model.press(.character("s")) == [])
    #expect(model.said == "Not possible for any of the 2 marked: it is already finished")
    _ = model.press(.character(" "), .character("s"))
    #expect(model.said == "Not possible for any of the 3 marked")
    _ = model.press(.character("U"), .home, .character(" "), .character("s"))
    #expect(model.said == "It is already finished")
  }

  @Test func `rows that are not loaded are assumed to allow a control`() {
    var model = model(.completed)
    let window = ListWindow(
      first: 0, matchingCount: 50, rows: [Sample.row(1, titled: "x", state: .completed)])
    _ = model.update(.rowsArrived(window, Totals()), at: Sample.now)
    #expect(
      model.press(.character("A"), .character("s"))
        == [
          .service(
            .control(.start, .matching(RowFilter(scope: .uncleared, membership: .none), except: []))
          )
        ])
  }

  @Test
  func `removing marked rows asks with their count and clears the marks`() {
    var model = model(.paused, .running, .completed)
    _ = model.press(.character(" "), .character(" "), .character("d"))
    #expect(model.screen().lines.contains { $0.contains("Remove 2 transfers from the list?") })
    #expect(model.press(.character("n")) == [])
    #expect(model.list.selected.count == 2)
    #expect(
      model.press(.character("d"), .character("y")) == [
        .service(.remove(ids(1, 2), withFile: false))
      ])
    #expect(model.list.view.marks.isEmpty)
    _ = model.press(.character("A"))
    #expect(
      model.press(.character("D"), .character("y"))
        == [
          .service(
            .remove(
              .matching(RowFilter(scope: .uncleared, membership: .none), except: []), withFile: true
            ))
        ])
  }

  @Test func `a new link applies to one transfer`() {
    var model = model(.failed, .failed)
    _ = model.press(.character(" "), .character("u"))
    #expect(model.keyContext == .entry)
    _ = model.press(.escape, .character(" "), .character("u"))
    #expect(model.keyContext == .list)
    #expect(model.said == "A link applies to one transfer; U clears the marks")
  }

  @Test func `marks of deleted transfers are not counted`() {
    var model = model(.paused, .running, .completed)
    _ = model.press(.character("A"), .character("i"))
    #expect(model.list.view.marks.isEmpty)
    _ = model.press(.character(" "), .character(" "))
    let rows = [Sample.row(2, titled: "x", state: .running)]
    _ = model.update(
      .rowsArrived(ListWindow(first: 0, matchingCount: 1, rows: rows), Totals()), at: Sample.now)
    #expect(model.list.selected.selection == ids(2))
    let refused = [ControlRefusal(id: TransferID(rawValue: 2), why: .unknown)]
    _ = model.update(
      .commandFinished(.controlled(.pause, appliedCount: 0, refused: refused)), at: Sample.now)
    #expect(model.list.view.marks.isEmpty)
  }

  @Test func `marks are shown in the rows and counted below them`() {
    var model = model(.paused, .running, .completed)
    _ = model.press(.character(" "), .down, .character(" "))
    expectScreen(
      model.screen(),
      """
       ♨ ↓ 0 B/s                    ▶1 ‖1 ✔1                  0 of 1 done ──────────
         File                  Progress                      Size      Speed    Left
       ‖◆x                     paused
       ▶ x                     ────━━━─────────                        0 B/s
      ▌✔◆x                     done                           0 B
      (16 empty lines)
       2 marked   Esc clears it
                                                                                  3/3
       s start  p resume  Enter details  D delete file │ a add │ ? keys  q leave
      """)
    expectScreen(
      model.screen(.ascii),
      """
       k v 0 B/s                    *1 =1 +1                  0 of 1 done ..........
         File                  Progress                      Size      Speed    Left
       =xx                     paused
       * x                     ....===.........                        0 B/s
      >+xx                     done                           0 B
      (16 empty lines)
       2 marked   Esc clears it
                                                                                  3/3
       s start  p resume  Enter details  D delete file | a add | ? keys  q leave
      """)
  }

  @Test func `a question about a filter shows the current match count`() {
    var model = Sample.model(columns: 80, rows: 24)
    let count = model.list.window?.matchingCount ?? 0
    _ = model.press(.character("A"), .character("d"))
    #expect(
      model.screen().lines.contains {
        $0.contains("Remove all transfers that match the filter (\(count) now)")
      })
    _ = model.press(.character("n"), .character("g"), .character(" "), .character("d"))
    #expect(
      model.screen().lines.contains {
        $0.contains("except the unmarked ones (at most \(count) now)")
      })
  }

  @Test func `a terminal that is too small accepts only suspend and leave`() {
    var model = Sample.model(columns: 80, rows: 24)
    _ = model.press(.character("A"), .character("d"))
    _ = model.update(.resized(ScreenSize(columns: 30, rows: 6)), at: Sample.now)
    #expect(model.press(.character("y")).isEmpty)
    #expect(model.press(.character("X")).isEmpty)
    #expect(model.screens.count == 1)
    #expect(model.press(.control("z")) == [.terminal(.suspend)])
    #expect(model.press(.character("q")) == [.terminal(.leave)])
  }
}
