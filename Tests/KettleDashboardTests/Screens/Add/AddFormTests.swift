import KettleModel
import Testing

@testable import KettleDashboard

/// The fields of the add form.
struct AddFormTests {
  private func opened(_ url: String = "https://example.org/a") -> Dashboard {
    var model = Sample.model(columns: 80, rows: 24)
    let places = UserDirectories(home: "/home/me", workingDirectory: "/srv")
    _ = model.update(.directoriesKnown(places), at: Sample.now)
    _ = model.press(.character("a"), .paste(url))
    return model
  }

  /// Returns the form with a text in a field. Tab reaches the fields in their displayed order.
  private func filled(_ field: AddField, with text: String, url: String = "https://example.org/a")
    -> Dashboard
  {
    var model = opened(url)
    let index = AddField.allCases.firstIndex(of: field) ?? 0
    for _ in 0..<index { _ = model.press(.tab) }
    _ = model.press(.paste(text))
    return model
  }

  private func spec(_ model: Dashboard) -> TransferSpec? {
    var model = model
    guard case .service(.add(let specs)) = model.press(.enter).first else { return nil }
    return specs.first
  }

  private func screen(_ model: Dashboard) -> AddScreen? {
    model.screens.last?.content as? AddScreen
  }

  private func form(_ model: Dashboard) -> AddForm? { screen(model)?.form }

  @Test func `a URL pasted after another one starts a new line`() {
    var model = opened("https://example.org/a\n")
    _ = model.press(.paste("https://example.org/b\n"))
    guard case .service(.add(let specs)) = model.press(.enter).first else {
      Issue.record("nothing is added")
      return
    }
    #expect(specs.map(\.url.text) == ["https://example.org/a", "https://example.org/b"])
  }

  @Test func `nothing changes while transfers are being added`() {
    var model = opened()
    #expect(model.press(.enter).count == 1)
    #expect(model.press(.left, .enter).isEmpty)
    #expect(screen(model)?.phase == .adding)
    _ = model.update(.commandFinished(.added(count: 1, first: nil)), at: Sample.now)
    #expect(model.screens.isEmpty)
  }

  @Test(arguments: [
    ("/data", "/data"), ("isos", "/srv/isos"), ("~", "/home/me"), ("~/isos", "/home/me/isos"),
    ("  ../x ", "/srv/../x"), (".", "/srv/."),
  ])
  func `a directory resolves as in a shell`(text: String, path: String) {
    #expect(spec(filled(.directory, with: text))?.directory == path)
  }

  @Test func `without a directory the service chooses`() {
    #expect(spec(opened()) != nil)
    #expect(spec(opened())?.directory == nil)
  }

