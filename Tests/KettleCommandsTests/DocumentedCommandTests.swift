import ArgumentParser
import Foundation
import Testing

@testable import KettleCommands

/// Gives every command line of the documents to the real parser.
@Suite(.timeLimit(.minutes(5)))
struct DocumentedCommandTests {
  private static let root = URL(filePath: #filePath).resolvingSymlinksInPath()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// README.md and the pages of `docs`; decisions may name what was rejected.
  private static let documents: [String] = {
    let names = try? FileManager.default.contentsOfDirectory(
      atPath: root.appending(path: "docs").path)
    let pages = (names ?? []).filter { $0.hasSuffix(".md") }.sorted()
    return ["README.md"] + pages.map { "docs/" + $0 }
  }()

  private static func lines(of document: String) throws -> [DocumentedCommands.Line] {
    let text = try String(contentsOf: root.appending(path: document), encoding: .utf8)
    return DocumentedCommands.lines(in: text)
  }

  @Test(arguments: documents) func `every command line of a document can be parsed`(
    document: String
  ) throws {
    for line in try Self.lines(of: document) {
      for words in DocumentedCommands.arguments(of: line.text) {
        let problem = Self.problem(with: words)
        let isAllowed = !line.isComplete && problem?.hasPrefix("Missing") == true
        #expect(problem == nil || isAllowed, "\(line.text) (\(words)): \(problem ?? "")")
      }
    }
  }

  /// What the parser says about a command line; nil if it accepts it or shows a help.
  private static func problem(with words: [String]) -> String? {
    do {
      _ = try parsedCommand(CommandWords(words).arguments)
      return nil
    } catch {
      let isHelp = KettleCommand.exitCode(for: error).isSuccess
      return isHelp ? nil : KettleCommand.message(for: error)
    }
  }

  @Test func `a wrong command line is noticed`() {
    #expect(Self.problem(with: ["list", "--json"]) == nil)
    #expect(Self.problem(with: ["list", "--jsn"])?.hasPrefix("Unknown option") == true)
    #expect(Self.problem(with: ["why"])?.hasPrefix("Missing") == true)
    #expect(Self.problem(with: ["lst"]) != nil)
  }

  @Test func `the pages for beginners have commands of every kind`() throws {
    let lines = try ["README.md", "docs/tutorial.md", "docs/coming-from.md"].flatMap(Self.lines)
    let names = Set(
      lines.flatMap { DocumentedCommands.arguments(of: $0.text) }.compactMap(\.first))
    #expect(lines.count > 130)
    #expect(names.isSuperset(of: ["get", "add", "list", "why", "wait", "verify", "sync", "demo"]))
  }

  @Test func `blocks and code in sentences are read, and output is not`() {
    let document = """
      Type `kettle list` or `kettle-aria2c`, not `kettle get URL | tar -x`.
      | `kettle pause ID \\| cat` | `kettle verify ID|PATH` |

      ```sh
      kettle                    # the dashboard
      x=$(kettle add URL) && kettle wait 1; ls
      0 3 * * *  kettle get -q URL
      ```

      ```text
      kettle: no such command
      ```
      """
    let lines = DocumentedCommands.lines(in: document)
    #expect(
      lines.filter { !$0.isComplete }.map(\.text) == [
        "kettle list", "kettle get URL | tar -x", "kettle pause ID | cat", "kettle verify ID|PATH",
      ])
    #expect(
      lines.filter(\.isComplete).map(\.text) == [
        "kettle                    # the dashboard", "x=$(kettle add URL) && kettle wait 1; ls",
        "0 3 * * *  kettle get -q URL",
      ])
  }

  @Test(arguments: [
    ("kettle                    # the dashboard", [[]]),
    (
      "x=$(kettle add URL) && kettle wait $(kettle add URL); ls",
      [["add", "https://example.org/a"], ["wait", "1"], ["add", "https://example.org/a"]]
    ),
    ("kettle get -o - URL | tar -xz", [["get", "-o", "-", "https://example.org/a"]]),
    ("kettle add --header 'K: V' URL...", [["add", "--header", "K: V", "https://example.org/a"]]),
    ("kettle verify ID|PATH", [["verify", "1"], ["verify", "/tmp/a"]]),
    ("kettle list --json > list", [["list", "--json"]]),
    (
      "kettle fleet origin [HOST [--shares N]]",
      [["fleet", "origin", "example.org", "--shares", "1"]]
    ),
    ("0 3 * * *  kettle get -q URL", [["get", "-q", "https://example.org/a"]]),
    ("apt remove kettle", []),
    ("kettle COMMAND --help", [["list", "--help"]]),
    ("HF_ENDPOINT=URL kettle daemon status", [["daemon", "status"]]),
  ])
  func `a line becomes the words of its commands`(line: String, words: [[String]]) {
    #expect(DocumentedCommands.arguments(of: line) == words)
  }
}
