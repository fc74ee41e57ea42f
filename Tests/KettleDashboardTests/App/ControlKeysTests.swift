import KettleDashboard
import KettleModel
import Testing

/// The effects of the control keys.
struct ControlKeysTests {
  private func model(_ state: TransferState) -> Dashboard {
    Sample.model(columns: 80, rows: 24, showing: [Sample.row(7, titled: "x", state: state)])
  }

  private let seven = TransferSelection.ids([TransferID(rawValue: 7)])

  @Test(arguments: [TransferState.idle, .failed, .paused, .scheduled, .waiting])
  func `s starts a transfer that can start`(state: TransferState) {
    var model = model(state)
    #expect(model.press(.character("s")) == [.service(.control(.start, seven))])
  }

  @Test(arguments: [
    (TransferState.running, "It is already running"),
    (.queued, "It is already queued; it starts when a slot is free"),
    (.verifying, "It is being verified"), (.completed, "It is already finished"),
  ])
  func `s explains why a transfer cannot start`(state: TransferState, reason: String) {
    var model = model(state)
    #expect(model.press(.character("s")) == [])
    #expect(model.said == reason)
  }

  @Test(arguments: [TransferState.running, .queued, .waiting, .scheduled, .verifying])
  func `p pauses an active transfer`(state: TransferState) {
    var model = model(state)
    #expect(model.press(.character("p")) == [.service(.control(.pause, seven))])
  }

  @Test func `p resumes a paused transfer`() {
    var model = model(.paused)
    #expect(model.press(.character("p")) == [.service(.control(.start, seven))])
  }

  @Test(arguments: [
    (TransferState.idle, "It is not started; s starts it"),
    (.failed, "It failed; s tries again"), (.completed, "It is already finished"),
  ])
  func `p explains why a transfer cannot be paused`(state: TransferState, reason: String) {
    var model = model(state)
    #expect(model.press(.character("p")) == [])
    #expect(model.said == reason)
  }

  @Test(arguments: TransferState.allCases)
  func `x stops any transfer that is neither idle nor completed`(state: TransferState) {
    var model = model(state)
    let isPossible = state != .idle && state != .completed
    #expect(model.press(.character("x")) == (isPossible ? [.service(.control(.stop, seven))] : []))
    #expect((model.said == nil) == isPossible)
  }

  @Test func `capital letters apply to all transfers`() {
    var model = Sample.model(columns: 80, rows: 24)
    #expect(model.press(.character("S")) == [.service(.control(.start, .all))])
    #expect(model.press(.character("P")) == [.service(.control(.pause, .all))])
    #expect(model.press(.character("X")) == [])
    #expect(model.screen().lines.contains { $0.contains("Stop 12 downloads?") })
    #expect(model.press(.character("y")) == [.service(.control(.stop, .all))])
  }