  @Test func `a directory of another user is rejected`() {
    var model = filled(.directory, with: "~somebody/x")
    #expect(model.press(.enter) == [])
    #expect(
      model.said == "Cannot resolve \"~somebody/x\"; write an absolute path")
    var remote = Sample.model(columns: 80, rows: 24)
    _ = remote.press(.character("a"), .paste("http://a/"), .tab, .paste("isos"))
    #expect(remote.press(.enter) == [])
    #expect(remote.said == "Cannot resolve \"isos\"; write an absolute path")
    _ = remote.press(.control("u"), .paste("/isos"))
    #expect(spec(remote)?.directory == "/isos")
  }

  @Test func `the settings apply to every line`() {
    var model = filled(.queue, with: "night", url: "http://a/1\nhttp://a/2")
    _ = model.press(.tab, .paste("1.5 MiB/s"), .tab, .paste("+90m"))
    _ = model.press(.tab, .paste("unzip -o '{path}'"), .tab, .tab)
    _ = model.press(.paste("Referer: http://r/\nCookie: a=b; c=d"), .tab, .paste("me:p:w"))
    _ = model.press(.tab, .character(" "))
    guard case .service(.add(let specs)) = model.press(.enter).first else {
      Issue.record("nothing was added: \(model.said ?? "")")
      return
    }
    #expect(specs.count == 2)
    for spec in specs {
      #expect(spec.options.queue?.text == "night")
      #expect(spec.options.then?.words == ["unzip", "-o", "{path}"])
      #expect(spec.limitBytesPerSecond == 1_572_864)
      #expect(spec.headers.map(\.name) == ["Referer", "Cookie"])
      #expect(spec.headers.last?.value == "a=b; c=d")
      #expect(spec.login == Login(user: "me", password: "p:w"))
      #expect(spec.notBefore == Sample.time(seconds: 5400))
      #expect(spec.beginning == .paused)
    }
  }

  @Test func `a collection uses the login in its URL`() throws {
    var model = filled(.limit, with: "", url: "https://me:pw@example.org/SHA256SUMS")
    guard case .service(.add(let specs)) = model.press(.enter).first else {
      Issue.record("nothing was added")
      return
    }
    let spec = try #require(specs.first)
    #expect(spec.login == Login(user: "me", password: "pw"))
    #expect(spec.options.collection?.source.name == "https://example.org/SHA256SUMS")
  }

  @Test func `a pasted command that continues a file adds such a transfer`() {
    let lines = "curl -C - -O http://a/1\nhttp://a/2"
    var model = filled(.limit, with: "", url: lines)
    guard case .service(.add(let specs)) = model.press(.enter).first else {
      Issue.record("nothing was added")
      return
    }
    #expect(specs.map(\.options.continues) == [true, false])
  }

  @Test func `a name and a checksum apply to one URL`() {
    let hex = String(repeating: "ab", count: 32)
    #expect(spec(filled(.name, with: "x.iso"))?.name?.text == "x.iso")
    #expect(spec(filled(.checksum, with: "sha256:" + hex))?.checksum?.text == "sha256:" + hex)
    var two = filled(.name, with: "x.iso", url: "http://a/1\nhttp://a/2")
    #expect(two.press(.enter) == [])
    #expect(
      two.said == "One name cannot apply to 2 URLs; leave it empty, or add them one by one")
    var checked = filled(.checksum, with: "sha256:" + hex, url: "http://a/1\nhttp://a/2")
    #expect(checked.press(.enter) == [])
    #expect(
      checked.said == "One checksum cannot apply to 2 URLs; leave it empty, or add them one by one")
  }

  @Test(arguments: [
    (
      AddField.name, "a/b",
      "Not a valid file name; use no slash and at most 250 bytes"
    ),
    (
      .checksum, "sha256:12",
      "Not a valid checksum; write sha256: and 64 hexadecimal digits, or md5:, sha1:, sha512:"
    ),
    (.limit, "fast", "Write 500K or 1.5M; empty for no limit"),
    (
      .queue, "no queue",
      "A queue is a name of letters, digits, - and _, with hours to make it: night 01:00-06:00"
    ),
    (.then, "echo 'a", "A quote in the command is not closed"),
    (
      .then, "sh -c 'echo {path}'",
      "A shell would execute what stands for a placeholder; use \"$KETTLE_PATH\" there"
    ),
    (.headers, "no header", "\"no header\" is not a header; write Name: value"),
    (.login, "me", "Write the login as user:password"),
    (
      .start, "soon",
      "Not a valid time; write +90m, +2h, +1d, 2026-12-24T18:00 or 2026-12-24T18:00:00Z"
    ),
  ])
  func `an invalid value is reported and its field gets the focus`(
    field: AddField, text: String, sentence: String
  ) {
    var model = filled(field, with: text)
    _ = model.press(.pageUp)
    #expect(model.press(.enter) == [])
    #expect(model.said == sentence)
    #expect(form(model)?.focus == field)
  }

  @Test func `a title applies to one URL`() {
    #expect(spec(filled(.title, with: "A film"))?.title == "A film")
    var two = filled(.title, with: "A film", url: "http://a/1\nhttp://a/2")
    #expect(two.press(.enter) == [])
    #expect(
      two.said == "One title cannot apply to 2 URLs; leave it empty, or add them one by one")
  }

  @Test(arguments: [
    ("notify-send Done {title}", ["notify-send", "Done", "{title}"]),
    ("bin/sort-file {path}", ["/srv/bin/sort-file", "{path}"]),
    ("~/bin/sort-file", ["~/bin/sort-file"]),
    ("sh -c 'touch \"$HOME/x\"'", ["sh", "-c", "touch \"$HOME/x\""]),
  ])
  func `the hook is read as kettle add --then reads it`(text: String, words: [String]) {
    #expect(spec(filled(.then, with: text))?.options.then?.words == words)
  }

  @Test(arguments: [
    ("touch $HOME/x", "$HOME/x"), ("echo done > log", ">"), ("touch ~/x", "~/x"),
    ("true && false", "&&"),
  ])
  func `what only a shell would replace is explained`(text: String, part: String) {
    var model = filled(.then, with: text)
    let lines = model.screen().lines.joined(separator: " ")
    #expect(lines.contains("No shell reads this, so the program gets \(part) as it is"))
    #expect(model.press(.enter).count == 1)
  }

  @Test(arguments: [
    ("example.org/x", "https://example.org/x"), (" a.b:8080/x ", "https://a.b:8080/x"),
    ("localhost:8080/x", "http://localhost:8080/x"), ("192.168.1.5/x", "http://192.168.1.5/x"),
    ("www.example.org/", "https://www.example.org/"),
  ])
  func `a host and a path mean https, an address http`(text: String, url: String) {
    let model = opened(text)
    #expect(spec(model)?.url.text == url)
    #expect(model.screen().lines.contains { $0.contains("│ \(url) ") })
  }

  @Test(arguments: ["example.org", "a/b", "../a.b/c", "a@b.c/d", "file.iso", "/a.b/c"])
  func `other texts without a scheme are no URLs`(text: String) {
    var model = opened(text)
    #expect(model.press(.enter) == [])
  }

  @Test func `local time uses the UTC offset`() {
    var model = filled(.start, with: "2026-12-24T18:00")
    _ = model.update(.utcOffsetChanged(seconds: 3600), at: Sample.now)
    #expect(spec(model)?.notBefore?.iso8601 == "2026-12-24T17:00:00Z")
  }

  @Test(arguments: [
    ("A: b", ["A: b"]), ("A: b; c; d=e", ["A: b; c; d=e"]), ("A: b; C: d", ["A: b", "C: d"]),
    ("A: b;C:d", ["A: b;C:d"]), ("A: b; C:", ["A: b", "C:"]), ("", []), (" ; ", []),
    ("Cookie: a=b; Referer: http://x/; X-Y: 1", ["Cookie: a=b", "Referer: http://x/", "X-Y: 1"]),
  ])
  func `headers on one line are split before each header name`(text: String, parts: [String]) {
    #expect(HeaderList.parts(Array(text)).map(\.text) == parts)
  }

  @Test func `Tab and Shift-Tab cycle, arrows move through lines and fields`() {
    var model = opened("http://a/1\nhttp://a/2")
    #expect(form(model)?.focus == .urls)
    _ = model.press(.backTab)
    #expect(form(model)?.focus == .paused)
    _ = model.press(.tab, .up)
    #expect(form(model)?.urls.row == 0)
    _ = model.press(.down, .down)
    #expect(form(model)?.focus == .directory)
    _ = model.press(.up)
    #expect(form(model)?.focus == .urls)
    _ = model.press(.pageDown, .down, .down, .down)
    for _ in AddField.allCases { _ = model.press(.down) }
    #expect(form(model)?.focus == .paused)
  }

  @Test func `paused accepts y, n and Space, and no other letters`() {
    var model = opened()
    _ = model.press(.backTab, .character("y"))
    #expect(form(model)?.isPaused == true)
    _ = model.press(.character("n"))
    #expect(form(model)?.isPaused == false)
    _ = model.press(.character("x"))
    #expect(model.said == "Press y, n or Space")
    _ = model.press(.right)
    #expect(form(model)?.isPaused == true)
  }

  @Test func `the form stays until the service has replied`() {
    var model = opened()
    #expect(model.press(.enter).count == 1)
    #expect(model.press(.enter) == [])
    _ = model.press(.character("x"))
    #expect(form(model)?.urls.current.text == "https://example.org/a")
    let sentence = "The directory \"/x\" does not exist; make it first"
    _ = model.update(.commandFinished(.addFailed(sentence: sentence)), at: Sample.now)
    #expect(model.said == sentence)
    #expect(model.press(.enter).count == 1)
    _ = model.update(.commandFinished(.added(count: 1, first: nil)), at: Sample.now)
    #expect(model.screens.isEmpty)
  }

  // MARK: - Commands for curl

  @Test func `a curl command pasted into the list keeps its headers, login and directory`() {
    var model = Sample.model(columns: 80, rows: 24)
    let places = UserDirectories(home: nil, workingDirectory: "/srv")
    _ = model.update(.directoriesKnown(places), at: Sample.now)
    _ = model.press(
      .paste(
        """
        curl 'https://example.org/a' \\
          -H 'Referer: http://r/' \\
          -b 'a=b' -u me:pw -o isos/x.iso --compressed
        https://example.org/b

        """))
    guard case .service(.add(let specs)) = model.press(.enter).first, specs.count == 2 else {
      Issue.record("not two: \(model.said ?? "")")
      return
    }
    #expect(specs[0].url.text == "https://example.org/a")
    #expect(specs[0].headers.map(\.name) == ["Referer", "Cookie"])
    #expect(specs[0].login == Login(user: "me", password: "pw"))
    #expect(specs[0].directory == "/srv/isos")
    #expect(specs[0].name?.text == "x.iso")
    #expect(specs[1].headers.isEmpty)
  }

  @Test func `a curl command that is not a download is rejected`() {
    var model = opened("curl -X POST https://example.org/a")
    #expect(model.press(.enter) == [])
    #expect(model.said == "The method POST is not supported; a download uses GET")
  }

  // MARK: - Thousands of lines

  @Test func `typing into ten thousand lines stays fast`() {
    let lines = (0..<9_990).map { "https://example.org/\($0)" }.joined(separator: "\n")
    var model = opened(lines)
    let start = ContinuousClock.now
    for _ in 0..<50 {
      _ = model.press(.character("x"))
      _ = model.screen()
    }
    // Checking every line on each key would exceed this limit.
    #expect(ContinuousClock.now - start < .seconds(10))
    #expect(form(model)?.urls.goodCount == 9_990)
  }
}
