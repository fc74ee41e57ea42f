import KettleEngine
import KettleModel
import Testing
import TestSupport

@testable import KettleDaemon

struct PausingJournalTests {
  private func record(_ id: Int64, _ state: TransferState) throws -> TransferRecord {
    let url = try TransferURL.parse("https://example.org/\(id)").get().url
    var record = TransferRecord(
      id: TransferID(rawValue: id), taskIdentifier: id, spec: TransferSpec(url: url),
      createdAt: WallTime(millisecondsSince1970: 0), queuePosition: id, state: state)
    if state == .waiting {
      record.reason = .retry
      record.goesOnAt = WallTime(millisecondsSince1970: 5)
    }
    return record
  }

  // Fault 112
  @Test func `transfers that would resume automatically are paused, also in the store`() throws {
    let records = try TransferState.allCases.enumerated().map {
      try record(Int64($0.offset + 1), $0.element)
    }
    let base = InMemoryJournal(
      JournalContents(records: records, lastID: TransferID(rawValue: 99)))
    let loaded = try PausingJournal(base: base, archive: base).load()
    #expect(loaded.lastID == TransferID(rawValue: 99))
    #expect(loaded.dormant.states[.queued] == nil)
    let kept = base.records.values.sorted { $0.id < $1.id }
    #expect(
      kept.map(\.state)
        == [.idle, .paused, .paused, .paused, .paused, .paused, .paused, .completed, .failed])
    #expect(kept.allSatisfy { $0.reason == nil && $0.goesOnAt == nil })
    #expect(base.commits.flatMap { $0 }.count == 5)
  }

  @Test func `nothing is written without a transfer to pause`() throws {
    let base = InMemoryJournal(JournalContents(records: [try record(1, .completed)]))
    _ = try PausingJournal(base: base, archive: base).load()
    #expect(base.commits.isEmpty)
  }

  @Test func `changes are forwarded to the base journal`() throws {
    let base = InMemoryJournal()
    try PausingJournal(base: base, archive: base).commit([.remove(TransferID(rawValue: 1))])
    #expect(base.commits == [[.remove(TransferID(rawValue: 1))]])
  }
}
