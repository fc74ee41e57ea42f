import GRDB
import KettleEngine
import KettleModel
import Testing
import TestSupport

@testable import KettleStore

/// The runs of hooks, in the store and in the journal in memory.
@Suite struct HookRunsTests {
  private let scratch: StoreScratch

  init() throws { scratch = try StoreScratch() }

  private func journal(
    _ kind: JournalConformanceTests.Kind
  ) throws -> any TransferJournal & TransferArchive {
    switch kind {
    case .sqlite: try scratch.open().journal
    case .memory: InMemoryJournal()
    }
  }

  private static let time = WallTime(millisecondsSince1970: 1_800_000_000_000)

  private func run(_ number: Int64, of transfer: Int64? = 1) throws -> HookRun {
    HookRun(
      id: HookRunID(rawValue: number), event: transfer == nil ? .allDone : .completed,
      transfer: transfer.map { TransferID(rawValue: $0) },
      command: try HookCommand.make(["/opt/a b", "{path}", "it's"]).get(), dueAt: Self.time)
  }

  private func started(_ run: HookRun) -> HookRun {
    var run = run
    run.standing = .running(since: Self.time)
    return run
  }

  private func ended(_ run: HookRun) -> HookRun {
    var run = run
    run.standing = .ended(HookEnd(.exited(code: 3), at: Self.time, lastLine: "no \u{1F511}"))
    return run
  }

  private static let occasion = HookOccasion.transfer(
    TransferSnapshot(
      id: TransferID(rawValue: 1), session: .kettle, taskIdentifier: 1, title: "a\nb",
      url: "https://example.org/", state: .completed, path: "/d/a\n'b'\"", createdAt: time))

  @Test(arguments: JournalConformanceTests.Kind.allCases)
  func `a run is pending, running and ended`(_ kind: JournalConformanceTests.Kind) throws {
    let journal = try journal(kind)
    #expect(try journal.load().hooks == UnfinishedHooks())
    let (first, second) = (try run(1), try run(2, of: nil))
    try journal.commit([
      .put(Sample.plain(1)), .hook(.add(first, Self.occasion)),
      .hook(.add(second, .allDone(HookTally(completed: 2)))),
    ])
    var hooks = try journal.load().hooks
    #expect(hooks.pending == [first.id, second.id] && hooks.started.isEmpty && hooks.lastID == 2)
    let found = try #require(try journal.hook(first.id))
    #expect(found.run == first && found.occasion == Self.occasion)
    #expect(try journal.hook(second.id)?.occasion == .allDone(HookTally(completed: 2)))

    try journal.commit([.hook(.update(started(first)))])
    hooks = try journal.load().hooks
    #expect(hooks.pending == [second.id] && hooks.started == [started(first)])

    try journal.commit([.hook(.update(ended(first))), .hook(.update(ended(second)))])
    hooks = try journal.load().hooks
    #expect(hooks.pending.isEmpty && hooks.started.isEmpty && hooks.lastID == 2)
    #expect(hooks.failed == [ended(first)])
    #expect(try journal.hook(first.id) == nil)
    #expect(try journal.hookRuns(of: TransferID(rawValue: 1)) == [ended(first)])
  }

  @Test(arguments: JournalConformanceTests.Kind.allCases)
  func `a removed transfer keeps what is not over`(_ kind: JournalConformanceTests.Kind) throws {
    let journal = try journal(kind)
    let (over, running) = (try run(1), try run(2))
    try journal.commit([
      .put(Sample.plain(1)), .hook(.add(over, Self.occasion)), .hook(.add(running, Self.occasion)),
    ])
    try journal.commit([.hook(.update(ended(over))), .hook(.update(started(running)))])
    try journal.commit([.remove(TransferID(rawValue: 1))])
    #expect(try journal.hookRuns(of: TransferID(rawValue: 1)) == [started(running)])
    try journal.commit([.hook(.update(ended(running)))])
    #expect(try journal.hookRuns(of: TransferID(rawValue: 1)).isEmpty)
    // A change of a run that is gone has no effect.
    try journal.commit([.hook(.update(started(over)))])
    #expect(try journal.load().hooks.started.isEmpty)
  }

