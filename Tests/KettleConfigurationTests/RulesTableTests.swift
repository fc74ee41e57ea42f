import KettleModel
import Testing

@testable import KettleConfiguration

struct RulesTableTests {
  private func read(_ text: String) -> (ServiceConfiguration, [ConfigurationProblem]) {
    ServiceConfiguration.read(Array(text.utf8))
  }

  private func sentences(_ text: String) -> [String] {
    read(text).1.map { $0.sentence(path: "/c") }
  }

  @Test func `every key of a rule has its effect`() throws {
    let (configuration, problems) = read(
      """
      [[rules]]
      host = ["Example.org", "10.0.0.1"]
      extension = "ISO"
      type = ["video/*", "audio/ogg"]
      name = 'debian-*'
      directory = "~/Images"
      title = "{name}"
      limit = "1.5M"
      priority = "low"
      connections = 4
      queue = "night"
      [queues.night]
      transfers = 2
      [limits]
      transfers = 3
      [[rules]]
      name = ["a", "b"]
      priority = "0.9"
      directory = "Below/it"
      """)
    #expect(problems.isEmpty)
    #expect(configuration.transfersMax == 3)
    let rules = configuration.rules(home: "/home/me")
    #expect(rules.map(\.number) == [1, 2])
    let first = try #require(rules.first)
    #expect(first.conditions.hosts == ["example.org", "10.0.0.1"])
    #expect(first.conditions.fileExtensions == ["iso"])
    #expect(first.conditions.types.map(\.text) == ["video/*", "audio/ogg"])
    #expect(first.conditions.names.map(\.text) == ["debian-*"])
    #expect(first.effects.directory == "/home/me/Images")
    #expect(first.effects.title == "{name}")
    #expect(first.effects.limitBytesPerSecond == 3 << 19)
    #expect(first.effects.priority == .low)
    #expect(first.effects.connections == 4)
    #expect(first.effects.queue?.text == "night")
    let second = try #require(rules.last)
    #expect(second.conditions.names.map(\.text) == ["a", "b"])
    #expect(second.effects.priority == TransferPriority(0.9))
    #expect(second.effects.directory == "Below/it")
  }

  @Test(arguments: [
    ("host", ["1", "\"\"", "\"a b\"", "\"http://a\"", "[]", "[\"a\", 1]", "true"]),
    ("extension", ["\".iso\"", "\"\"", "\"a/b\"", "\"*\"", "7"]),
    ("type", ["\"video\"", "\"*/*\"", "[\"video/*\", \"x\"]"]),
    ("name", ["\"\"", "\"a/b\"", "3"]),
    ("directory", ["\"\"", "\"../x\"", "\"a/../b\"", "\"~you/a\"", "[\"a\"]", "\"a\\nb\""]),
    ("title", ["\"\"", "\"a\\u0007\"", "1"]),
    ("limit", ["\"none\"", "\"fast\"", "500"]),
    ("priority", ["\"urgent\"", "1", "\"1.1\"", "true"]),
    ("connections", ["0", "65", "\"4\"", "[4]"]),
    ("queue", ["\"other\"", "\"a b\"", "3"]),
  ])
  func `a rule with a wrong value is left out, and the others apply`(
    key: String, values: [String]
  ) throws {
    let name = "rules.#.\(key)"
    let expectation = try #require(ConfigurationKeys.rules.first { $0.name == name }).expectation
    for value in values {
      let condition = key == "host" ? "name = \"x\"" : "host = \"a.example\""
      let (configuration, problems) = read(
        """
        [[rules]]
        \(condition)
        \(key) = \(value)
        [[rules]]
        host = "b.example"
        """)
      #expect(configuration.rules.map(\.number) == [2], "\(key) \(value)")
      #expect(
        problems == [
          ConfigurationProblem(
            .wrongValue("rules.1.\(key)", mustBe: expectation), line: 3)
        ], "\(key) \(value)")
    }
  }

  @Test func `problems are sentences with the line and the nearest key`() {
    #expect(
      sentences("[[rules]]\nhots = \"a\"\n[[rules]]\ntitle = \"x\"\n[[rules]]\nhost = a\n")
        == [
          "The key \"rules.1.hots\" in line 2 of \"/c\" is unknown (did you mean "
            + "\"rules.1.host\"?); correct it and run \"kettle config reload\"",
          "\"rules.2\" in line 3 of \"/c\" has no effect, because it has no host, extension, type "
            + "or name; correct it and run \"kettle config reload\"",
          "The value of \"rules.3.host\" in line 6 of \"/c\" is not quoted; put it in quotes and "
            + "run \"kettle config reload\"",
        ])
    #expect(
      sentences("[rules]\nhost = \"a\"\n") == [
        "\"rules.host\" in line 2 of \"/c\" has no effect, because each element of \"rules\" begins "
          + "with [[rules]]; correct it and run \"kettle config reload\""
      ])
    #expect(
      sentences("[[rules]]\n[rules]\n") == [
        "Line 2 of \"/c\" cannot be read (\"rules\" is an array of tables, so the header needs "
          + "\"[[\" and \"]]\"), so none of its settings is known; correct it and run "
          + "\"kettle config reload\""
      ])
  }

  @Test func `a rule without effects is an exception`() {
    #expect(read("[[rules]]\nhost = 'a'\n").0.rules.first?.effects == TransferRule.Effects())
  }

  @Test func `rules are changed like other keys`() throws {
    var editor = try ConfigurationEditor([])
    #expect(throws: ConfigurationProblem.self) {
      try editor.set("rules.1.directory", toWords: ["Images"])
    }
    try editor.set("rules.1.extension", toWords: ["iso", "img"])
    try editor.set("rules.1.directory", toWords: ["Images"])
    try editor.set("rules.2.host", toWords: ["a.example"])
    #expect(throws: ConfigurationProblem.self) {
      try editor.set("rules.2.priority", toWords: ["urgent"])
    }
    #expect(
      String(decoding: editor.bytes, as: UTF8.self) == """
        [[rules]]
        extension = ["iso", "img"]
        directory = "Images"

        [[rules]]
        host = "a.example"

        """)
  }
}
