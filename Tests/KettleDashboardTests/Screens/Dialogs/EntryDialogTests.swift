import KettleDashboard
import KettleModel
import Testing

/// The dialogs for a new link and for a speed limit.
struct EntryDialogTests {
  private let id = TransferID(rawValue: 7)

  private func model(
    _ state: TransferState = .waiting, _ change: (inout TransferSnapshot) -> Void = { _ in }
  ) -> Dashboard {
    Sample.model(
      columns: 80, rows: 24, showing: [Sample.row(7, titled: "Guide", state: state, change)])
  }

  @Test func `u sets a new link, including its login`() throws {
    var model = model()
    #expect(model.press(.character("u"), .paste("\nhttps://me:pw@example.org/a?t=2\n")) == [])
    guard case .success(let link) = TransferURL.parse("https://me:pw@example.org/a?t=2") else {
      Issue.record("no URL")
      return
    }
    #expect(model.press(.enter) == [.service(.relink(id, link))])
    #expect(link.login == Login(user: "me", password: "pw"))
    #expect(model.screens.isEmpty)
  }

  @Test func `an invalid link stays in the dialog with its problem`() {
    var model = model()
    _ = model.press(.character("u"))
    #expect(model.press(.enter) == [])
    #expect(model.said == "Paste the link; Esc cancels")
    _ = model.type("nfs://example.org/a")
    #expect(model.press(.enter) == [])
    #expect(
      model.said
        == "The URL \"nfs://example.org/a\" has the scheme \"nfs\"; "
        + "only http, https, ftp, ftps and sftp are supported")
    #expect(model.screens.count == 1)
    _ = model.press(.control("u"))
    _ = model.type("http://b/")
    #expect(model.press(.enter).count == 1)
  }

  @Test func `a paste of several lines or of excessive length is rejected`() {
    var model = model()
    _ = model.press(.character("u"), .paste("http://a/\nhttp://b/"))
    #expect(model.said == "Only one line fits here; paste less")
    _ = model.press(.paste(String(repeating: "x", count: 20_001)))
    #expect(model.said == "Only one line fits here; paste less")
  }

  /// A transfer whose link is dead, from a page.
  private func dead(_ page: String) -> Dashboard {
    model {
      $0.reason = .needsLink
      $0.page = page
    }
  }

  private func accepting(_ model: Dashboard) -> String? {
    model.footerItems.first { $0.key == "Enter" }?.label
  }

  @Test func `Enter opens the page of a dead link until another link is typed`() throws {
    var model = dead("https://example.org/files?visit=1")
    let page = try TransferURL.parse("https://example.org/files?visit=1").get().url
    _ = model.press(.character("u"))
    #expect(accepting(model) == "open the page")
    #expect(model.screen().lines.contains { $0.contains("│ https://example.org/files?visit=1 ") })
    #expect(model.press(.enter) == [.service(.openPage(page))])
    #expect(model.screens.isEmpty)
    _ = model.press(.character("u"), .paste("http://b/"))
    #expect(accepting(model) == "apply")
    guard case .success(let link) = TransferURL.parse("http://b/") else { return }
    #expect(model.press(.enter) == [.service(.relink(id, link))])
  }

  @Test(arguments: [
    "javascript:alert(1)", "file:///etc/passwd", "ftp://example.org/", "--help", "",
    "https://example.org/\u{1B}[2J",
  ])
  func `what is no page of the web is not opened`(page: String) {
    var model = dead(page)
    _ = model.press(.character("u"))
    #expect(accepting(model) == "apply")
    #expect(model.press(.enter) == [])
    #expect(model.said == "Paste the link; Esc cancels")
  }

  @Test func `a page that no desktop opens goes to the clipboard`() throws {
    var model = model()
    let page = try TransferURL.parse("https://example.org/files").get().url
    #expect(model.update(.commandFinished(.openedPage(page)), at: Sample.now) == [])
    #expect(model.said == "Opening https://example.org/files")
    #expect(
      model.update(.commandFinished(.openedPage(page, problem: "No desktop")), at: Sample.now)
        == [.terminal(.copy("https://example.org/files"))])
    #expect(
      model.said == "No desktop, so its address is in the clipboard: https://example.org/files")
  }

  @Test func `the browser of another machine continues nothing here`() {
    var model = dead("https://example.org/files")
    _ = model.press(.character("u"))
    #expect(model.screen().lines.contains { $0.contains("Paste the link from there") })
    let directories = UserDirectories(home: "/home/me", workingDirectory: "/home/me")
    _ = model.update(.directoriesKnown(directories), at: Sample.now)
    #expect(model.screen().lines.contains { $0.contains("continues here") })
  }

  @Test(arguments: TransferState.allCases)
  func `u applies only to unfinished transfers`(state: TransferState) {
    var model = model(state)
    _ = model.press(.character("u"))
    let reason: String? =
      switch state {
      case .completed: "It is already finished"
      case .verifying: "It is being verified"
      case .idle, .scheduled, .queued, .running, .waiting, .paused, .failed: nil
      }
    #expect(model.said == reason)
    #expect(model.screens.isEmpty == (reason != nil))
  }

  @Test func `the footer offers a new link when the transfer needs one`() {
    func hasNewLink(_ model: Dashboard) -> Bool {
      model.footerItems.contains { $0.key == "u" && $0.label == "new link" }
    }
    #expect(hasNewLink(model { $0.reason = .needsLink }))
    #expect(
      hasNewLink(model(.failed) { $0.error = TransferFailure(.linkExpired, on: "http://a/") }))
    #expect(!hasNewLink(model { $0.reason = .retry }))
  }

  @Test(arguments: [
    ("500K", Int64?(512_000)), ("1.5M", 1_572_864), ("500 KiB/s", 512_000),
    ("500 KB/s", 500_000), ("1.5MiB", 1_572_864), ("", nil), ("none", nil), ("  NONE ", nil),
  ])
  func `l sets or removes the limit of the row`(text: String, rate: Int64?) {
    var model = model(.running)
    _ = model.press(.character("l"))
    _ = model.type(text)
    #expect(model.press(.enter) == [.service(.limit(.ids([id]), rate))])
    #expect(model.screens.isEmpty)
  }

  @Test func `an invalid rate stays in the dialog with its problem`() {
    var model = model(.running)
    _ = model.press(.character("l"))
    _ = model.type("fast")
    #expect(model.press(.enter) == [])
    #expect(
      model.said == "Write 500K or 1.5M; empty for no limit")
    #expect(model.press(.escape) == [])
    #expect(model.screens.isEmpty)
  }

  @Test func `without an unfinished transfer the limit applies to all`() {
    var model = model(.completed)
    #expect(model.press(.character("l"), .character("9"), .enter) == [.service(.limit(.all, 9))])
    var empty = Sample.model(columns: 80, rows: 24, showing: [])
    #expect(empty.press(.character("l"), .character("9"), .enter) == [.service(.limit(.all, 9))])
  }

  @Test func `Tab switches the scope and shows its limit until one is typed`() {
    var model = model(.running) { $0.limitBytesPerSecond = 3 << 19 }
    var totals = Totals()
    totals.limitBytesPerSecond = 500 << 10
    guard let window = model.list.window else { return }
    _ = model.update(.rowsArrived(window, totals), at: Sample.now)
    _ = model.press(.character("l"))
    #expect(model.press(.enter) == [.service(.limit(.ids([id]), 3 << 19))])
    _ = model.press(.character("l"), .tab)
    #expect(model.press(.enter) == [.service(.limit(.all, 500 << 10))])
    _ = model.press(.character("l"), .control("u"), .character("7"), .backTab)
    #expect(model.press(.enter) == [.service(.limit(.all, 7))])
  }

  @Test func `the dialog applies to its transfer even if its row moves`() {
    var model = Sample.model(columns: 80, rows: 24)
    _ = model.press(.down, .character("l"), .character("9"))
    let rows = Array(Sample.rows.dropFirst(3))
    _ = model.update(
      .rowsArrived(ListWindow(first: 0, matchingCount: rows.count, rows: rows), Sample.totals),
      at: Sample.now)
    #expect(model.press(.enter) == [.service(.limit(.ids([TransferID(rawValue: 2)]), 9))])
  }

  @Test func `text can be edited at any cursor position`() {
    var model = model(.running)
    _ = model.press(.character("l"))
    _ = model.type("x25K")
    _ = model.press(.home, .delete, .right, .character("0"), .end, .backspace, .character("M"))
    _ = model.press(.left, .left, .backspace, .right, .right, .left)
    #expect(model.press(.enter) == [.service(.limit(.ids([id]), 25 << 20))])
  }

  @Test func `without the service Enter shows a message and keeps the text`() {
    var model = model(.running)
    _ = model.press(.character("l"), .character("9"))
    _ = model.update(.linkChanged(.lost), at: Sample.now)
    #expect(model.press(.enter) == [])
    #expect(model.said == "Not connected to the service; reconnecting")
    _ = model.update(.linkChanged(.connected), at: Sample.now)
    #expect(model.press(.enter) == [.service(.limit(.ids([id]), 9))])
  }

  @Test func `the outcome is reported`() {
    var model = model()
    func said(_ outcome: CommandOutcome) -> String? {
      _ = model.update(.commandFinished(outcome), at: Sample.now)
      return model.said
    }
    let refused = [ControlRefusal(id: id, why: .completed)]
    #expect(
      said(.relinked(id, hasLogin: false, refused: [])) == "Resuming with the new link: \"Guide\"")
    #expect(
      said(.relinked(id, hasLogin: true, refused: []))
        == "Trying again with the login: \"Guide\"")
    #expect(said(.relinked(id, hasLogin: true, refused: refused)) == "It is already finished")
    #expect(
      said(.limited(.ids([id]), bytesPerSecond: 512_000, refused: []))
        == "\"Guide\": at most 500 KiB/s")
    #expect(
      said(.limited(.all, bytesPerSecond: 3 << 19, refused: []))
        == "All downloads: at most 1.5 MiB/s")
    #expect(
      said(.limited(.all, bytesPerSecond: nil, refused: [])) == "All downloads: no limit")
    #expect(
      said(.limited(.all, bytesPerSecond: 1, refused: refused)) == "It is already finished")
  }

  @Test func `what is typed replaces the current limit, and a cursor key edits it`() {
    var model = model(.running) { $0.limitBytesPerSecond = 512_000 }
    _ = model.press(.character("l"))
    _ = model.type("1M")
    #expect(model.press(.enter) == [.service(.limit(.ids([id]), 1 << 20))])
    _ = model.press(.character("l"), .home)
    _ = model.type("1")
    #expect(model.press(.enter) == [.service(.limit(.ids([id]), 1500 * 1024))])
  }

  @Test func `the dialog shows the meaning of the typed value`() {
    var model = Sample.model(columns: 60, rows: 12, showing: [])
    let row = Sample.row(7, titled: "Guide", state: .running)
    _ = model.update(
      .rowsArrived(ListWindow(first: 0, matchingCount: 1, rows: [row]), Totals()),
      at: Sample.now)
    _ = model.press(.character("l"))
    _ = model.type("1.5M")
    let frame = model.screen()
    let lines = frame.lines
    #expect(lines.contains { $0.contains("─ Speed limit ─") })
    #expect(lines.contains { $0.contains("Speed limit for \"Guide\"") })
    #expect(lines.contains { $0.contains("│ 1.5M ") })
    #expect(lines.contains { $0.contains("│ Tab: [this file] | all ") })
    #expect(lines.contains { $0.contains("Enter sets it to 1.5 MiB/s") })
    #expect(frame.cursor.map { lines[$0.row].contains("1.5M") } == true)
    _ = model.press(.control("u"))
    #expect(
      model.screen().lines.contains {
        $0.contains("Enter removes the limit; 500K or 1.5 MiB/s sets one")
      })
  }
}
