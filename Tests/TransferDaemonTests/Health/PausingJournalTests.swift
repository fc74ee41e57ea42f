import Synchronization
import Testing
import TransferEngine
import TransferModel

@testable import TransferDaemon

struct PausingJournalTests {
  private final class MemoryJournal: TransferJournal {
    let contents: JournalContents
    let committed = Mutex<[[JournalChange]]>([])

    init(_ records: [TransferRecord]) {
      contents = JournalContents(records: records, lastID: TransferID(rawValue: 99))
    }

    func load() throws -> JournalContents { contents }
    func commit(_ changes: [JournalChange]) throws {
      committed.withLock { $0.append(changes) }
    }
  }

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
  @Test func `what would go on by itself is paused, in the store too`() throws {
    let records = try TransferState.allCases.enumerated().map {
      try record(Int64($0.offset + 1), $0.element)
    }
    let base = MemoryJournal(records)
    let loaded = try PausingJournal(base: base).load()
    #expect(loaded.lastID == TransferID(rawValue: 99))
    #expect(
      loaded.records.map(\.state)
        == [.idle, .paused, .paused, .paused, .paused, .paused, .paused, .completed, .failed])
    #expect(loaded.records.allSatisfy { $0.reason == nil && $0.goesOnAt == nil })
    let changed = zip(records, loaded.records).filter { $0 != $1 }.map { JournalChange.put($1) }
    #expect(base.committed.withLock { $0 } == [changed])
    #expect(changed.count == 5)
  }

  @Test func `nothing is written when nothing has to be paused`() throws {
    let base = MemoryJournal([try record(1, .completed)])
    _ = try PausingJournal(base: base).load()
    #expect(base.committed.withLock { $0 }.isEmpty)
  }

  @Test func `changes go through`() throws {
    let base = MemoryJournal([])
    try PausingJournal(base: base).commit([.remove(TransferID(rawValue: 1))])
    #expect(base.committed.withLock { $0 } == [[.remove(TransferID(rawValue: 1))]])
  }
}
