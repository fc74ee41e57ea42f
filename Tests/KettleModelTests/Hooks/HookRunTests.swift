import Foundation
import Testing

@testable import KettleModel

struct HookRunTests {
  private static let time = WallTime(millisecondsSince1970: 1_700_000_000_000)

  private func run(_ standing: HookRun.Standing) throws -> HookRun {
    var run = HookRun(
      id: HookRunID(rawValue: 4), event: .needsUser, transfer: TransferID(rawValue: 17),
      command: try HookCommand.make(["/opt/notify-me", "{title}"]).get(), dueAt: Self.time)
    run.standing = standing
    return run
  }

  private static func end(_ outcome: HookOutcome, _ line: String? = nil) -> HookRun.Standing {
    .ended(HookEnd(outcome, at: time, lastLine: line))
  }

  static let standings: [(HookRun.Standing, String)] = [
    (.pending, "waits for its turn"),
    (.running(since: time), "is running"),
    (end(.exited(code: 0), "done"), "exited with 0"),
    (end(.exited(code: 1), "no\u{1B}[31m space"), "exited with 1 (no\u{FFFD}[31m space)"),
    (end(.killed(signal: 11)), "was ended by signal 11"),
    (end(.timedOut(seconds: 1)), "was ended because it ran longer than 1 second"),
    (end(.timedOut(seconds: 300)), "was ended because it ran longer than 300 seconds"),
    (end(.notStarted(errno: "ENOENT")), "was not found"),
    (end(.notStarted(errno: "EACCES")), "may not be executed"),
    (end(.notStarted(errno: "E2BIG")), "could not be started (E2BIG)"),
    (
      end(.interrupted),
      "was still running when the service ended, so its outcome is unknown"
    ),
  ]

  @Test(arguments: standings)
  func `every standing is said and survives the store`(
    standing: HookRun.Standing, words: String
  ) throws {
    let run = try run(standing)
    #expect(run.sentence == "Hook needs-user: \"notify-me\" " + words)
    let data = try JSONEncoder().encode(run)
    #expect(try JSONDecoder().decode(HookRun.self, from: data) == run)
  }

  @Test func `the object is flat`() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let text = String(
      decoding: try encoder.encode(try run(Self.end(.exited(code: 3), "no"))), as: UTF8.self)
    #expect(
      text == """
        {"code":3,"command":["/opt/notify-me","{title}"],"dueAt":1700000000000,\
        "event":"needs-user","finishedAt":1700000000000,"id":4,"lastLine":"no",\
        "outcome":"exited","source":"settings","state":"ended","transfer":17}
        """)
  }

  @Test func `a run for one transfer is named after its option`() throws {
    var run = try run(.pending)
    run.source = .transfer
    #expect(run.sentence == "Hook --then: \"notify-me\" waits for its turn")
  }
}
