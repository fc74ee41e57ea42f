import KettleDashboard
import KettleModel
import Testing

/// The order of the list, and of the queue.
struct OrderTests {
  private func model(columns: Int = 100) -> Dashboard {
    Sample.model(columns: columns, rows: 30)
  }

  private let first = TransferSelection.ids([TransferID(rawValue: 1)])

  @Test func `every sort key has a unique letter that does not move or close the menu`() {
    let letters = RowSort.Key.allCases.map(\.letter)
    #expect(Set(letters).count == letters.count)
    #expect(Set(letters).isDisjoint(with: ["j", "k", "q", "o"]))
  }

  @Test(arguments: RowSort.Key.allCases.filter { $0 != .machine })
  func `each letter in the menu selects its sort key`(key: RowSort.Key) {
    var model = model()
    let effects = model.press(.character("o"), .character(key.letter))
    #expect(model.keyContext == .list)
    #expect(model.list.view.sort.key == key)
    // The list was already in queue order, so the order is reversed.
    #expect(model.list.view.sort.isDescending == (key == .queue ? true : key.beginsDescending))
    guard case .service(.subscribe(let viewport)) = effects.last else {
      Issue.record("not asked for")
      return
    }
    #expect(viewport.sort == model.list.view.sort)
  }

  @Test func `Enter selects the highlighted sort key, and Esc closes the menu`() {
    var model = model()
    _ = model.press(.character("o"), .down, .down, .up, .enter)
    #expect(model.list.view.sort == RowSort(key: .title, isGrouped: true))
    _ = model.press(.character("o"), .enter)
    #expect(model.list.view.sort == RowSort(key: .title, isDescending: true, isGrouped: true))
    let before = model
    #expect(model.press(.character("o"), .down, .escape) == [])
    #expect(model == before)
  }

  @Test func `a click outside the menu closes it and a click on a line selects it`() throws {
    var model = model()
    _ = model.press(.character("o"))
    _ = model.click(row: 0, column: 0)
    #expect(model.keyContext == .list)
    _ = model.press(.character("o"))
    let place = try #require(model.screen().position(of: "z  size"))
    _ = model.click(row: place.row, column: place.column)
    #expect(model.list.view.sort == RowSort(key: .size, isDescending: true, isGrouped: true))
  }

