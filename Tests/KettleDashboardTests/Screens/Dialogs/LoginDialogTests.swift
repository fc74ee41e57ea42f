import KettleDashboard
import KettleModel
import Testing

/// The dialog for the login that a server requires.
struct LoginDialogTests {
  private let id = TransferID(rawValue: 7)

  private func opened(columns: Int = 80, rows: Int = 24) -> Dashboard {
    let row = Sample.row(7, titled: "Guide", state: .waiting) {
      $0.reason = .needsLogin
      $0.error = TransferFailure(
        .loginNeeded, on: "https://example.org/files/7", detail: "401 Unauthorized")
    }
    var model = Sample.model(columns: columns, rows: rows, showing: [row])
    _ = model.press(.character("u"))
    return model
  }

  private func relink(_ user: String, _ password: String) -> [DashboardEffect] {
    guard case .success(let link) = TransferURL.parse("https://example.org/files/7") else {
      return []
    }
    let login = Login(user: user, password: password)
    return [.service(.relink(id, TransferURL.Parsed(url: link.url, login: login)))]
  }

  @Test func `Tab leads from the user to the password, which is hidden`() {
    var model = opened()
    _ = model.type("anna")
    _ = model.press(.tab)
    _ = model.type("a secret: word")
    expectScreen(
      model.screen(),
      """
       ♨ ↓ 0 B/s                    ⚑1                        0 of 1 done ──────────
         File                  Progress                      Size      Speed    Left
       ⚑ Guide                 example.org wants a login           u log in  s retry
      (4 empty lines)
      ╭─ Log in ─────────────────────────────────────────────────────────────────────╮
      │ example.org wants a login (401 Unauthorized) for "Guide"                     │
      │ User      anna                                                               │
      │ Password  ••••••••••••••                                                     │
      │ For       (•) this file                                                      │
      │           ( ) every file from example.org, also later ones                   │
      │ Enter logs in to example.org as "anna"                                       │
      │                                                                              │
      ╰──────────────────────────────────────────────────────────────────────────────╯
      (6 empty lines)
                                                                                  1/1
       Enter log in  Esc cancel  Tab next  Ctrl-U clear line
      """)
    #expect(model.press(.enter) == relink("anna", "a secret: word"))
    #expect(model.screens.isEmpty)
  }

  @Test(arguments: [(36, 8), (40, 10), (60, 16), (120, 35)])
  func `both fields and the choice are visible on every screen`(columns: Int, rows: Int) {
    var model = opened(columns: columns, rows: rows)
    for word in ["User", "Password", "For"] {
      let frame = model.screen()
      #expect(frame.cursor.map { frame.lines[$0.row].contains(word) } == true)
      expectSound(frame, .text)
      _ = model.press(.tab)
    }
    #expect(model.screen().lines.contains { $0.contains("(•) this file") })
    #expect(model.screen(.ascii).lines.contains { $0.contains("(*) this file") })
  }

  @Test func `Enter says what is missing and moves there`() {
    var model = opened()
    _ = model.press(.tab)
    #expect(model.press(.enter) == [])
    #expect(model.said == "The user is missing; type the name")
    _ = model.type("anna")
    #expect(model.press(.enter) == [])
    #expect(model.said == "The password is missing; type it, or press Enter to go without")
    _ = model.type("pw")
    #expect(model.press(.enter) == relink("anna", "pw"))
  }

  @Test func `a second Enter logs in without a password`() {
    var model = opened()
    _ = model.type("anonymous")
    #expect(model.press(.enter) == [])
    #expect(model.press(.enter) == relink("anonymous", ""))
  }

  @Test func `a colon after the user leads to the password`() {
    var model = opened()
    _ = model.type("anna:p:w")
    #expect(model.press(.enter) == relink("anna", "p:w"))
    var pasted = opened()
    _ = pasted.press(.paste("\nanna:p:w\n"))
    #expect(pasted.press(.enter) == relink("anna", "p:w"))
  }

  @Test func `the login of the host is remembered`() {
    var model = opened()
    _ = model.type("anna:pw")
    _ = model.press(.down, .character("x"))
    #expect(model.said == "Space, Left or Right chooses")
    _ = model.press(.right)
    #expect(
      model.press(.enter) == relink("anna", "pw")
        + [.service(.control(.remember, .ids([id])))])
    #expect(model.screens.isEmpty)
  }

  @Test func `a click chooses a field and the transfers`() throws {
    var model = opened()
    let password = try #require(model.screen().position(of: "Password"))
    _ = model.click(row: password.row, column: password.column)
    _ = model.type("pw")
    let host = try #require(model.screen().position(of: "every file from"))
    _ = model.click(row: host.row, column: host.column)
    _ = model.press(.tab)
    _ = model.type("me")
    #expect(
      model.press(.enter) == relink("me", "pw")
        + [.service(.control(.remember, .ids([id])))])
  }
}
