import Testing

@testable import KettleCommands

@Suite(.timeLimit(.minutes(5)))
struct CompletionCommandTests {
  @Test(arguments: [
    ("bash", "complete -o filenames -F _kettle kettle\n"), ("zsh", "compdef _kettle kettle"),
    ("fish", "complete -c 'kettle'"),
  ])
  func `each shell has a script with every visible command`(
    shell: String, registration: String
  ) async {
    let outcome = await FakeContext().run("completion", shell)
    #expect(outcome.code == 0)
    #expect(outcome.output.contains(registration))
    #expect(!outcome.output.hasPrefix("#!"))
    #expect(outcome.output.hasSuffix("\n"))
    for command in CommandNames.shown { #expect(outcome.output.contains(command), "\(command)") }
    #expect(!outcome.output.contains("demo-service"))
    for call in [
      "pause -- positional@0", "limit -- positional@1", "hosts forget -- positional@0",
      "session drop -- positional@0", "list -- --session",
    ] {
      #expect(outcome.output.contains("---completion \(call)"), "\(call)")
    }
  }

  @Test func `another shell is refused`() async {
    let outcome = await FakeContext().run("completion", "tcsh")
    #expect(outcome.code == 2)
    #expect(outcome.output == "")
  }
}