  @Test func `the sort column steps from left to right and wraps around`() {
    var model = model()
    var keys: [RowSort.Key] = []
    for _ in 0..<9 {
      _ = model.press(.character(">"))
      keys.append(model.list.view.sort.key)
    }
    #expect(
      keys == [
        .state, .title, .progress, .size, .speed, .secondsLeft, .queue, .state, .title,
      ])
    _ = model.press(.character("<"), .character("<"), .character("<"))
    #expect(model.list.view.sort.key == .secondsLeft)
  }

  @Test func `I reverses the order`() {
    var model = model()
    _ = model.press(.character("I"))
    #expect(model.list.view.sort == RowSort(key: .queue, isDescending: true, isGrouped: true))
    #expect(model.screen().position(of: "the queue in reverse") != nil)
  }

  @Test func `a sort key without a column is shown by name`() {
    var model = model(columns: 80)
    _ = model.press(.character("o"), .character("h"))
    #expect(model.screen().position(of: "by host") != nil)
    _ = model.press(.character("o"), .character("z"))
    #expect(model.screen().position(of: "by size") == nil)
  }

  @Test func `the cursor stays on its transfer when the order changes`() {
    let list = LongList(500)
    var model = list.model()
    list.press(.pageDown, .pageDown, .up, .up, in: &model)
    let (id, line) = (
      model.list.cursor.id, model.list.cursor.index - model.list.cursor.firstVisible
    )
    var other = list
    other.rows.reverse()
    other.press(.character("I"), in: &model)
    #expect(model.list.cursor.id == id)
    #expect(model.list.cursor.index == 499 - 36)
    #expect(model.list.cursor.index - model.list.cursor.firstVisible == line)
  }

  @Test func `J and K move a transfer in the displayed direction`() {
    var model = model()
    #expect(model.press(.character("J")) == [.service(.move(first, .down))])
    #expect(model.press(.character("K")) == [.service(.move(first, .up))])
    #expect(model.press(.alt("j")) == [.service(.move(first, .toBottom))])
    #expect(model.press(.alt("k")) == [.service(.move(first, .toTop))])
    _ = model.press(.character("I"))
    #expect(model.press(.character("J")) == [.service(.move(first, .up))])
    #expect(model.press(.character("K")) == [.service(.move(first, .down))])
    #expect(model.press(.alt("k")) == [.service(.move(first, .toBottom))])
    #expect(model.press(.alt("j")) == [.service(.move(first, .toTop))])
  }

  @Test func `in another order J and K explain how to sort by the queue`() {
    var model = model()
    _ = model.press(.character("o"), .character("e"))
    for key in [Key.character("J"), .character("K"), .alt("j"), .alt("k")] {
      #expect(model.press(key) == [])
      #expect(model.said == "The list is sorted by speed; o u sorts it by the queue")
    }
    _ = model.press(.character("o"), .character("u"))
    #expect(model.press(.character("J")) == [.service(.move(first, .down))])
  }

  @Test func `plus and minus step through low, normal and high`() {
    func model(_ priorities: TransferPriority...) -> Dashboard {
      let rows = priorities.enumerated().map { number, priority in
        Sample.row(Int64(number), titled: "x", state: .queued) { $0.priority = priority }
      }
      return Sample.model(columns: 80, rows: 24, showing: rows)
    }
    func set(_ key: Character, _ priorities: TransferPriority...) -> TransferPriority? {
      let rows = priorities.enumerated().map { number, priority in
        Sample.row(Int64(number), titled: "x", state: .queued) { $0.priority = priority }
      }
      var model = Sample.model(columns: 80, rows: 24, showing: rows)
      _ = model.press(.character("A"))
      guard case .service(.prioritize(_, let priority)) = model.press(.character(key)).last else {
        return nil
      }
      return priority
    }
    #expect(set("+", .low) == .normal)
    #expect(set("+", .normal) == .high)
    #expect(set("+", .high) == nil)
    #expect(set("-", .high) == .normal)
    #expect(set("-", .normal) == .low)
    #expect(set("-", .low) == nil)
    // No selected priority moves in the opposite direction.
    #expect(set("+", .low, .normal) == .normal)
    #expect(set("+", .low, .high) == .high)
    #expect(set("-", .low, .high) == .low)
    var model = model(.high)
    _ = model.press(.character("+"))
    #expect(model.said == "It already has high priority")
    model = Sample.model(
      columns: 80, rows: 24, showing: [Sample.row(1, titled: "x", state: .completed)])
    _ = model.press(.character("-"))
    #expect(model.said == "It is already finished")
  }

  @Test func `the menu in 80 columns, and a part of it in 40`() {
    var model = Sample.model(columns: 80, rows: 24)
    _ = model.press(.character("o"), .character("e"), .character("o"), .down)
    expectScreen(
      model.screen(),
      """
       ♨ ↓ 12.6 MiB/s  ▶3 ≡1 ◷2 ·1 ◔2 ‖1 ○2 ⚑1 ✔1 ✘1           42% ━━━───── 1:30 left
         File                  Progress                      Size     ↓Speed    Left
       ▶ Networking Overview   ━━━━━━━━╸───────   61% 405/659 MiB 12.1 MiB/s    0:21
       ‖ iOS Technolog…erview  ━━━─────────────   22%    6/29 MiB     paused
       ◷ Archive of 2025       ╭─ Sort by ──────────────────╮ GiB
       ✔ AV Foundation Guide   │   u  queue order           │ MiB
       ▶ A stream with…length  │   n  name                  │ MiB  500 KiB/s
       ◷ Offline               │   s  state                 │ MiB
       ⚑ Members only          │   z  size                  │      u log in  s retry
       · Next in line          │   p  progress              │                  50:00
       ◔ At night              │   e  speed               ↓ │
       ◔ At Christmas          │ > t  time left             │
       ✘ Gone                  │   c  connections           │ MiB
       ≡ Checksummed           │   r  priority              │ MiB  verifying
       ○ Stopped               │   h  host                  │
       ○ New                   │   i  session               │
       ▶ 文件传输指南 …第二版  │   a  time added            │00 B     10 B/s    1:30
                               │   f  time finished         │
                               │   g  groups: by state    ✔ │
                               ╰────────────────────────────╯


                                                                                 1/15
       Enter select  Esc cancel
      """)
    model = Sample.model(columns: 40, rows: 10)
    _ = model.press(.character("o"), .down, .down, .down, .down, .down, .down, .down, .down)
    expectScreen(
      model.screen(.ascii),
      """
       k v +- Sort by ------------------+!1
         Fi|   s  state                 |eed
       * Ne|   z  size                  |B/s #
       = iO|   p  progress              |sed #
       ~ Ar|   e  speed                 |    |
       + AV|   t  time left             |    |
       * A |   c  connections           |B/s |
       ~ Of| > r  priority              |    |
           +----------------------------+1/15
       Enter select  Esc cancel
      """)
  }
}

