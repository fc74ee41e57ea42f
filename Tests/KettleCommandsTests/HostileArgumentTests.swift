import Testing

@testable import KettleCommands

/// Hostile arguments, in every place where an error message repeats them.
@Suite(.timeLimit(.minutes(5)))
struct HostileArgumentTests {
  private static let word = "1\nkettle: all is well\r\u{1B}[2J\u{7F}\u{85}\u{2028}\u{202E}X"

  private let accepted = [["list", "--session", word], ["help", word]]

  @Test(arguments: [
    ["pause", word], ["start", word], ["stop", word], ["remove", word], ["wait", word],
    ["limit", word], ["limit", "1M", word], [word], ["list", "--" + word],
    ["list", "--jsn=" + word],
    ["list", "-" + word], ["list", "--state", word], ["list", "--state=" + word], ["list", word],
    ["list", "--session", word], ["watch", word], ["reset", word], ["daemon", word],
    ["session", word], ["help", word], ["demo", "--seconds", word], ["add", word],
    ["add", "ftp" + word + "://h/"], ["add", "-i", word],
    ["add", "https://h/", "--limit", word], ["add", "https://h/", "--limit=" + word],
    ["add", "https://h/", "--connections", word], ["add", "https://h/", "--priority", word],
    ["add", "https://h/", "--checksum", word], ["add", "https://h/", "--header", word],
    ["add", "https://h/", "--not-before", word], ["add", "https://h/", "--on-conflict", word],
    ["add", "https://h/", "-o", word], ["add", "https://h/", "-d", word],
    ["add", "https://h/", "--ca-certificate", word], ["add", "https://h/", "--session", word],
    ["wait", "--all", "--timeout", word], ["get", word], ["--host", word, "list"],
    ["start", "1", "--url", word],
  ])
  func `a rejected argument is not printed raw`(arguments: [String]) async {
    let outcome = await FakeContext().run(arguments)
    // It is accepted as the name of a session to list and as a subject of help.
    #expect(outcome.code == (accepted.contains(arguments) ? 0 : 2), "\(outcome)")
    let shown = outcome.output + outcome.error
    let raw = shown.unicodeScalars.filter {
      $0 != "\n"
        && ($0.value < 32 || (127...159).contains($0.value) || $0 == "\u{2028}" || $0 == "\u{202E}")
    }
    #expect(raw.isEmpty, "\(shown.debugDescription)")
    // The line break in the argument would start a line that looks like one of ours.
    #expect(!shown.contains("\nkettle: all is well"), "\(shown.debugDescription)")
  }

  @Test func `a rejected id is shown on one line`() async {
    let outcome = await FakeContext().run("pause", "1\nX")
    #expect(outcome.code == 2)
    #expect(outcome.error.hasPrefix("kettle: The value '1\u{FFFD}X' is invalid for '<id>'\n"))
  }
}
