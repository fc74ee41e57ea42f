import KettleDashboard
import KettleModel
import Testing

struct AddingTests {
  private func opened(_ keys: Key...) -> Dashboard {
    var model = Sample.model(columns: 80, rows: 24)
    _ = model.press(.character("a"))
    for key in keys { _ = model.press(key) }
    return model
  }

  private func addedURLs(_ effects: [DashboardEffect]) -> [String]? {
    guard case .service(.add(let specs)) = effects.first, effects.count == 1 else { return nil }
    return specs.map(\.url.text)
  }

  @Test func `a typed URL is added by Enter`() {
    var model = opened()
    _ = model.type("https://example.org/a b")
    #expect(model.press(.enter) == [])
    #expect(
      model.said
        == "The URL \"https://example.org/a b\" contains a space; write %20, or quote each URL "
        + "separately")
    _ = model.press(.backspace, .backspace)
    #expect(addedURLs(model.press(.enter)) == ["https://example.org/a"])
    _ = model.update(.commandFinished(.added(count: 1, first: nil)), at: Sample.now)
    #expect(model.screens.isEmpty)
    #expect(model.said == "1 transfer added")
  }

  @Test func `many lines are added in order, and empty ones are ignored`() {
    var model = opened(.paste("https://example.org/1\n\n  https://example.org/2  \r\nhttp://b/3\n"))
    #expect(
      addedURLs(model.press(.enter))
        == ["https://example.org/1", "https://example.org/2", "http://b/3"])
  }

  @Test func `the valid lines are added, and the invalid ones stay in the form`() {
    var model = opened(
      .paste("https://example.org/1\nnonsense\nhttps://example.org/2\nnfs://a/b"))
    #expect(
      addedURLs(model.press(.enter)) == ["https://example.org/1", "https://example.org/2"])
    _ = model.update(.commandFinished(.added(count: 2, first: nil)), at: Sample.now)
    #expect(model.keyContext == .add)
    #expect(model.said == "2 transfers added; the 2 invalid lines are left")
    #expect(model.press(.enter) == [])
    #expect(model.said?.contains("nonsense") == true)
    _ = model.press(.control("u"))
    _ = model.type("http://c/d")
    #expect(addedURLs(model.press(.enter)) == ["http://c/d"])
    _ = model.update(.commandFinished(.added(count: 1, first: nil)), at: Sample.now)
    #expect(model.said == "1 transfer added; the invalid line is left")
    _ = model.press(.control("u"), .backspace)
    #expect(model.press(.enter) == [])
    #expect(model.said == "No URL yet; type or paste one")
  }

  @Test func `a form with invalid lines only adds nothing`() {
    var model = opened(.paste("nonsense"))
    #expect(model.press(.enter) == [])
    #expect(model.said?.contains("nonsense") == true)
  }

  @Test func `lines that begin with # are comments`() {
    var model = opened(.paste("# mirrors\nhttps://example.org/1\n  # https://example.org/2"))
    #expect(model.screen().lines.contains { $0.contains("1 URL; Enter adds it") })
    #expect(addedURLs(model.press(.enter)) == ["https://example.org/1"])
    _ = model.update(.commandFinished(.added(count: 1, first: nil)), at: Sample.now)
    #expect(model.screens.isEmpty)
  }

  @Test func `Esc keeps what was typed until it is added`() {
    var model = opened(.paste("https://example.org/1"), .tab, .paste("/data"))
    _ = model.press(.escape)
    #expect(model.said == "What you typed is kept; a shows it again")
    _ = model.press(.character("a"))
    #expect(model.screen().lines.contains { $0.contains("https://example.org/1 ") })
    #expect(model.screen().lines.contains { $0.contains("/data ") })
    // What is pasted does not join it.
    _ = model.press(.escape, .paste("https://example.org/2\n"))
    #expect(addedURLs(model.press(.enter)) == ["https://example.org/2"])
    _ = model.update(.commandFinished(.added(count: 1, first: nil)), at: Sample.now)
    _ = model.press(.character("a"))
    #expect(addedURLs(model.press(.enter)) == ["https://example.org/1"])
    _ = model.update(.commandFinished(.added(count: 1, first: nil)), at: Sample.now)
    _ = model.press(.character("a"))
    #expect(!model.screen().lines.contains { $0.contains("/data ") })
    _ = model.press(.escape)
    #expect(model.said == nil)
  }

  @Test func `a queue with hours is made before the transfer is added to it`() {
    var model = opened(.paste("https://example.org/1"))
    _ = model.press(.tab, .tab, .tab, .tab)
    _ = model.type("night 1:00-6:00")
    let effects = model.press(.enter)
    #expect(
      effects.first == .service(.configure(ConfiguredKey("queues.night.hours", ["01:00-06:00"]))))
    guard case .service(.add(let specs)) = effects.last else {
      Issue.record("nothing was added")
      return
    }
    #expect(specs.map(\.options.queue) == [QueueName("night")])
    var wrong = opened(.paste("https://example.org/1"))
    _ = wrong.press(.tab, .tab, .tab, .tab)
    _ = wrong.type("night 1:00-25:00")
    #expect(wrong.press(.enter) == [])
    #expect(wrong.said?.hasPrefix("A queue is a name of letters") == true)
  }

  @Test func `the login in a URL is stored separately`() {
    var model = opened(.paste("https://me:secret@example.org/a"))
    guard case .service(.add(let specs)) = model.press(.enter).first else {
      Issue.record("nothing was added")
      return
    }
    #expect(specs.first?.url.text == "https://example.org/a")
    #expect(specs.first?.login == Login(user: "me", password: "secret"))
  }

  @Test func `pasting into the list opens the dialog with the text`() {
    var model = Sample.model(columns: 80, rows: 24)
    #expect(model.press(.paste("https://example.org/a\n")) == [])
    #expect(addedURLs(model.press(.enter)) == ["https://example.org/a"])
  }

  @Test func `letters are text, not commands`() {
    var model = opened()
    let effects = model.type("spxSXPRdDq?")
    #expect(effects.isEmpty)
    #expect(model.screens.count == 1)
    #expect(model.press(.escape) == [])
    #expect(model.screens.isEmpty)
  }

  @Test func `an empty dialog adds nothing`() {
    var model = opened()
    #expect(model.press(.enter) == [])
    #expect(model.said == "No URL yet; type or paste one")
    #expect(model.screens.count == 1)
  }

  @Test func `text can be edited at any cursor position`() {
    var model = opened()
    _ = model.type("ttps://example.org/ab")
    _ = model.press(.home)
    _ = model.type("h")
    _ = model.press(.end, .left, .backspace)
    _ = model.type("A")
    _ = model.press(.delete)
    _ = model.type("B")
    #expect(addedURLs(model.press(.enter)) == ["https://example.org/AB"])
  }

  @Test func `lines can be joined and split`() {
    var model = opened(.paste("https://example.org/\nfile"))
    _ = model.press(.home, .backspace)
    _ = model.press(.end, .control("j"))
    _ = model.type("http://b/")
    #expect(addedURLs(model.press(.enter)) == ["https://example.org/file", "http://b/"])
  }

  // Fault 135
  @Test func `too many lines are rejected and nothing is lost`() {
    var model = opened(.paste("https://example.org/a"))
    let lines = String(repeating: "x\n", count: URLLines.lineCountMax)
    _ = model.press(.paste(lines))
    #expect(model.said?.contains("kettle add -i FILE") == true)
    #expect(addedURLs(model.press(.enter)) == ["https://example.org/a"])
  }

  @Test func `without the service Enter shows a message and keeps the text`() {
    var model = opened(.paste("https://example.org/a"))
    _ = model.update(.linkChanged(.lost), at: Sample.now)
    #expect(model.press(.enter) == [])
    #expect(model.said == "Not connected to the service; reconnecting")
    _ = model.update(.linkChanged(.connected), at: Sample.now)
    #expect(addedURLs(model.press(.enter)) == ["https://example.org/a"])
  }
}
