import KettleModel
import Testing

@testable import KettleDaemon

struct HookFailuresTests {
  private let id = TransferID(rawValue: 7)

  private func run(_ number: Int64, _ outcome: HookOutcome, of id: TransferID?) throws -> HookRun {
    let time = WallTime(millisecondsSince1970: 0)
    var run = HookRun(
      id: HookRunID(rawValue: number), event: .completed, transfer: id,
      command: try HookCommand.make(["notify-me"]).get(), dueAt: time)
    run.standing = .ended(HookEnd(outcome, at: time))
    return run
  }

  @Test func `the latest hook of a transfer counts`() throws {
    var failures = HookFailures()
    failures.record(try run(1, .exited(code: 3), of: id))
    #expect(failures[id] == "\"notify-me\" exited with 3")
    #expect(failures.count == 1)
    failures.record(try run(2, .exited(code: 0), of: id))
    #expect(failures[id] == nil)
    #expect(failures.count == nil)
  }

  @Test func `a hook of no transfer is not reported`() throws {
    var failures = HookFailures()
    failures.record(try run(1, .exited(code: 1), of: nil))
    #expect(failures.count == nil)
  }

  @Test func `a clear of the view ends the count and not the report`() throws {
    var failures = HookFailures()
    failures.record(try run(1, .timedOut(seconds: 5), of: id))
    failures.clear()
    #expect(failures.count == nil)
    #expect(failures[id] != nil)
    failures.forget(id)
    #expect(failures[id] == nil)
  }
}