  @Test func `with a filter they apply to what matches it`() {
    var model = Sample.model(columns: 80, rows: 24)
    _ = model.press(.character("\\"), .paste("iso"), .enter)
    let rows = Array(Sample.rows.prefix(2))
    _ = model.update(
      .rowsArrived(ListWindow(first: 0, matchingCount: 2, rows: rows), Sample.totals),
      at: Sample.now)
    func effect(_ verb: ControlVerb, _ states: [TransferState]) -> [DashboardEffect] {
      let filter = RowFilter(states: states, text: "iso", scope: .uncleared, membership: .none)
      return [.service(.control(verb, .matching(filter, except: [])))]
    }
    let active: [TransferState] = [.scheduled, .queued, .running, .waiting, .verifying]
    #expect(
      model.press(.character("S")) == effect(.start, [.idle, .scheduled, .paused, .failed]))
    #expect(model.press(.character("P")) == effect(.pause, active))
    _ = model.press(.character("X"))
    #expect(model.screen().lines.contains { $0.contains("Stop 2 downloads?") })
    #expect(model.press(.character("y")) == effect(.stop, active + [.paused, .failed]))
    #expect(model.press(.character("R")) == [])
    #expect(model.said == "A reset is for the whole list; Esc ends the filter first")
  }

  @Test func `they do nothing to downloads that the history does not show`() {
    var model = Sample.model(columns: 80, rows: 24)
    _ = model.press(.character("H"))
    for key in ["S", "P", "X", "R"] {
      #expect(model.press(.character(Character(key))) == [])
      #expect(model.said == "This is the history; H goes back to the downloads")
    }
  }

  @Test func `a fresh start has no key, and a name in the palette`() {
    var model = model(.paused)
    _ = model.press(.character(":"))
    #expect(
      model.press(.paste("start-fresh"), .enter) == [.service(.control(.startFresh, seven))])
  }

  @Test func `capital letters explain why they have no effect`() {
    var model = model(.completed)
    _ = model.press(.character("S"))
    #expect(model.said == "Everything is already running or finished")
    _ = model.press(.character("P"))
    #expect(model.said == "Nothing is downloading")
    _ = model.press(.character("X"))
    #expect(model.said == "There is nothing to stop")
    model = Sample.model(columns: 80, rows: 24, showing: [])
    for key in ["S", "X", "P", "R", "s", "p", "x", "d", "D"] {
      #expect(model.press(.character(Character(key))) == [])
      #expect(model.said == "The list is empty; a adds transfers")
    }
  }

  @Test(arguments: [Key.character("y"), .character("Y")])
  func `a reset happens only after the answer yes`(yes: Key) {
    var model = Sample.model(columns: 80, rows: 24)
    #expect(model.press(.character("R"), yes) == [.service(.reset)])
    #expect(model.screens.isEmpty)
  }

  @Test(arguments: [Key.enter, .escape, .character("n"), .character("q"), .control("c")])
  func `any other answer changes nothing`(no: Key) {
    for question in ["R", "d"] {
      var model = Sample.model(columns: 80, rows: 24)
      #expect(model.press(.character(Character(question)), no) == [])
      #expect(model.screens.isEmpty)
      #expect(model.said == "Nothing changed")
    }
  }

  @Test func `an unbound key leaves the question open`() {
    var model = Sample.model(columns: 80, rows: 24)
    #expect(model.press(.character("R"), .character("x"), .paste("y"), .down) == [])
    #expect(model.screens.count == 1)
    #expect(model.said == "There is nothing on Down here; y for yes; n for no")
  }

  @Test func `remove applies to the transfer in the question even if its row moves`() {
    var model = Sample.model(columns: 80, rows: 24)
    _ = model.press(.down, .character("d"))
    let rows = Array(Sample.rows.dropFirst(3))
    _ = model.update(
      .rowsArrived(ListWindow(first: 0, matchingCount: rows.count, rows: rows), Sample.totals),
      at: Sample.now)
    #expect(
      model.press(.character("y")) == [
        .service(.remove(.ids([TransferID(rawValue: 2)]), withFile: false))
      ])
  }

  @Test func `D applies only to finished files`() {
    var model = model(.completed)
    #expect(
      model.press(.character("D"), .character("y"))
        == [.service(.remove(.ids([TransferID(rawValue: 7)]), withFile: true))])
    model = self.model(.running)
    #expect(model.press(.character("D")) == [])
    #expect(model.said == "It has no finished file; d removes it from the list")
  }

  @Test func `redraw, suspend and leave keys produce their effects`() {
    var model = Sample.model(columns: 80, rows: 24)
    #expect(model.press(.control("l")) == [.terminal(.redraw)])
    #expect(model.press(.control("z")) == [.terminal(.suspend)])
    #expect(model.press(.character("q")) == [.terminal(.leave)])
    #expect(model.press(.control("c")) == [.terminal(.leave)])
    _ = model.press(.character("?"))
    #expect(model.press(.character("q")) == [])
    #expect(model.screens.isEmpty)
  }

  @Test func `without a connection to the service no request is made`() {
    var model = Sample.model(columns: 80, rows: 24)
    _ = model.press(.character("R"))
    _ = model.update(.linkChanged(.lost), at: Sample.now)
    #expect(model.press(.character("y")) == [])
    #expect(model.said == "Not connected to the service; reconnecting")
    #expect(model.screens.count == 1)
    _ = model.press(.character("n"))
    for key in ["s", "p", "x", "d", "S", "R"] {
      #expect(model.press(.character(Character(key))) == [])
      #expect(model.said == "Not connected to the service; reconnecting")
    }
  }
}
