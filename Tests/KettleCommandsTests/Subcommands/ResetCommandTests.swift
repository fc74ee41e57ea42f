import KettleControl
import Testing

@testable import KettleCommands

@Suite(.timeLimit(.minutes(5)))
struct ResetCommandTests {
  @Test func `deleted and kept files are listed`() async {
    let context = FakeContext()
    context.service.reset(
      answers: .init(deletedPaths: ["/d/a.iso", "/d/\u{1B}[2J"], keptPaths: ["/d/c.iso"]))
    #expect(
      await context.run("reset", "--yes")
        == .init(
          code: 0,
          output: """
            moved "/d/a.iso" to the bin
            moved "/d/\u{FFFD}[2J" to the bin
            kept "/d/c.iso", which was modified after Kettle wrote it
            All transfers are idle again; 2 files in the bin, 1 kept; "kettle undo" brings \
            everything back for ten minutes

            """, error: ""))
    #expect(context.service.asked == [.reset])
  }

  @Test func `without a terminal reset requires --yes`() async {
    let context = FakeContext()
    let outcome = await context.run("reset")
    #expect(
      outcome
        == .init(
          code: 2, output: "",
          error: "kettle: \"kettle reset\" asks first, "
            + "but there is no terminal to ask on; add --yes\n"))
    #expect(context.service.asked.isEmpty)
  }

  @Test(arguments: [("y", Int32(0)), ("", 130), ("no", 130)])
  func `on a terminal reset asks for confirmation`(answer: String, code: Int32) async {
    var context = FakeContext()
    context.console = FakeConsole(inputIsTerminal: true, outputColumns: 80)
    context.console.answer(.success(answer))
    #expect(await context.run("reset").code == code)
    #expect(
      context.console.questions == [
        "Move every unmodified file that Kettle downloaded to the bin, and reset all transfers to "
          + "idle? [y/N] "
      ])
    #expect(context.service.asked == (code == 0 ? [.reset] : []))
  }
}