  @Test(arguments: JournalConformanceTests.Kind.allCases)
  func `runs are kept as long as their transfer can be restored`(
    _ kind: JournalConformanceTests.Kind
  ) throws {
    let journal = try journal(kind)
    let (record, id) = (Sample.plain(1), TransferID(rawValue: 1))
    func discarded(by action: Int64) -> [JournalChange] {
      [
        .remove(id), .bin(.putAction(BinAction(number: action, kind: .remove, at: Self.time))),
        .bin(.putEntry(BinEntry(action: action, record: record))),
      ]
    }
    let (over, running) = (try run(1), try run(2))
    try journal.commit([
      .put(record), .hook(.add(over, Self.occasion)), .hook(.add(running, Self.occasion)),
    ])
    try journal.commit([.hook(.update(ended(over))), .hook(.update(started(running)))])
    try journal.commit(discarded(by: 5))
    try journal.commit([.hook(.update(ended(running)))])
    let both = [ended(over), ended(running)]
    #expect(try journal.hookRuns(of: id) == both)
    try journal.commit([
      .put(record), .bin(.removeEntries([id], action: 5)), .bin(.removeAction(5)),
    ])
    #expect(try journal.hookRuns(of: id) == both)
    try journal.commit(discarded(by: 6))
    try journal.commit([.bin(.removeAction(6))])
    #expect(try journal.hookRuns(of: id).isEmpty)
  }

  @Test func `only the last runs stay`() throws {
    let journal = try scratch.open().journal
    try journal.commit([.put(Sample.plain(1))])
    let count = Int64(HookRows.endedCountMax) + 3
    let runs = try (1...count).map { try run($0) }
    try journal.commit(
      runs.map { .hook(.add($0, Self.occasion)) } + runs.map { .hook(.update(ended($0))) })
    let kept = try journal.queue.read { db in
      try Int64.fetchAll(db, sql: "SELECT number FROM hook_run ORDER BY number")
    }
    #expect(kept == Array(4...count))
  }

  @Test(arguments: JournalConformanceTests.Kind.allCases)
  func `the last runs of a transfer are reported`(_ kind: JournalConformanceTests.Kind) throws {
    let journal = try journal(kind)
    let runs = try (1...Int64(HookRun.shownCountMax) + 2).map { try run($0) }
    try journal.commit(
      [.put(Sample.plain(1))] + runs.map { .hook(.add($0, Self.occasion)) })
    #expect(try journal.hookRuns(of: TransferID(rawValue: 1)) == Array(runs.dropFirst(2)))
  }

  @Test(arguments: JournalConformanceTests.Kind.allCases)
  func `only a run that is not over is removed`(_ kind: JournalConformanceTests.Kind) throws {
    let journal = try journal(kind)
    let (first, second) = (try run(1), try run(2))
    try journal.commit([
      .put(Sample.plain(1)), .hook(.add(first, Self.occasion)), .hook(.add(second, Self.occasion)),
    ])
    try journal.commit([
      .hook(.update(ended(second))), .hook(.remove(first.id)), .hook(.remove(second.id)),
    ])
    #expect(try journal.load().hooks.pending.isEmpty)
    #expect(try journal.hookRuns(of: TransferID(rawValue: 1)) == [ended(second)])
  }

  @Test func `runs survive a kill, and a row that cannot be read is left out`() throws {
    let journal = try scratch.open().journal
    let (first, second) = (try run(1), try run(2))
    try journal.commit([
      .put(Sample.plain(1)), .hook(.add(first, Self.occasion)), .hook(.add(second, Self.occasion)),
    ])
    try journal.queue.write { db in
      try db.execute(sql: "UPDATE hook_run SET run = 'x' WHERE number = 1")
    }
    let copy = try scratch.killed()
    let again = try copy.open()
    #expect(again.notice == nil)
    #expect(try again.journal.load().hooks.pending == [first.id, second.id])
    #expect(try again.journal.hook(first.id) == nil)
    #expect(try again.journal.hook(second.id)?.run == second)
    #expect(try again.journal.hookRuns(of: TransferID(rawValue: 1)) == [second])
    try again.journal.commit([.hook(.remove(first.id))])
    #expect(try again.journal.load().hooks.pending == [second.id])
  }
}