extension OrderTests {
  private static func queued(places: [Int]) -> [TransferSnapshot] {
    places.map { place in
      Sample.row(Int64(place), titled: "File \(place)", state: .queued) {
        var heldBack = HeldBack(.slot)
        heldBack.rank = place
        $0.heldBack = heldBack
      }
    }
  }

  @Test func `a move says the new place in the queue`() {
    var rows = Self.queued(places: [1, 2, 3])
    var model = Sample.model(columns: 80, rows: 24, showing: rows)
    _ = model.press(.down, .down)
    let effects = model.press(.alt("k"))
    #expect(effects == [.service(.move(.ids([TransferID(rawValue: 3)]), .toTop))])
    #expect(model.said == nil)
    for (index, place) in [2, 3, 1].enumerated() { rows[index].heldBack?.rank = place }
    let window = ListWindow(
      first: 0, matchingCount: 3, rows: [rows[2], rows[0], rows[1]])
    _ = model.update(.rowsArrived(window, Sample.totals(of: rows)), at: Sample.now)
    #expect(model.said == "Moved to place 1 of 3")
  }

  @Test func `a later change of the place is not the move`() {
    var rows = Self.queued(places: [1, 2])
    var model = Sample.model(columns: 80, rows: 24, showing: rows)
    _ = model.press(.down, .character("J"))
    rows[1].heldBack?.rank = 1
    let window = ListWindow(first: 0, matchingCount: 2, rows: rows)
    _ = model.update(
      .rowsArrived(window, Sample.totals(of: rows)), at: Sample.moment(seconds: 5))
    #expect(model.said == nil)
  }

  @Test func `a priority is visible in the row and in the message`() {
    var rows = Self.queued(places: [1, 2])
    rows[0].priority = .high
    rows[1].priority = .low
    var model = Sample.model(columns: 80, rows: 24, showing: rows)
    #expect(model.screen().lines.contains { $0.contains("·↑File 1") })
    #expect(model.screen().lines.contains { $0.contains("·↓File 2") })
    _ = model.update(.commandFinished(.prioritized(.high, appliedCount: 1)), at: Sample.now)
    #expect(model.said == "Priority: high")
    _ = model.update(.commandFinished(.prioritized(.low, appliedCount: 3)), at: Sample.now)
    #expect(model.said == "Priority of 3 downloads: low")
    _ = model.update(.commandFinished(.moved(appliedCount: 3)), at: Sample.now)
    #expect(model.said == "Moved 3 downloads")
  }
}
