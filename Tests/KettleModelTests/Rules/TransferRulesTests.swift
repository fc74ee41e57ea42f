import Foundation
import KettleModel
import SeededNumbers
import Testing

struct TransferRulesTests {
  private func url(_ text: String) throws -> TransferURL { try TransferURL.parse(text).get().url }

  private func rule(
    _ number: Int, hosts: [String] = [], extensions: [String] = [], types: [String] = [],
    names: [String] = [], _ set: (inout TransferRule.Effects) -> Void = { _ in }
  ) -> TransferRule {
    var rule = TransferRule(number: number)
    rule.conditions.hosts = hosts
    rule.conditions.fileExtensions = extensions
    rule.conditions.types = types.compactMap(MediaTypePattern.init)
    rule.conditions.names = names.compactMap(NamePattern.init)
    set(&rule.effects)
    return rule
  }

  private func rules(_ rules: TransferRule...) -> TransferRules {
    TransferRules(rules, documentsDirectory: "/downloads")
  }

  private func completed(
    _ rules: TransferRules, _ text: String, _ change: (inout TransferSpec) -> Void = { _ in }
  ) throws -> TransferSpec {
    var spec = TransferSpec(url: try url(text))
    change(&spec)
    return rules.completed(spec)
  }

  // MARK: Conditions

  @Test(arguments: [
    ("https://example.org/a.iso", 1), ("https://dl.example.org/a.iso", 1),
    ("https://example.com/a.ISO", 2), ("https://example.com/a.tar.gz", 3),
    ("https://example.com/debian-12", 4), ("https://example.com/Debian%2D12", 4),
    ("https://example.com/other", nil), ("https://example.com/", nil),
  ])
  func `the first rule that matches counts`(text: String, number: Int?) throws {
    let rules = rules(
      rule(1, hosts: ["example.org"]), rule(2, extensions: ["img", "iso"]),
      rule(3, extensions: ["tar.gz"]), rule(4, names: ["debian-*"]), rule(5, hosts: ["example.org"])
    )
    #expect(try completed(rules, text).options.rule?.number == number)
  }

  @Test func `all conditions of a rule must hold, and it must have one`() throws {
    let both = rules(rule(1, hosts: ["example.org"], extensions: ["iso"]), rule(2))
    let use = try completed(both, "https://example.org/a.iso").options.rule
    #expect(use?.words == "rule 1 (host example.org, extension iso)")
    #expect(try completed(both, "https://example.org/a.zip").options.rule == nil)
    #expect(try completed(both, "https://example.com/a.iso").options.rule == nil)
  }

  @Test func `a type is compared when it is known`() {
    let rule = rule(1, hosts: ["a.example"], types: ["video/*"])
    func verdict(_ host: String, _ type: TransferRule.KnownType) -> TransferRule.Verdict {
      rule.verdict(on: .init(host: host, name: "x", type: type))
    }
    #expect(verdict("a.example", .pending) == .isOpen)
    #expect(verdict("b.example", .pending) == .doesNotMatch)
    #expect(verdict("a.example", .known(nil)) == .doesNotMatch)
    #expect(verdict("a.example", .known("text/html")) == .doesNotMatch)
    var use = RuleUse(number: 1)
    use.host = "a.example"
    use.type = "video/*"
    #expect(verdict("a.example", .known("video/mp4")) == .matches(use))
  }

  @Test func `a decision names the rules before it that are open`() {
    let rules = rules(
      rule(1, types: ["video/*"]), rule(2, names: ["x*"]), rule(3, hosts: ["a.example"]),
      rule(4, types: ["audio/*"]))
    let decision = rules.decision(on: .init(host: "a.example", name: nil, type: .pending))
    #expect(decision.match?.rule.number == 3)
    #expect(decision.open == [1, 2])
    let none = rules.decision(on: .init(host: "b.example", name: "y", type: .pending))
    #expect(none.match == nil)
    #expect(none.open == [1, 4])
  }

  // MARK: Effects

  @Test func `a rule sets what nobody has chosen`() throws {
    let rules = rules(
      rule(1, hosts: ["a.example"]) {
        $0.directory = "Videos"
        $0.title = "{name} from {host}"
        $0.limitBytesPerSecond = 1000
        $0.priority = .low
        $0.connections = 3
      })
    let plain = try completed(rules, "https://a.example/x.mp4")
    #expect(plain.directory == "/downloads/Videos")
    #expect(plain.title == "x.mp4 from a.example")
    #expect(plain.limitBytesPerSecond == 1000)
    #expect(plain.priority == .low)
    #expect(plain.connections == 3)
    #expect(plain.options.rule?.propertyWords == "connections, directory, limit, priority, title")
    let chosen = try completed(rules, "https://a.example/x.mp4") {
      $0.directory = "/data"
      $0.title = "mine"
      $0.limitBytesPerSecond = 5
      $0.priority = .high
      $0.connections = 1
    }
    #expect(chosen.directory == "/data")
    #expect(chosen.title == "mine")
    #expect(chosen.limitBytesPerSecond == 5)
    #expect(chosen.priority == .high)
    #expect(chosen.connections == 1)
    #expect(chosen.options.rule?.properties == [])
  }

  @Test func `a standard value that was chosen stays`() throws {
    let rules = rules(
      rule(1, hosts: ["a.example"]) {
        $0.directory = "/data"
        $0.priority = .low
      })
    let spec = try completed(rules, "https://a.example/x") {
      $0.directory = "/downloads"
      $0.options.chosen = [.priority]
    }
    #expect(spec.directory == "/downloads")
    #expect(spec.priority == .normal)
    #expect(spec.options.chosen == [.directory, .priority])
  }

