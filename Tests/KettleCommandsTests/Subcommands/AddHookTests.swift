import KettleModel
import Testing

@testable import KettleCommands

/// `--then` of `kettle add` and `kettle get`.
@Suite(.timeLimit(.minutes(5)))
struct AddHookTests {
  private func specs(_ context: FakeContext) -> [TransferSpec] {
    context.service.asked.flatMap { asked in
      if case .add(let specs) = asked { specs } else { [TransferSpec]() }
    }
  }

  @Test(arguments: [
    ("unzip -o {path}", ["unzip", "-o", "{path}"]),
    ("~/bin/mine", ["~/bin/mine"]),
    ("bin/mine 'a b'", ["/here/bin/mine", "a b"]),
    ("./mine", ["/here/./mine"]),
  ])
  func `a command is split into words and sent`(text: String, words: [String]) async {
    var context = FakeContext()
    context.directory = "/here"
    let outcome = await context.run("add", "https://example.org/a", "--then", text)
    #expect(outcome.code == 0, "\(outcome.error)")
    #expect(specs(context).map { $0.options.then?.words } == [words])
  }

  @Test(arguments: ["", "'", "a 'b", "sh -c 'rm {path}'"])
  func `what is not a command queues nothing`(text: String) async {
    let context = FakeContext()
    let outcome = await context.run("add", "https://example.org/a", "--then", text)
    #expect(outcome.code == 2)
    #expect(outcome.error.contains("--then"))
    #expect(specs(context).isEmpty)
  }

  @Test func `a file that is not kept has no program`() async {
    let outcome = await FakeContext().run(
      "get", "-o", "-", "https://example.org/a", "--then", "mine")
    #expect(outcome.code == 2)
    #expect(outcome.error.contains("is not kept for the program of --then"))
  }
}
