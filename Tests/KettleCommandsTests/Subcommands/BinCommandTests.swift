import KettleControl
import KettleModel
import Testing

@testable import KettleCommands

@Suite(.timeLimit(.minutes(5)))
struct BinCommandTests {
  private static let start = WallTime(millisecondsSince1970: FakeClock.start)

  private static let stop = BinSnapshot(
    BinAction(number: 5, kind: .stop, at: start), transferCount: 3, byteCount: 5_242_880,
    title: "a\u{1B}.iso")

  private static let clear = BinSnapshot(BinAction(number: 4, kind: .clear, at: start))

  @Test func `each action has a line`() async {
    let context = FakeContext()
    context.service.have([Self.stop, Self.clear])
    #expect(
      await context.run("bin")
        == .init(
          code: 0,
          output: """
            5  14:00  stopped "a\u{FFFD}.iso" and 2 more, 5.0 MiB  until 14:10
            4  14:00  cleared from view  until 14:10

            """, error: ""))
  }

  @Test func `an empty bin says so, and prints an empty array as JSON`() async {
    #expect(
      await FakeContext().run("bin")
        == .init(
          code: 0, output: "", error: "Nothing to undo\n"))
    #expect(await FakeContext().run("bin", "--json") == .init(code: 0, output: "[]\n", error: ""))
  }

  @Test func `JSON has every member`() async {
    let context = FakeContext()
    context.service.have([Self.clear])
    let outcome = await context.run("bin", "--json")
    for part in [
      "\"number\": 4", "\"kind\": \"clear\"", "\"at\": ", "\"expiresAt\": ",
      "\"transferCount\": 0", "\"byteCount\": 0", "\"title\": null",
    ] {
      #expect(outcome.output.contains(part), "\(part)")
    }
  }

  @Test(arguments: [
    (BinAction.Kind.stop, "Brought back 2 stopped downloads (from 14:00)"),
    (.remove, "Brought back 2 downloads (from 14:00)"),
    (.reset, "Brought back 2 downloads as before the reset (from 14:00)"),
    (.pause, "Resumed 2 downloads (from 14:00)"),
    (.start, "Paused 2 downloads again, with every byte (from 14:00)"),
    (.prioritize, "Restored the priority of 2 downloads (from 14:00)"),
    (.move, "Restored the order (from 14:00)"),
  ])
  func `undo says what it restored`(kind: BinAction.Kind, sentence: String) async {
    let context = FakeContext()
    context.service.undo(
      .init(
        kind: kind, at: Self.start,
        restored: IDRuns([TransferID(rawValue: 1), TransferID(rawValue: 2)])))
    #expect(await context.run("undo") == .init(code: 0, output: sentence + "\n", error: ""))
    #expect(context.service.asked == [.undo(nil)])
  }

  @Test func `undo shows cleared transfers again`() async {
    let context = FakeContext()
    context.service.undo(.init(kind: .clear, at: Self.start, uncoveredCount: 1))
    #expect(
      await context.run("undo", "4")
        == .init(
          code: 0, output: "Showing 1 finished download again (from 14:00)\n", error: ""))
    #expect(context.service.asked == [.undo(4)])
  }

  @Test func `undo of nothing exits with 2`() async {
    #expect(
      await FakeContext().run("undo")
        == .init(
          code: 2, output: "", error: "kettle: Nothing to undo\n"))
    #expect(
      await FakeContext().run("undo", "7")
        == .init(
          code: 2, output: "",
          error: "kettle: There is no action 7 to undo; \"kettle bin\" lists what can be "
            + "undone\n"))
  }

  @Test func `undo leaves what has changed since, and says so`() async {
    let context = FakeContext()
    context.service.undo(
      .init(
        kind: .limit, at: Self.start, restored: IDRuns([TransferID(rawValue: 1)]), changedCount: 3),
      .init(kind: .limit, at: Self.start, changedCount: 4),
      .init(kind: .limitAll, at: Self.start),
      .init(kind: .limitAll, at: Self.start, changedCount: 1))
    #expect(
      await context.run("undo").output
        == "Restored the speed limit of 1 download (from 14:00); 3 changed since and stay\n")
    let failed = await context.run("undo")
    #expect(failed.code == 1)
    #expect(failed.error == "kettle: 4 downloads changed since, so nothing was undone\n")
    let all = await context.run("undo").output.dropFirst(failed.output.count)
    #expect(all == "Restored the speed limit for everything (from 14:00)\n")
    #expect(await context.run("undo").code == 1)
  }

  @Test func `undo names transfers that were started again`() async {
    let context = FakeContext()
    context.service.undo(.init(kind: .stop, at: Self.start, busy: [TransferID(rawValue: 3)]))
    #expect(
      await context.run("undo")
        == .init(
          code: 1, output: "",
          error: "kettle: Transfer 3 was started again; stop it, then undo with the number from "
            + "\"kettle bin\"\n"))
  }

  @Test(arguments: [("y", Int32(0)), ("no", 130)])
  func `on a terminal emptying asks`(answer: String, code: Int32) async {
    var context = FakeContext()
    context.service.have([Self.stop])
    context.console = FakeConsole(inputIsTerminal: true, outputColumns: 80)
    context.console.answer(.success(answer))
    #expect(await context.run("bin", "empty").code == code)
    #expect(context.service.asked == (code == 0 ? [.emptyBin] : []))
  }

  @Test func `without a terminal emptying requires --yes`() async {
    let context = FakeContext()
    #expect(
      await context.run("bin", "empty")
        == .init(
          code: 2, output: "",
          error: "kettle: \"kettle bin empty\" asks first, but there is no terminal to ask on; "
            + "add --yes\n"))
    #expect(context.service.asked.isEmpty)
  }

  @Test func `emptying says how much it deleted`() async {
    let context = FakeContext()
    context.service.have([Self.stop, Self.clear])
    #expect(
      await context.run("bin", "empty", "--yes")
        == .init(code: 0, output: "The bin is empty; 5.0 MiB deleted\n", error: ""))
  }
}