  @Test func `what the response decides replaces what the URL decided`() throws {
    let rules = rules(
      rule(1, types: ["video/*"]) { $0.directory = "/videos" },
      rule(2, hosts: ["a.example"]) {
        $0.directory = "/a"
        $0.limitBytesPerSecond = 7
      })
    let added = try completed(rules, "https://a.example/watch")
    #expect(added.directory == "/a")
    #expect(added.limitBytesPerSecond == 7)
    let video = rules.adapted(added, toName: "watch", type: "video/mp4")
    #expect(video.directory == "/videos")
    #expect(video.limitBytesPerSecond == nil)
    #expect(video.options.rule?.number == 1)
    let page = rules.adapted(added, toName: "watch", type: "text/html")
    #expect(page == added)
    let gone = TransferRules([], documentsDirectory: "/downloads")
      .adapted(video, toName: "watch", type: "video/mp4")
    #expect(gone.directory == "/downloads")
    #expect(gone.options.rule == nil)
  }

  @Test func `what the user chooses later stays`() throws {
    let rules = rules(
      rule(1, types: ["video/*"]) { $0.limitBytesPerSecond = 9 },
      rule(2, hosts: ["a.example"]) { $0.limitBytesPerSecond = 7 })
    for limit in [nil, 3] as [Int64?] {
      var spec = try completed(rules, "https://a.example/watch")
      spec.limitBytesPerSecond = limit
      spec.options.recordChoice(.limit, isStandard: limit == nil)
      let adapted = rules.adapted(spec, toName: "watch", type: "video/mp4")
      #expect(adapted.limitBytesPerSecond == limit)
    }
  }

  @Test func `the task of a program stays as it is`() throws {
    let rules = rules(rule(1, hosts: ["a.example"]) { $0.directory = "/a" })
    var spec = TransferSpec(url: try url("https://a.example/x"))
    spec.task = TaskOptions(kind: .download)
    #expect(rules.completed(spec) == spec)
    #expect(rules.adapted(spec, toName: "x", type: nil) == spec)
  }

  @Test func `a client cannot say which rule applies`() throws {
    let spec = try completed(rules(), "https://a.example/x") {
      $0.options.rule = RuleUse(number: 4)
    }
    #expect(spec.options.rule == nil)
  }

  @Test func `defaults are for what nobody has chosen`() throws {
    var defaults = TransferDefaults()
    defaults.onConflict = .skip
    defaults.keepsServerTime = true
    defaults.unpacks = true
    let rules = TransferRules(defaults: defaults, documentsDirectory: "/downloads")
    let plain = try completed(rules, "https://a.example/x")
    #expect(plain.onConflict == .skip)
    #expect(plain.options.keepsServerTime)
    #expect(plain.options.unpacks)
    let chosen = try completed(rules, "https://a.example/x") {
      $0.options.chosen = [.onConflict, .serverTime, .unpacking]
    }
    #expect(chosen.onConflict == .rename)
    #expect(!chosen.options.keepsServerTime)
    #expect(!chosen.options.unpacks)
    #expect(
      try completed(rules, "https://a.example/x") { $0.onConflict = .replace }.onConflict
        == .replace)
  }

  @Test func `the options of a ruled transfer survive encoding`() throws {
    let rules = rules(
      rule(2, hosts: ["a.example"], names: ["x*"]) {
        $0.title = "t"
        $0.priority = .high
      })
    let options = try completed(rules, "https://a.example/x") {
      $0.options.chosen = [.limit, .connections]
    }.options
    #expect(options.rule != nil)
    let json = try JSONEncoder().encode(options)
    #expect(try JSONDecoder().decode(TransferOptions.self, from: json) == options)
  }

  // MARK: Against a naive definition

  @Test func `a decision is that of a naive evaluation`() throws {
    let seed = UInt64.random(in: .min ... .max)
    print("Rules seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let hosts = ["a.example", "b.a.example", "c.example"]
    let names = ["x.iso", "y.iso", "y.zip"]
    let types = ["video/mp4", "video/ogg", "text/html"]
    func some(_ all: [String]) -> [String] {
      Bool.random(using: &random)
        ? [] : all.filter { _ in Int.random(in: 0...2, using: &random) == 0 }
    }
    for _ in 0..<2000 {
      let table = TransferRules(
        (1...4).map { number in
          rule(
            number, hosts: some(hosts), extensions: some(["iso", "zip"]), types: some(types),
            names: some(["x*", "y*"]))
        })
      let host = hosts[Int.random(in: 0..<3, using: &random)]
      let name = names[Int.random(in: 0..<3, using: &random)]
      let type = types[Int.random(in: 0..<3, using: &random)]
      func naive(_ type: String?) -> [Int] {
        table.rules.filter { rule in
          let own = rule.conditions
          return !own.isEmpty
            && (own.hosts.isEmpty || own.hosts.contains { host == $0 || host.hasSuffix("." + $0) })
            && (own.fileExtensions.isEmpty
              || own.fileExtensions.contains { name.hasSuffix("." + $0) })
            && (own.names.isEmpty || own.names.contains { $0.text.first == name.first })
            && (own.types.isEmpty
              || type.map { type in own.types.contains { $0.text == type } } ?? true)
        }.map(\.number)
      }
      let full = table.decision(on: .init(host: host, name: name, type: .known(type)))
      #expect(full.match?.rule.number == naive(type).first, "seed \(seed)")
      #expect(full.open.isEmpty)
      let early = table.decision(on: .init(host: host, name: name, type: .pending))
      let possible = naive(nil)
      let certain = possible.first { number in
        table.rules[number - 1].conditions.types.isEmpty
      }
      #expect(early.match?.rule.number == certain, "seed \(seed)")
      #expect(early.open == possible.prefix { $0 != certain }, "seed \(seed)")
    }
  }
}
