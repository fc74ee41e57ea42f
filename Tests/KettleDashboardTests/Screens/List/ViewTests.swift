import KettleDashboard
import KettleModel
import Testing

/// Following, freezing, the history and clearing.
struct ViewTests {
  private var list = LongList(500) { number, row in
    if number == 499 { row.state = .completed }
  }

  private mutating func shuffle(moving number: Int64, to index: Int) {
    let row = list.rows.remove(at: list.rows.firstIndex { $0.id.rawValue == number } ?? 0)
    list.rows.insert(row, at: index)
  }

  /// Sends the current rows again.
  private func refresh(_ model: inout Dashboard, _ asked: [DashboardEffect]) {
    guard case .service(.subscribe(let viewport)) = asked.last else { return }
    list.answer(
      model.update(.rowsArrived(list.window(viewport), Totals()), at: Sample.now), &model)
  }

  @Test mutating func `the cursor follows its transfer over a short distance`() {
    var model = list.model()
    _ = model.press(.down, .down, .down)
    shuffle(moving: 3, to: 10)
    refresh(&model, [.service(.subscribe(.unfiltered(first: 0, count: 27)))])
    #expect(model.list.cursor.index == 10)
    #expect(model.list.cursor.firstVisible == 0)
  }

  @Test mutating func `without follow mode the cursor keeps its position when its row moves far`() {
    var model = list.model()
    _ = model.press(.down, .down, .down)
    shuffle(moving: 3, to: 400)
    refresh(&model, [.service(.subscribe(.unfiltered(first: 0, count: 27)))])
    #expect(model.list.cursor.index == 3)
    #expect(model.list.cursorRow?.id == TransferID(rawValue: 4))
    #expect(model.list.cursor.id == TransferID(rawValue: 4))
  }

  @Test mutating func `in follow mode the view scrolls so that the row keeps its screen line`() {
    var model = list.model()
    list.press(.down, .down, .down, in: &model)
    let asked = model.press(.character("F"))
    #expect(model.screen().position(of: "following") != nil)
    list.answer(asked, &model)
    shuffle(moving: 3, to: 400)
    refresh(&model, asked)
    #expect(model.list.cursor.index == 400)
    #expect(model.list.cursorRow?.id == TransferID(rawValue: 3))
    #expect(model.list.cursor.firstVisible == 397)
    list.press(.character("F"), in: &model)
    #expect(model.said == "No longer following")
  }

  @Test func `frozen rows stay while the totals update`() {
    var model = list.model()
    _ = model.press(.character("Z"))
    var totals = Totals()
    totals.bytesPerSecond = 1 << 20
    _ = model.update(
      .rowsArrived(ListWindow(first: 0, matchingCount: 1, rows: [list.rows[7]]), totals),
      at: Sample.now)
    #expect(model.list.window?.matchingCount == 500)
    #expect(model.service.totals.bytesPerSecond == 1 << 20)
    #expect(model.screen().position(of: "FROZEN, Z resumes") != nil)
    #expect(model.press(.end) == [])
    #expect(model.list.cursor.index == 27)
    #expect(model.press(.down) == [])
    #expect(model.said == "The rows are frozen, so no others are loaded; Z resumes")
    _ = model.wheel(.wheelDown)
    #expect(model.list.cursor.index == 27)
    let effects = model.press(.character("Z"))
    #expect(effects.count == 1)
    list.answer(effects, &model)
    #expect(model.screen().position(of: "FROZEN") == nil)
  }

  @Test func `changing the sort order unfreezes the rows`() {
    var model = list.model()
    list.press(.character("Z"), .character("I"), in: &model)
    #expect(!model.list.isFrozen)
  }

  @Test func `H shows finished transfers, newest first, including cleared ones`() throws {
    var model = list.model()
    let effects = model.press(.character("H"))
    guard case .service(.subscribe(let viewport)) = try #require(effects.first) else { return }
    #expect(viewport.filter == RowFilter(states: [.completed], membership: .none))
    #expect(model.list.cursor.index == 0)
    #expect(viewport.sort == RowSort(key: .finishedAt, isDescending: true))
    list.answer(effects, &model)
    #expect(model.list.cursorRow?.id == TransferID(rawValue: 499))
    list.press(.escape, in: &model)
    #expect(model.list.view.kind == .transfers)
  }

