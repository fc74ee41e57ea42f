import KettleDashboard
import KettleModel
import Testing

/// The dialog for what a transfer waits for the user to decide.
struct DecisionScreenTests {
  private let id = TransferID(rawValue: 7)

  private func page() -> Dashboard {
    Sample.model(columns: 80, rows: 24, showing: [Sample.pageInstead])
  }

  private func untrusted() -> Dashboard {
    Sample.model(columns: 80, rows: 24, showing: [Sample.untrusted])
  }

  @Test func `a page is kept, requested again, replaced, removed or left`() {
    for (key, effects) in [
      (Key.character("y"), [DashboardEffect.service(.control(.accept, .ids([id])))]),
      (.character("s"), [.service(.control(.start, .ids([id])))]),
      (.character("n"), []), (.escape, []),
    ] {
      var model = page()
      #expect(model.press(.character("u")) == [])
      #expect(model.press(key) == effects, "\(key)")
      #expect(model.screens.isEmpty)
    }
    var model = page()
    #expect(model.press(.character("u"), .character("h")) == [])
    #expect(model.said == "Only a certificate or host key can be trusted for the host")
    #expect(model.press(.character("u")) == [])
    #expect(model.screens.count == 1)
    _ = model.type("https://example.org/new.iso")
    #expect(model.press(.enter).count == 1)
    var removing = page()
    #expect(removing.press(.character("u"), .character("d")) == [])
    #expect(removing.press(.character("y")) == [.service(.remove(.ids([id]), withFile: false))])
  }

  @Test func `a server is trusted for the transfer or for the host`() {
    var model = untrusted()
    #expect(
      model.press(.character("u"), .character("y")) == [.service(.control(.accept, .ids([id])))])
    #expect(
      model.press(.character("u"), .character("h"))
        == [.service(.control(.accept, .ids([id]))), .service(.control(.remember, .ids([id])))])
  }

  @Test func `a click on an answer gives it, one beside the box decides nothing`() {
    var model = untrusted()
    _ = model.press(.character("u"))
    guard let place = model.screen().position(of: "trust it for every") else {
      Issue.record("no such answer")
      return
    }
    #expect(
      model.click(row: place.row, column: place.column)
        == [.service(.control(.accept, .ids([id]))), .service(.control(.remember, .ids([id])))])
    _ = model.press(.character("u"))
    #expect(model.click(row: 1, column: 0) == [])
    #expect(model.screens.isEmpty)
  }

  @Test func `text of the server cannot reach the terminal raw`() {
    var row = Sample.untrusted
    row.error?.certificate?.subject = "\u{1B}]52;c;aGk=\u{7}nas"
    row.error?.certificate?.fingerprint = "\u{1B}[2J"
    var model = Sample.model(columns: 80, rows: 24, showing: [row])
    _ = model.press(.character("u"))
    let text = model.screen().lines.joined()
    #expect(text.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 127 })
  }

  @Test func `a login without a password is not taken`() {
    let row = Sample.row(7, titled: "Members only", state: .waiting) { $0.reason = .needsLogin }
    var model = Sample.model(columns: 80, rows: 24, showing: [row])
    _ = model.press(.character("u"))
    _ = model.type("ada")
    #expect(model.press(.enter) == [])
    #expect(model.screens.count == 1)
  }
}
