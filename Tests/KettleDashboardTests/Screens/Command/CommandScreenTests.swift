import KettleModel
import Testing

@testable import KettleDashboard

/// The palette.
struct CommandScreenTests {
  private func opened(_ text: String, columns: Int = 80, rows: Int = 24) -> Dashboard {
    var model = Sample.model(columns: columns, rows: rows)
    _ = model.press(.character(":"))
    _ = model.type(text)
    return model
  }

  private func run(_ text: String) -> [DashboardEffect] {
    var model = opened(text)
    return model.press(.enter)
  }

  private func ids(_ numbers: Int64...) -> TransferSelection {
    .ids(numbers.map { TransferID(rawValue: $0) })
  }

  @Test func `a command applies to the row under the cursor, or to the given IDs`() {
    #expect(run("pause") == [.service(.control(.pause, ids(1)))])
    #expect(run("kettle stop") == [.service(.control(.stop, ids(1)))])
    #expect(run("resume 3 5") == [.service(.control(.start, ids(3, 5)))])
    #expect(run("pause --all") == [.service(.control(.pause, .all))])
    #expect(run("rm 4") == [.service(.remove(ids(4), withFile: false))])
    #expect(run("limit 500K") == [.service(.limit(ids(1), 512_000))])
    #expect(run("limit none --all") == [.service(.limit(.all, nil))])
    #expect(run("limit 1M 2") == [.service(.limit(ids(2), 1 << 20))])
    #expect(run("quit") == [.terminal(.leave)])
    #expect(run("clear-finished") == [.service(.clearFinished)])
    guard case .service(.add(let specs)) = run("add https://example.org/a http://b/c").first else {
      Issue.record("nothing was added")
      return
    }
    #expect(specs.map(\.url.text) == ["https://example.org/a", "http://b/c"])
  }

