import KettleEngine
import KettleModel
import Testing

@testable import KettleDaemon

/// The transfers whose latest hook failed.
struct FailedHookTests {
  private let id = TransferID(rawValue: 7)

  private func run(
    _ number: Int64, _ outcome: HookOutcome, of transfer: Int64? = 7
  ) throws -> HookRun {
    let time = WallTime(millisecondsSince1970: 0)
    var run = HookRun(
      id: HookRunID(rawValue: number), event: .completed,
      transfer: transfer.map(TransferID.init(rawValue:)),
      command: try HookCommand.make(["notify-me"]).get(), dueAt: time)
    run.standing = .ended(HookEnd(outcome, at: time))
    return run
  }

  private func row(_ state: TransferState = .completed) throws -> TransferSnapshot {
    RowMaker(documentsDirectory: "/d").row(of: try ListWorld.record(7, state))
  }

  private func table(_ state: TransferState = .completed) throws -> RowTable {
    var table = RowTable(RowMaker(documentsDirectory: "/d"))
    table.update(try row(state))
    return table
  }

  @Test func `the latest hook of a transfer counts`() throws {
    var table = try table()
    table.hookEnded(try run(1, .exited(code: 3)))
    #expect(table.row(id)?.failedHook == "\"notify-me\" exited with 3")
    #expect(table.totals.failedHookCount == 1)
    // The engine's rows know nothing of hooks.
    table.update(try row())
    #expect(table.row(id)?.failedHook == "\"notify-me\" exited with 3")
    table.hookEnded(try run(2, .exited(code: 0)))
    #expect(table.row(id)?.failedHook == nil)
    #expect(table.totals.failedHookCount == nil)
    table.hookEnded(try run(3, .exited(code: 1), of: nil))
    #expect(table.totals.failedHookCount == nil)
  }

  @Test func `a clear of the view ends the count, and a new run or a removal the mark`() throws {
    var table = try table()
    table.hookEnded(try run(1, .timedOut(seconds: 5)))
    table.clear(upTo: 7)
    #expect(table.totals.failedHookCount == nil)
    #expect(table.row(id)?.failedHook != nil)
    table.update(try row(.running))
    #expect(table.row(id)?.failedHook == nil)
    table.hookEnded(try run(2, .exited(code: 1)))
    table.remove(id)
    table.update(try row())
    #expect(table.row(id)?.failedHook == nil)
    #expect(table.totals.failedHookCount == nil)
  }

  @Test func `the filter finds awake and dormant ones`() async throws {
    let world = try ListWorld(
      dormant: [5, 6, 7, 8].map { try ListWorld.record($0, .completed) })
    try world.load(8)
    let failed = Viewport(filter: RowFilter(hookFailed: true), count: 10)
    #expect(try await world.ids(failed) == [])
    for transfer in [Int64(6), 8] {
      let run = try run(transfer, .exited(code: 1), of: transfer)
      world.list.update { $0.hookEnded(run) }
    }
    #expect(try await world.ids(failed) == [6, 8])
    #expect(try await world.list.matching(RowFilter(hookFailed: true), except: []).count == 2)
    let run = try run(9, .exited(code: 0), of: 6)
    world.list.update { $0.hookEnded(run) }
    #expect(try await world.ids(failed) == [8])
  }
}
