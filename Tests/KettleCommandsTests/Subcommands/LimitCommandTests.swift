import KettleControl
import KettleModel
import Testing

@testable import KettleCommands

@Suite(.timeLimit(.minutes(5)))
struct LimitCommandTests {
  private func id(_ number: Int64) -> TransferID { TransferID(rawValue: number) }

  @Test func `each id gets its own limit`() async {
    let context = FakeContext()
    #expect(
      await context.run("limit", "500K", "3", "4")
        == .init(
          code: 0, output: "3: at most 500 KiB/s\n4: at most 500 KiB/s\n", error: ""))
    #expect(context.service.asked == [.limit(.ids([id(3), id(4)]), 512_000)])
  }

  @Test(arguments: [["limit", "1.5M"], ["limit", "1.5M", "--all"], ["limit", "--all", "1.5M"]])
  func `without ids the limit applies to all`(arguments: [String]) async {
    let context = FakeContext()
    #expect(
      await context.run(arguments)
        == .init(code: 0, output: "All downloads together: at most 1.5 MiB/s\n", error: ""))
    #expect(context.service.asked == [.limit(.all, 1_572_864)])
  }

  @Test func `none removes a limit`() async {
    let context = FakeContext()
    #expect(await context.run("limit", "none", "3").code == 0)
    #expect(await context.run("limit", "None").code == 0)
    #expect(
      context.console.output == "3: no limit of its own\nAll downloads together: no limit\n")
    #expect(context.service.asked == [.limit(.ids([id(3)]), nil), .limit(.all, nil)])
  }

  @Test(arguments: ["0", "fast", "-1", "1.5X"])
  func `an invalid rate is rejected before any request`(text: String) async {
    let context = FakeContext()
    let outcome = await context.run("limit", "--", text)
    #expect(outcome.code == 2)
    #expect(
      outcome.error
        == "kettle: Invalid rate \"\(text)\"; write 500K or 1.5M, which is per second, "
        + "or none for no limit\n")
    #expect(context.service.asked.isEmpty)
  }

  @Test func `a number without a unit is questioned`() async {
    let outcome = await FakeContext().run("limit", "5")
    #expect(outcome.code == 2)
    #expect(
      outcome.error == "kettle: \"5\" would be bytes per second; write 5K or 5M, or 5B if you "
        + "mean that\n")
  }

  @Test func `ids together with --all are an error`() async {
    let outcome = await FakeContext().run("limit", "1M", "3", "--all")
    #expect(outcome.code == 2)
    #expect(
      outcome.error == "kettle: \"kettle limit\" takes either ids or --all; leave one of them out\n"
    )
  }

  @Test func `transfers that cannot be limited are named`() async {
    let context = FakeContext()
    context.service.refuse([
      .init(id: id(3), why: .completed), .init(id: id(4), why: .unknown),
    ])
    let outcome = await context.run("limit", "1M", "2", "3", "4")
    #expect(outcome.code == 1)
    #expect(outcome.output == "2: at most 1 MiB/s\n")
    #expect(
      outcome.error == """
        kettle: Transfer 3 is done, so there is nothing to limit
        kettle: There is no transfer 4; "kettle list" shows all transfers

        """)
  }
}
