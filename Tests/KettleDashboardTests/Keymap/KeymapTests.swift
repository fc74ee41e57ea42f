import KettleDashboard
import KettleModel
import Testing

struct KeymapTests {
  private func keymap(_ mappings: (String, [String])...) -> Keymap {
    Keymap(
      mappings.enumerated().map {
        KeyMapping(action: $0.element.0, keys: $0.element.1, line: $0.offset + 1)
      })
  }

  private func sentences(_ keymap: Keymap) -> [String] {
    keymap.problems.map { $0.sentence(path: "/c/config.toml") }
  }

  @Test func `the default keymap contains every standard binding`() {
    #expect(Keymap.standard.problems.isEmpty)
    for action in Bindings.all {
      for context in action.contexts {
        for key in action.keys {
          #expect(Keymap.standard.action(for: key, in: context) == action.name)
        }
      }
    }
  }

  @Test func `a mapping replaces all default keys of its action`() {
    let keymap = keymap(("start", ["m", "F5"]), ("suspend", []))
    #expect(keymap.problems.isEmpty)
    #expect(keymap.action(for: .character("m"), in: .list) == "start")
    #expect(keymap.action(for: .function(5), in: .list) == "start")
    #expect(keymap.action(for: .character("s"), in: .list) == nil)
    #expect(keymap.action(for: .control("z"), in: .list) == nil)
    #expect(keymap.action(for: .character("p"), in: .list) == "pause")
    #expect(keymap.key(of: "start") == .character("m"))
    #expect(keymap.key(of: "suspend") == nil)
  }

  @Test func `messages name the mapped keys`() {
    var settings = DashboardSettings()
    settings.keymap = keymap(("start", ["F5"]), ("add", ["F2"]), ("help", ["F1"]))
    var model = Dashboard(size: ScreenSize(columns: 80, rows: 24), settings: settings)
    _ = model.update(.linkChanged(.connected), at: Sample.now)
    _ = model.update(.rowsArrived(.empty, Totals()), at: Sample.now)
    _ = model.press(.character("x"))
    #expect(model.said == "The list is empty; F2 adds transfers")
    #expect(model.screen().lines.contains { $0.contains("F2  type one, or") })
    _ = model.press(.alt("x"))
    #expect(model.said == "There is nothing on Alt-x here; F1 shows the keys")
    let row = Sample.row(1, titled: "New", state: .idle)
    let window = ListWindow(first: 0, matchingCount: 1, rows: [row])
    _ = model.update(.rowsArrived(window, Sample.totals(of: [row])), at: Sample.now)
    _ = model.press(.character("p"))
    #expect(model.said == "It is not started; F5 starts it")
  }

  @Test func `no screen shows an unresolved action placeholder`() {
    for situation in Situations.found {
      var text = situation.model.screen().lines.joined(separator: "\n")
      // A hook is filled in by these.
      for part in ["{path}", "{title}"] { text = text.replacing(part, with: "") }
      #expect(!text.contains("{") && !text.contains("}"), "\(situation.name)")
    }
  }

  @Test func `two actions can swap keys`() {
    let keymap = keymap(("start", ["p"]), ("pause", ["s"]))
    #expect(keymap.problems.isEmpty)
    #expect(keymap.action(for: .character("p"), in: .list) == "start")
    #expect(keymap.action(for: .character("s"), in: .list) == "pause")
  }

  @Test func `a paste still adds when the add key is remapped`() {
    let keymap = keymap(("add", ["F2"]))
    #expect(keymap.action(for: .paste("https://example.org/"), in: .list) == "add")
    #expect(keymap.action(for: .function(2), in: .list) == "add")
  }

  @Test func `a key can have different bindings in the list and in a reader screen`() {
    let keymap = keymap(("scroll-page-down", ["o"]))
    #expect(keymap.problems.isEmpty)
    #expect(keymap.action(for: .character("o"), in: .list) == "sort-menu")
    #expect(keymap.action(for: .character("o"), in: .reader) == "scroll-page-down")
  }

