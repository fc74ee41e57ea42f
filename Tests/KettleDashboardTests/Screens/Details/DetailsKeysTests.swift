import KettleDashboard
import KettleModel
import Testing

/// The keys of the list in the full-screen details.
struct DetailsKeysTests {
  private let id = TransferID(rawValue: 1)

  private func details(
    _ state: TransferState = .running, _ change: (inout TransferSnapshot) -> Void = { _ in }
  ) -> Dashboard {
    let row = Sample.row(1, titled: "Networking Overview", state: state, change)
    var model = Sample.model(columns: 80, rows: 24, showing: [row])
    _ = model.press(.enter)
    var details = Sample.details
    details.snapshot = row
    _ = model.update(.detailsArrived(details), at: Sample.now)
    return model
  }

  @Test(arguments: [
    (Character("p"), ControlVerb.pause), ("x", .stop),
  ])
  func `a control applies to the transfer that is shown`(key: Character, verb: ControlVerb) {
    var model = details()
    #expect(model.press(.character(key)) == [.service(.control(verb, .ids([id])))])
    #expect(model.screens.count == 1)
  }

  @Test func `the other keys of the row work as in the list`() {
    var paused = details(.paused)
    #expect(paused.press(.character("s")) == [.service(.control(.start, .ids([id])))])
    #expect(paused.press(.character("z")) == [.service(.bin(.undo(nil)))])
    #expect(paused.press(.character("+")) == [.service(.prioritize(.ids([id]), .high))])
    #expect(paused.press(.alt("k")) == [.service(.move(.ids([id]), .toTop))])
    #expect(
      paused.press(.character("l"), .character("9"), .enter)
        == [.service(.limit(.ids([id]), 9))])
    _ = paused.press(.character("a"))
    #expect(paused.keyContext == .add)
    _ = paused.press(.escape, .character("u"))
    #expect(paused.keyContext == .entry)
    var waiting = details(.waiting) { $0.reason = .needsLogin }
    _ = waiting.press(.character("u"))
    #expect(waiting.screen().lines.contains { $0.contains("─ Log in ─") })
  }

  @Test func `a key that is not possible says why`() {
    var model = details(.completed)
    _ = model.press(.character("p"))
    #expect(model.said == "It is already finished")
    var loading = Sample.model(columns: 80, rows: 24)
    _ = loading.press(.enter, .character("p"))
    #expect(loading.said == "This row has not loaded yet")
  }

  @Test func `after a removal the list is shown again`() {
    var model = details()
    _ = model.press(.character("d"))
    #expect(model.screens.count == 2)
    #expect(
      model.press(.character("y")) == [.service(.remove(.ids([id]), withFile: false))])
    #expect(model.screens.count == 1)
    _ = model.update(.commandFinished(.removed(count: 1)), at: Sample.now)
    #expect(model.screens.isEmpty)
  }

  @Test func `a dialog stands above the details`() {
    var model = details()
    _ = model.press(.character("l"))
    let lines = model.screen().lines
    #expect(lines.first == " ♨ kettle   Details: Networking Overview")
    #expect(lines.contains { $0.contains("─ Speed limit ─") })
    #expect(lines.contains { $0.hasPrefix(" Enter apply") })
  }

  @Test func `the footer has the keys of the transfer`() {
    let labels = details().footerItems.map(\.label)
    for label in ["pause", "stop", "remove", "limit", "back"] {
      #expect(labels.contains(label))
    }
  }
}
