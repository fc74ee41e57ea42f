import Foundation
import Testing

@testable import KettleCommands

/// `kettle rules` on real files.
@Suite(.timeLimit(.minutes(5)))
final class RulesCommandTests {
  private let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  private static let file = """
    [downloads]
    directory = "/downloads"
    [[rules]]
    type = "video/*"
    directory = "Videos"
    [[rules]]
    host = ["example.org", "example.com"]
    extension = "iso"
    title = "{name} from {host}"
    limit = "1.5M"
    priority = "low"
    connections = 4
    [[rules]]
    host = "example.net"
    """

  private func run(_ file: String?, _ arguments: String...) async throws
    -> FakeContext.CommandResult
  {
    if let file {
      try FileManager.default.createDirectory(
        atPath: home.path + "/kettle", withIntermediateDirectories: true)
      try Data(file.utf8).write(to: URL(filePath: home.path + "/kettle/config.toml"))
    }
    var context = FakeContext()
    context.environment = [
      "HOME": home.path, "XDG_CONFIG_HOME": home.path, "XDG_STATE_HOME": home.path,
    ]
    return await context.run(["rules"] + arguments)
  }

  @Test func `rules are listed in their order`() async throws {
    let outcome = try await run(Self.file)
    #expect(
      outcome.output == """
        Rule 1: type video/*
          directory Videos
        Rule 2: host example.org or example.com, extension iso
          title {name} from {host}
          limit 1.5M
          priority low
          connections 4
        Rule 3: host example.net
          sets nothing, and no later rule applies

        """)
    #expect(outcome.code == 0)
    #expect(try await run(nil, "list").output == outcome.output)
  }

  @Test func `without rules there is nothing to list`() async throws {
    let outcome = try await run(nil)
    #expect(outcome.code == 0)
    #expect(outcome.output == "")
    #expect(outcome.error.contains("There are no [[rules]] in \"\(home.path)/kettle/config.toml\""))
    #expect(try await run(nil, "--json").output == "[]\n")
  }

  @Test func `a test names the rule, what it sets, and what is undecided`() async throws {
    let outcome = try await run(Self.file, "test", "https://dl.example.org/a.ISO")
    #expect(
      outcome.output == """
        Rule 2 (host example.org, extension iso) applies
          title a.ISO from dl.example.org
          limit 1.5M
          priority low
          connections 4
        Rule 1 may apply instead, which the type or name from the server decides

        """)
    #expect(outcome.code == 0)
    let typed = try await run(nil, "test", "https://x.example/", "--type", "video/mp4; x=y")
    #expect(typed.output == "Rule 1 (type video/*) applies\n  directory /downloads/Videos\n")
    let named = try await run(nil, "test", "https://example.com/x", "-o", "y.iso", "--type", "a/b")
    #expect(named.output.hasPrefix("Rule 2 (host example.com, extension iso) applies\n"))
    let exception = try await run(nil, "test", "https://example.net/x", "--type", "a/b")
    #expect(exception.output == "Rule 3 (host example.net) applies\n  sets nothing\n")
  }

  @Test func `without a rule the test exits with 1`() async throws {
    let open = try await run(Self.file, "test", "https://x.example/a")
    #expect(open.code == 1)
    #expect(
      open.output
        == "No rule applies\nRule 1 may apply, which the type or name from the server decides\n")
    let known = try await run(nil, "test", "https://x.example/a", "--type", "a/b")
    #expect(known.code == 1)
    #expect(known.output == "No rule applies\n")
  }

  @Test func `programs get JSON`() async throws {
    let outcome = try await run(Self.file, "test", "--json", "https://example.org/a.iso")
    #expect(
      outcome.output == #"""
        {"rule": 2, "conditions": {"host": "example.org", "extension": "iso", "type": null, \#
        "name": null}, "effects": {"directory": null, "title": "a.iso from example.org", \#
        "limitBytesPerSecond": 1572864, "priority": "low", "connections": 4, "queue": null}, \#
        "undecided": [1]}

        """#)
    let none = try await run(nil, "test", "--json", "https://x.example/a")
    #expect(
      none.output
        == #"{"rule": null, "conditions": null, "effects": null, "undecided": [1]}"# + "\n")
    let list = try await run(nil, "list", "--json")
    let rules = try #require(
      try JSONSerialization.jsonObject(with: Data(list.output.utf8)) as? [[String: Any]])
    #expect(rules.compactMap { $0["rule"] as? Int } == [1, 2, 3])
  }

  @Test func `a wrong rule is reported and left out`() async throws {
    let wrong = "[[rules]]\nhots = \"a\"\n[[rules]]\nhost = \"b.example\"\n"
    let outcome = try await run(wrong)
    #expect(outcome.code == 2)
    #expect(outcome.output.hasPrefix("Rule 2: host b.example\n"))
    #expect(outcome.error.contains("The key \"rules.1.hots\" in line 2"))
  }

  @Test(arguments: [["ht tp://x"], ["https://x/", "-o", "a/b"], []])
  func `what cannot be tested is refused`(arguments: [String]) async throws {
    var context = FakeContext()
    context.environment = ["HOME": home.path]
    #expect(await context.run(["rules", "test"] + arguments).code == 2)
  }
}