  @Test func `an invalid mapping is reported with its line and the others apply`() {
    let keymap = keymap(
      ("begin", ["m"]), ("start", ["Meta-s"]), ("erase-line", ["e"]), ("leave", []),
      ("pause", ["x"]), ("reset", ["F9"]))
    #expect(
      sentences(keymap) == [
        "Unknown action \"begin\" on line 1 of \"/c/config.toml\"; the help screen lists all "
          + "actions",
        "The keys of \"start\" on line 2 of \"/c/config.toml\" are ignored: there is no key "
          + "\"Meta-s\"",
        "The keys of \"erase-line\" on line 3 of \"/c/config.toml\" are ignored: e types text "
          + "there",
        "The keys of \"leave\" on line 4 of \"/c/config.toml\" are ignored: it needs at least one "
          + "key",
        "The keys of \"pause\" on line 5 of \"/c/config.toml\" are ignored: x is already bound to "
          + "\"stop\"",
      ])
    #expect(keymap.action(for: .function(9), in: .list) == "reset")
    #expect(keymap.action(for: .character("p"), in: .list) == "pause")
    #expect(keymap.action(for: .character("q"), in: .list) == "leave")
  }

  @Test func `the second of two mappings to the same key is ignored`() {
    let keymap = keymap(("start", ["m"]), ("stop", ["m"]))
    #expect(keymap.problems.map(\.line) == [2])
    #expect(keymap.action(for: .character("m"), in: .list) == "start")
    #expect(keymap.action(for: .character("x"), in: .list) == "stop")
  }

  @Test func `a mapping that depends on an ignored one is ignored too`() {
    let keymap = keymap(("start", ["p"]), ("pause", ["Meta-s"]))
    #expect(keymap.problems.map(\.line) == [1, 2])
    #expect(keymap.action(for: .character("p"), in: .list) == "pause")
    #expect(keymap.action(for: .character("s"), in: .list) == "start")
  }

  @Test func `no mapping binds a key twice in one context`() {
    let actions = Bindings.all.map(\.name)
    let keys = Bindings.all.flatMap(\.keys).map(\.name)
    for (index, action) in actions.enumerated() {
      let keymap = keymap(
        (action, [keys[(index * 7) % keys.count]]),
        (actions[(index * 5 + 3) % actions.count], [keys[(index * 11) % keys.count]]))
      for context in KeyContext.allCases {
        let used = keymap.actions.filter { $0.contexts.contains(context) }.flatMap(\.keys)
        #expect(Set(used).count == used.count, "\(action) in \(context)")
      }
    }
  }

  @Test func `every action has a unique name of lowercase letters and hyphens`() {
    let names = Bindings.all.map(\.name)
    for name in names {
      #expect(name.utf8.allSatisfy { (97...122).contains($0) || $0 == 45 }, "\(name)")
    }
    #expect(Set(names).count == names.count)
  }

  @Test func `every bound key parses from its displayed name`() {
    for key in Bindings.all.flatMap(\.keys) where key != .paste("") {
      #expect(Key(name: key.name) == key, "\(key.name)")
    }
    #expect(Key(name: "Alt-x") == .alt("x"))
    #expect(Key(name: "pgup") == .pageUp)
    #expect(Key(name: "F12") == .function(12))
    #expect(Key(name: "ctrl-l") == .control("l"))
    #expect(Key(name: "é") == .character("é"))
    // Terminals send the same byte for both.
    #expect(Key(name: "Ctrl-M") == .enter)
  }

  @Test(arguments: [
    "", " ", "F0", "F13", "Ctrl-", "Ctrl-1", "Ctrl-ab", "Alt- ", "Shift-a", "paste", "\u{1B}", "\n",
    "That key", "\u{85}",
  ])
  func `an invalid key name is rejected`(name: String) {
    #expect(Key(name: name) == nil)
  }
}

/// How configuration problems are displayed.
struct ConfigurationProblemTests {
  private func model(_ problems: [String]) -> Dashboard {
    var settings = DashboardSettings()
    settings.problems = problems
    var model = Dashboard(size: ScreenSize(columns: 100, rows: 30), settings: settings)
    _ = model.update(.linkChanged(.connected), at: Sample.now)
    return model
  }

  @Test func `configuration problems are shown when the dashboard starts`() {
    #expect(model([]).said == nil)
    #expect(model(["One is wrong"]).said == "One is wrong")
    var many = model(["One is wrong", "Two is wrong"])
    #expect(many.said == "2 problems; ? shows all: One is wrong")
    _ = many.press(.character("?"), .end)
    #expect(many.said == nil)
    #expect(many.screen().lines.contains(" Two is wrong"))
  }

  @Test func `a service notice is shown until a key is pressed, and in full in the help`() {
    let sentence = "The store was damaged and is kept as " + String(repeating: "x", count: 90)
    var model = model(["One is wrong"])
    _ = model.update(.serviceReported([sentence]), at: Sample.now)
    #expect(model.said == "2 problems; ? shows all: " + sentence)
    _ = model.press(.character("?"), .end)
    #expect(model.said == nil)
    let lines = model.screen().lines
    #expect(lines.contains { $0.contains("Service notices") })
    #expect(lines.contains { $0.contains("The store was damaged") })
    #expect(lines.contains { $0.contains(String(repeating: "x", count: 20)) })
  }

  @Test func `a notice too long for the message line points to the help`() {
    let sentence = String(repeating: "x", count: 99)
    var model = model([])
    _ = model.update(.serviceReported([sentence]), at: Sample.now)
    #expect(model.said == "1 problem; ? shows all: " + sentence)
    _ = model.update(.serviceReported([]), at: Sample.now)
    #expect(model.service.notices.isEmpty)
  }

  @Test func `the help shows the mapped keys`() {
    var settings = DashboardSettings()
    settings.keymap = Keymap([KeyMapping(action: "start", keys: ["F5", "m"], line: 1)])
    var model = Dashboard(size: ScreenSize(columns: 100, rows: 60), settings: settings)
    _ = model.press(.character("?"))
    #expect(
      model.screen().lines.contains { $0.contains("F5 m ") && $0.contains("Start or resume it") })
  }
}