  @Test func `each view keeps its filter, its order and its marks`() {
    var model = list.model()
    list.press(.character(" "), .character("\\"), in: &model)
    list.type("9", in: &model)
    list.press(.enter, .character("H"), in: &model)
    #expect(model.list.view.filterText == "" && model.list.view.marks.isEmpty)
    list.press(.character("\\"), in: &model)
    list.type("iso", in: &model)
    list.press(.enter, in: &model)
    #expect(
      model.list.view.filter == RowFilter(states: [.completed], text: "iso", membership: .none))
    #expect(model.list.window?.matchingCount == 0)
    list.press(.character("H"), in: &model)
    #expect(
      model.list.view.filterText == "9" && model.list.view.sort == RowSort(isGrouped: true)
        && !model.list.view.marks.isEmpty)
    list.press(.character("H"), in: &model)
    #expect(model.list.view.filterText == "iso")
  }

  @Test func `End pressed before a view's rows arrive moves to its end`() {
    var model = list.model()
    list.press(.character("H"), in: &model)
    let back = model.press(.character("H"))
    let end = model.press(.character("G"))
    list.answer(back + end, &model)
    #expect(model.list.cursor.index == 499)
    #expect(model.list.cursorRow?.id == list.rows.last?.id)
    list.press(.character("H"), in: &model)
    let again = model.press(.character("H"))
    let top = model.press(.character("g"))
    list.answer(again + top, &model)
    #expect(model.list.cursor.index == 0)
  }

  @Test func `a refused login is said`() {
    func row(_ state: TransferState) -> TransferSnapshot {
      Sample.row(1, titled: "secret.zip", state: state) { row in
        if state == .waiting { row.reason = .needsLogin }
      }
    }
    var model = Sample.model(columns: 80, rows: 24, showing: [row(.waiting)])
    _ = model.update(
      .commandFinished(.relinked(TransferID(rawValue: 1), hasLogin: true, refused: [])),
      at: Sample.now)
    func arrives(_ state: TransferState) {
      let window = ListWindow(first: 0, matchingCount: 1, rows: [row(state)])
      _ = model.update(.rowsArrived(window, Sample.totals(of: [row(state)])), at: Sample.now)
    }
    // What is shown may be from before.
    arrives(.waiting)
    #expect(model.said == "Trying again with the login: \"secret.zip\"")
    arrives(.running)
    arrives(.waiting)
    #expect(
      model.said == "Example.org refuses that login for secret.zip; press u to log in again")
  }

  @Test func `c clears finished transfers and points to the history`() {
    var model = Sample.model(columns: 80, rows: 24)
    #expect(model.press(.character("c")) == [.service(.clearFinished)])
    _ = model.update(.commandFinished(.cleared(count: 3)), at: Sample.now)
    #expect(model.said == "3 transfers cleared from view; H shows them (z: undo)")
    _ = model.update(.commandFinished(.cleared(count: 0)), at: Sample.now)
    #expect(model.said == "All finished transfers are already cleared; H shows them")
    model = LongList(3).model()
    _ = model.press(.character("c"))
    #expect(model.said == "Nothing is finished")
  }

  private static func history(columns: Int, rows: Int) -> Dashboard {
    var model = Sample.model(columns: columns, rows: rows)
    _ = model.press(.character("H"))
    let day: Int64 = 86_400
    let done = [
      Sample.row(4, titled: "AV Foundation Guide", state: .completed) {
        $0.bytesExpected = 11 * Sample.mebibyte
        $0.finishedAt = Sample.time(seconds: -7320)
      },
      Sample.row(21, titled: "Debian 13 netinst, which has a long name", state: .completed) {
        $0.url = "https://cdimage.example.org/debian.iso"
        $0.bytesExpected = 700 * Sample.mebibyte
        $0.finishedAt = Sample.time(seconds: -3 * day)
      },
      Sample.row(22, titled: "文件传输指南", state: .completed) {
        $0.url = "https://[2001:db8::1]:8443/x"
        $0.bytesReceived = 12
        $0.finishedAt = Sample.time(seconds: -400 * day)
      },
    ]
    _ = model.update(
      .rowsArrived(ListWindow(first: 0, matchingCount: 3, rows: done), Sample.totals),
      at: Sample.now)
    return model
  }

  @Test func `the history in 80 columns`() {
    var model = Self.history(columns: 80, rows: 24)
    expectScreen(
      model.screen(),
      """
       ♨ ↓ 12.6 MiB/s  ▶3 ≡1 ◷3 ·1 ◔2 ‖1 ○2 ✔1 ✘1              42% ━━━───── 1:30 left
         Day                 File               Size  Host                Finished ↓
      ▌✔ today               AV Foun…uide     11 MiB  example.org              09:58
       ✔ 18 Nov              Debian …name    700 MiB  cdimage.example.o…       12:00
       ✔ 2025-10-17          文件传输指南       12 B  [2001:db8::1]            12:00
      (16 empty lines)
       History, H goes back
                                                                                  1/3
       Enter details  d remove  D delete file │ a add │ : everything  ? keys  q leave
      """)
    _ = model.press(.character("J"))
    #expect(model.said == "Finished transfers are not in the queue")
    _ = model.press(.character("c"))
    #expect(model.said == "The history cannot be cleared; d removes a transfer")
  }

  @Test func `the history in 40 columns and ASCII`() {
    expectScreen(
      Self.history(columns: 40, rows: 10).screen(.ascii),
      """
       k v 12.6 MiB/s  *3 #1 ~3 .1 =1 +1 !1
         File             Size    Finished v
      >+ AV Fou~ide     11 MiB         09:58
       + Debian~ame    700 MiB  18 Nov 12:00
       + ??????           12 B    2025-10-17


       History, H goes back
                                          1/3
       Enter details | a add | ? keys  q leave
      """)
  }

  @Test func `the history in 140 columns`() {
    expectScreen(
      Self.history(columns: 140, rows: 40).screen(),
      """
       ♨ kettle   ↓ 12.6 MiB/s    ▶ 3  ≡ 1  ◷ 3  · 1  ◔ 2  ‖ 1  ○ 2  ✔ 1  ✘ 1                                        42% ━━━━━───────── 1:30 left
      ╭─┤¹speed├──────────────────────────────────────────────────────────────────────┤2:48├─╮╭─┤²hosts├─────────────────────────────────────────╮
      │ 15 MiB/s                                                                           ⣀ ││                                                  │
      │                                                                                    ⣿ ││                                                  │
      │                                                                                    ⣿ ││                                                  │
      │ 7.5 MiB/s                                                                          ⣿ ││                                                  │
      │                                                                                    ⣿ ││                                                  │
      │                                                                                    ⣿ ││                          181 GiB left afterwards │
      ╰─┤now 12.6 MiB/s · average 12.6 MiB/s · peak 12.6 MiB/s├──────────────────────────────╯╰──────────────────────────────────────────────────╯
      ╭─┤³history├────────────────────────────────────────────────────────────────────────────────────────────────┤by time finished, descending├─╮
      │   Day                 File                                                           Size  Host                              Finished ↓  │
      │▌✔ today               AV Foundation Guide                                          11 MiB  example.org                            09:58  │
      │ ✔ 18 Nov              Debian 13 netinst, which has a long name                    700 MiB  cdimage.example.org                    12:00  │
      │ ✔ 2025-10-17          文件传输指南                                                   12 B  [2001:db8::1]                          12:00  │
      │                                                                                                                                          │
      │                                                                                                                                          │
      │                                                                                                                                          │
      │                                                                                                                                          │
      │                                                                                                                                          │
      │                                                                                                                                          │
      │                                                                                                                                          │
      │                                                                                                                                          │
      │                                                                                                                                          │
      │                                                                                                                                          │
      │                                                                                                                                          │
      │                                                                                                                                          │
      │                                                                                                                                          │
      │                                                                                                                                          │
      │                                                                                                                                          │
      │                                                                                                                                          │
      │                                                                                                                                          │
      │                                                                                                                                          │
      │                                                                                                                                          │
      │                                                                                                                                          │
      │                                                                                                                                          │
      │                                                                                                                                          │
      │ History, H goes back                                                                                                                     │
      │                                                                                                                                          │
      ╰─┤1/3├────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────╯
       Enter details  d remove  D delete file  l limit │ a add  z undo  Space mark  / find  \\ filter  o sort │ : everything  ? keys  q leave
      """)
  }

  @Test func `the column names of the history sort it`() throws {
    var model = Self.history(columns: 80, rows: 24)
    let place = try #require(model.screen().position(of: "Host"))
    _ = model.click(row: place.row, column: place.column)
    #expect(model.list.view.sort == RowSort(key: .host))
    _ = model.click(row: place.row, column: place.column)
    #expect(model.list.view.sort == RowSort(key: .host, isDescending: true))
  }

  @Test func `an empty history explains what it will show`() {
    var model = Sample.model(columns: 80, rows: 12)
    _ = model.press(.character("H"))
    _ = model.update(
      .rowsArrived(ListWindow(first: 0, matchingCount: 0, rows: []), Totals()), at: Sample.now)
    expectScreen(
      model.screen(),
      """
       ♨ Nothing downloading
         Day                 File               Size  Host                Finished ↓


                                  Nothing is finished yet
            finished transfers stay here, even after c clears them; H goes back
      (3 empty lines)
       History, H goes back

       l limit │ a add z undo b bin H history v view │ : everything ? keys q leave
      """)
  }
}