  @Test func `a setting is changed, and a queue is made by its hours`() {
    #expect(
      run("config set limits.rate 2M")
        == [.service(.configure(ConfiguredKey("limits.rate", ["2M"])))])
    #expect(
      run("kettle config set hooks.completed -- sh -c true")
        == [.service(.configure(ConfiguredKey("hooks.completed", ["sh", "-c", "true"])))])
    #expect(
      run("queue night 22:00-6:00")
        == [.service(.configure(ConfiguredKey("queues.night.hours", ["22:00-06:00"])))])
    var settings = DashboardSettings()
    settings.names = [SettingName("limits.rate", meaning: "How fast everything may be")]
    var model = Sample.model(columns: 120, rows: 30, settings: settings)
    _ = model.press(.character(":"))
    _ = model.type("how fast")
    #expect(model.press(.enter) == [])
    // The entry waits for its value.
    #expect(model.keyContext == .command)
    _ = model.type("2M")
    #expect(
      model.press(.enter) == [.service(.configure(ConfiguredKey("limits.rate", ["2M"])))])
    _ = model.update(
      .commandFinished(.configured(ConfiguredKey("limits.rate", ["2M"]), notices: [])),
      at: Sample.now)
    #expect(model.said == "Set limits.rate to 2M")
  }

  @Test func `a setting that may have a password is neither shown again nor remembered`() {
    var model = opened("config set proxy.url http://me:pass@proxy.example:8080")
    let setting = ConfiguredKey("proxy.url", ["http://me:pass@proxy.example:8080"])
    #expect(model.press(.enter) == [.service(.configure(setting))])
    _ = model.update(.commandFinished(.configured(setting, notices: [])), at: Sample.now)
    #expect(model.said == "Set proxy.url")
    #expect(ServiceEffect.configure(setting).shellCommand("kettle") == nil)
    _ = model.press(.character(":"))
    #expect(!model.screen().lines.contains { $0.contains("pass@") })
  }

  @Test func `a queue that was made is offered, and Enter on its beginning does nothing else`() {
    var model = opened("make a queue", columns: 120, rows: 30)
    #expect(model.press(.enter) == [])
    #expect(model.press(.enter) == [])
    #expect(model.keyContext == .command)
    _ = model.type("evening 20:00-22:00")
    let setting = ConfiguredKey("queues.evening.hours", ["20:00-22:00"])
    #expect(model.press(.enter) == [.service(.configure(setting))])
    _ = model.update(.commandFinished(.configured(setting, notices: [])), at: Sample.now)
    _ = model.press(.character(":"))
    _ = model.type("evening")
    let lines = model.screen().lines
    #expect(lines.contains { $0.contains("queue evening") && $0.contains("Move it to") })
  }

  @Test func `a command applies to the marked rows`() {
    var model = Sample.model(columns: 80, rows: 24)
    _ = model.press(.character(" "), .character(" "), .character(":"))
    _ = model.type("pause")
    #expect(model.press(.enter) == [.service(.control(.pause, ids(1, 2)))])
  }

  @Test func `an action opens its dialog, or says why it is not possible and stays`() {
    var model = opened("reset")
    #expect(model.press(.enter) == [])
    #expect(model.keyContext == .question)
    model = opened("start")
    #expect(model.press(.enter) == [])
    #expect(model.said == "It is already running")
    #expect(model.keyContext == .command)
  }

  @Test(arguments: [
    ("frobnicate", "Nothing is called \"frobnicate\""),
    ("pause x", "\"x\" is not the ID of a transfer"),
    ("limit fast", "Write 500K or 1.5M; empty for no limit"),
    ("reset 4", "\"reset\" takes no words"), ("quit now", "\"quit\" takes no words"),
    ("theme bleu", "There is no theme \"bleu\""), ("sort colour", "There is no sort \"colour\""),
    ("filter host:", "\"host:\" needs a host, as in host:example.org"),
  ])
  func `a problem is shown, and the line stays`(text: String, sentence: String) {
    var model = opened(text)
    #expect(model.press(.enter) == [])
    #expect(model.said == sentence)
    #expect(model.keyContext == .command)
  }

  /// The first line of the list.
  private func first(_ text: String) -> String? {
    let lines = opened(text, columns: 120, rows: 30).screen().lines
    return lines.first { $0.contains("│ > ") || $0.contains("│ >") }
  }

  @Test(arguments: [
    ("front", "Alt-k  queue-top"), ("clf", "clear-finished"), ("quit", "leave"),
    ("nord", "theme"), ("thlig", "theme light"), ("sort si", "sort size"),
    ("limit none", "limit none"), ("downloaded bytes", "pause"),
    ("limit 500K", "kettle limit 500K 1"),
  ])
  func `what is typed finds the entry`(text: String, expected: String) {
    if text == "nord", !BuiltInTheme.allCases.contains(where: { $0.rawValue == "nord" }) { return }
    #expect(first(text)?.contains(expected) == true, "\(first(text) ?? "nothing")")
  }

  @Test func `commands change the order, the groups, the columns, the filter and the theme`() {
    var model = opened("sort size")
    _ = model.press(.enter)
    #expect(model.list.view.sort.key == .size)
    _ = model.press(.character(":"))
    _ = model.type("group none")
    _ = model.press(.enter)
    #expect(!model.list.view.sort.isGrouped)
    _ = model.press(.character(":"))
    _ = model.type("filter state:failed iso")
    _ = model.press(.enter)
    #expect(model.list.view.filterText == "state:failed iso")
    _ = model.press(.character(":"))
    _ = model.type("theme light")
    _ = model.press(.enter)
    #expect(model.choices.theme == "light")
    _ = model.press(.character(":"))
    _ = model.type("theme configured")
    _ = model.press(.enter)
    #expect(model.choices.theme == nil)
    #expect(run("queue night") == [.service(.assign(ids(1), QueueName("night") ?? .standard))])
  }

  @Test func `Enter without a text closes, and Down chooses`() {
    var model = opened("")
    #expect(model.press(.enter) == [])
    #expect(model.keyContext == .list)
    _ = model.press(.character(":"))
    _ = model.type("pau")
    #expect(model.press(.down, .enter) == [.service(.control(.pause, .all))])
    #expect(model.keyContext == .list)
  }

  @Test func `Tab makes the chosen command the text`() {
    var model = opened("lim")
    _ = model.press(.tab)
    _ = model.type("1M")
    #expect(model.press(.enter) == [.service(.limit(ids(1), 1 << 20))])
    model = opened("clearf")
    _ = model.press(.tab)
    #expect(model.press(.enter) == [.service(.clearFinished)])
  }

  @Test func `recent commands come first`() {
    var model = opened("limit 500K 4")
    _ = model.press(.enter, .character(":"), .down)
    #expect(model.press(.enter) == [.service(.limit(ids(4), 512_000))])
    _ = model.press(.character(":"))
    _ = model.type("4")
    #expect(model.press(.enter) == [.service(.limit(ids(4), 512_000))])
  }

  @Test func `a click does what the line says`() throws {
    var model = opened("pause-")
    let place = try #require(model.screen().position(of: "pause-all"))
    #expect(model.click(row: place.row, column: place.column) == [.service(.control(.pause, .all))])
    model = opened("")
    _ = model.click(row: 0, column: 0)
    #expect(model.keyContext == .list)
  }

  @Test func `without the service an entry says so`() {
    var model = opened("pause")
    _ = model.update(.linkChanged(.lost), at: Sample.now)
    #expect(model.press(.enter) == [])
    #expect(model.said == "Not connected to the service; reconnecting")
  }

  @Test func `every other word stands for an action that has it alone`() {
    var words: Set<String> = []
    let actions = Set(Bindings.all.map(\.name))
    for (action, others) in CommandVocabulary.otherWords {
      #expect(actions.contains(action), "\(action)")
      for word in others { #expect(words.insert(word).inserted && !actions.contains(word)) }
    }
  }
}
