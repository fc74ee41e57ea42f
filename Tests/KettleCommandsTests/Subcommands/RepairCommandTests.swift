import KettleModel
import Testing

@testable import KettleCommands

/// `kettle verify` and `kettle repair` of files that the service has finished.
@Suite(.timeLimit(.minutes(5)))
struct RepairCommandTests {
  private static let now = WallTime(millisecondsSince1970: FakeClock.start)
  private let one = TransferID(rawValue: 1)
  private let two = TransferID(rawValue: 2)

  private func context() -> FakeContext {
    var first = snapshot(1, .completed, title: "a.iso")
    first.path = "/d/a.iso"
    first.bytesExpected = 8 << 20
    var second = snapshot(2, .completed, title: "b.iso")
    second.path = "/d/b.iso"
    let context = FakeContext()
    var own = context
    own.service = FakeService([first, second])
    return own
  }

  private func damage() throws -> FileCheck {
    var damaged = ByteRangeSet()
    damaged.insert(try #require(ByteRange(lower: 1 << 20, upper: 2 << 20)))
    return FileCheck(.damaged, at: Self.now, damaged: damaged)
  }

  @Test func `the result of each file is a line, and damage is exit code 1`() async throws {
    let context = context()
    context.service.verify(
      answers: [.comparing(byteCount: 1 << 20), .waiting],
      [.ended(FileCheck(.intact, at: Self.now)), .comparing(byteCount: 0)],
      [.ended(try damage())])
    let outcome = await context.run("verify", "1", "2")
    #expect(
      outcome.output == """
        1  a.iso: intact, 8.0 MiB
        2  b.iso: damaged: 1.0 MiB, at 1.0 MiB
        Compared 2 files: 1 intact, 1 damaged

        """)
    #expect(outcome.code == 1)
  }

  @Test func `a path stands for its transfer, and the service says the time of an age`()
    async throws
  {
    let context = context()
    context.service.verify(answers: [.waiting], [.ended(FileCheck(.intact, at: Self.now))])
    let outcome = await context.run("verify", "/d/b.iso", "--since", "1h")
    #expect(outcome.code == 0)
    let asked = context.service.asked
    #expect(asked.contains(.verify([two], since: nil, ageMax: 3_600_000, .report)))
    #expect(
      asked.contains(
        .verify([two], since: FakeService.verifiedSince, ageMax: 3_600_000, .report)))
    let unknown = await context.run("verify", "/d/c.iso")
    #expect(unknown.code == 2)
    #expect(unknown.error.contains("\"/d/c.iso\" is not the finished file of a transfer"))
  }

  @Test func `a repair follows its transfer, and says why it failed`() async throws {
    let context = context()
    let failure = TransferFailure(.checksumMismatch, on: "/d/a.iso", detail: "others")
    context.service.verify(
      answers: [.waiting], [.repairing(by: two)], [.unrepaired(try damage(), failure)])
    let outcome = await context.run("repair", "1", "--force")
    #expect(outcome.code == 1)
    #expect(outcome.error.contains("Transfer 1 is not repaired"))
    #expect(
      context.service.asked.contains(
        .verify([one], since: nil, ageMax: 0, .repairEvenIfEdited)))
  }

  @Test func `a file that is damaged again after its repair is not repaired without end`()
    async throws
  {
    let context = context()
    context.service.verify(
      answers: [.repairing(by: two)], [.waiting], [.repairing(by: TransferID(rawValue: 3))])
    let outcome = await context.run("repair", "1")
    #expect(outcome.code == 1)
    #expect(
      outcome.error.contains(
        "Transfer 1 was repaired and is damaged again: its disk may be failing"))
  }

  @Test func `without a finished file there is nothing to compare`() async {
    let context = context()
    context.service.verify(answers: [.refused])
    let outcome = await context.run("verify", "1")
    #expect(outcome.code == 1)
    #expect(outcome.error.contains("Transfer 1 has no finished file of Kettle's to compare"))
  }

  @Test(arguments: [
    ["verify"], ["repair"], ["verify", "1", "--all"], ["verify", "1", "--since", "x"],
  ])
  func `what names no files is refused`(words: [String]) async {
    #expect(await context().run(words).code == 2)
  }

  @Test func `JSON has the damaged ranges`() async throws {
    let context = context()
    context.service.verify(answers: [.ended(try damage())])
    let outcome = await context.run("verify", "1", "--json")
    #expect(outcome.output.contains("\"result\": \"damaged\""))
    #expect(outcome.output.contains("\"first\": 1048576"))
    #expect(outcome.output.contains("\"last\": 2097151"))
  }
}
