import KettleModel
import Testing

@testable import KettleCommands

/// Long command lines, which the parser gets as few words.
struct ValueRunTests {
  private func ids(_ range: ClosedRange<Int>) -> [String] { range.map(String.init) }
  private func run(_ words: [String]) -> String { words.joined(separator: "\0") }
  private func packed(_ words: [String]) -> [String] {
    RunOfWords.packed(words, of: KettleCommand.self)
  }

  @Test func `a hundred thousand ids are few words for the parser`() {
    #expect(
      packed(["wait"] + ids(1...100_000)) == ["wait", "1", run(ids(2...100_000))])
  }

  @Test(arguments: [
    ["wait", "--timeout"], ["limit"], ["limit", "--all"], ["queues", "move", "night"], ["pause"],
    ["start", "--url"], ["--ascii", "stop", "--"],
  ])
  func `the first word of a row may be something else and stays`(words: [String]) {
    #expect(packed(words + ids(5...200)) == words + ["5", run(ids(6...200))])
  }

  @Test func `options and words that are no ids end a row`() {
    let words = ["remove"] + ids(1...70) + ["--with-file"] + ids(1...70) + ["x", "0", "-3", "7"]
    #expect(
      packed(words)
        == ["remove", "1", run(ids(2...70)), "--with-file", "1", run(ids(2...70))]
        + ["x", "0", "-3", "7"])
  }

  @Test(arguments: [["list"], ["help", "wait"], ["why"], ["hosts", "forget"], []])
  func `the words of other commands stay as they are`(words: [String]) {
    #expect(packed(words + ids(1...200)) == words + ids(1...200))
  }

  @Test func `the words of a short command line stay as they are`() {
    #expect(packed(["pause", "3", "4", "5"]) == ["pause", "3", "4", "5"])
  }

  @Test func `URLs are packed too`() {
    let urls = (1...200).map { "https://example.org/\($0)" }
    #expect(
      packed(["add", "-o", "a"] + urls) == ["add", "-o", "a", run(urls)])
    #expect(packed(["get"] + urls) == ["get", run(urls)])
  }

  @Test func `every command with a repeated argument can take long command lines`() throws {
    func check(_ description: CommandDescription, _ names: [String]) {
      let isRepeating = (description.arguments ?? []).contains {
        $0.kind == .positional && $0.isRepeating && $0.shouldDisplay
      }
      // The values of one setting are few.
      if isRepeating, names != ["config", "set"] {
        let words = packed(names + ids(1...200))
        #expect(words.count < 10, "kettle \(names.joined(separator: " "))")
      }
      for one in description.visibleSubcommands { check(one, names + [one.commandName]) }
    }
    check(try CommandDescription.of(KettleCommand.self), [])
  }
}
