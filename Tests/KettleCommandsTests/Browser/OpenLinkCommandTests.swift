import KettleControl
import KettleModel
import Testing

@testable import KettleCommands

@Suite(.timeLimit(.minutes(5)))
struct OpenLinkCommandTests {
  private static let link = "kettle://add?url=https%3A%2F%2Fa.example%2Ff&title=x"
  private var context = FakeContext()

  private var added: [TransferSpec] {
    context.service.asked.flatMap { asked -> [TransferSpec] in
      if case .add(let specs) = asked { specs } else { [] }
    }
  }

  private var isStarted: Bool {
    context.service.asked.contains(.control(.start, .ids([TransferID(rawValue: 1)])))
  }

  @Test func `without a terminal the transfer stays paused`() async {
    let result = await context.run("open-link", Self.link)
    #expect(
      result
        == .init(
          code: 0,
          output: """
            1 paused: "https://a.example/f", which the link calls "x"
            It stays paused; "kettle start 1" starts it, "kettle remove 1" removes it

            """, error: ""))
    #expect(added.map(\.beginning) == [.paused])
    #expect(!isStarted)
    #expect(context.console.questions == [])
  }

  @Test(arguments: [("y", true), ("n", false), ("", false), ("maybe", false)])
  mutating func `in a terminal only yes starts it`(answer: String, starts: Bool) async {
    context.console = FakeConsole(inputIsTerminal: true, outputColumns: 80)
    context.console.answer(.success(answer))
    #expect(await context.run("open-link", Self.link).code == 0)
    #expect(added.map(\.beginning) == [.paused])
    #expect(isStarted == starts)
    #expect(
      context.console.questions == [
        "A link asks for this download. Start it now? [y/N] ", "Press Enter to close ",
      ])
  }

  @Test(arguments: [
    ("https://a/", 2, "kettle: "), (Self.link, 3, "kettle: The service is shutting down"),
  ])
  mutating func `a terminal stays open until an error is read`(
    link: String, code: Int32, start: String
  ) async {
    context.console = FakeConsole(inputIsTerminal: true, outputColumns: 80)
    context.service.fail(FindURLs.name, with: ControlError(.stopping, ""))
    let result = await context.run("open-link", link)
    #expect(result.code == code)
    #expect(result.error.hasPrefix(start) && result.error.count { $0 == "\n" } == 1)
    #expect(context.console.questions == ["Press Enter to close "])
  }

  @Test mutating func `a URL on the list is not added again`() async {
    context.service = FakeService([snapshot(7, .paused, url: "https://a.example/f")])
    let result = await context.run("open-link", Self.link)
    #expect(
      result.output
        == "\"https://a.example/f\" is on the list already, as 7 (paused); nothing was added\n")
    #expect(added == [])
  }

  @Test(arguments: [
    "kettle://add?url=file:///etc/passwd", "kettle://add?url=https://a/&dir=/etc", "https://a/",
    "kettle://run?x=1", "kettle://add?url=%1B%5B2J",
  ])
  func `other links are refused`(link: String) async {
    let result = await context.run("open-link", link)
    #expect(result.code == 2)
    #expect(result.error.hasPrefix("kettle: "))
    #expect(!result.error.contains("\u{1B}"))
    #expect(context.service.asked == [])
  }
}
