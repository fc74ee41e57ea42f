import KettleEngine
import KettleModel
import Testing
import TestSupport

@testable import KettleStore

/// What ended since a time, counted by the store and by the journal in memory.
@Suite struct NewsTests {
  private let scratch: StoreScratch
  private static let since = WallTime(millisecondsSince1970: 1_800_000_000_000)

  init() throws { scratch = try StoreScratch(in: StoreScratch.inMemory) }

  /// - Parameter offset: The milliseconds from `since` to its end.
  private func ended(
    _ id: Int64, _ state: TransferState, after offset: Int64, byteCount: Int64? = nil,
    isTask: Bool = false
  ) -> TransferRecord {
    var record = Sample.plain(id, session: isTask ? "org.example.app" : "kettle")
    if isTask {
      record.spec.task = TaskOptions(kind: .download)
      record.task = TaskStatus()
    }
    record.state = state
    record.finishedAt = Self.since.advanced(byMilliseconds: offset)
    if state == .completed {
      record.finishNumber = id
      let identity = byteCount.map {
        FileIdentity(device: 1, inode: UInt64(id), byteCount: $0, modifiedNanoseconds: 0)
      }
      record.finishedFile = FinishedFile(path: "/x/\(id)", identity: identity)
    }
    return record
  }

  private func expected(completed: Int, byteCount: Int64, failed: Int) -> TransferNews {
    var news = TransferNews(since: Self.since)
    news.completedCount = completed
    news.completedByteCount = byteCount
    news.failedCount = failed
    return news
  }

  @Test func `transfers that ended since then are counted, in memory or not, cleared or not`()
    throws
  {
    var undated = ended(8, .failed, after: 9)
    undated.finishedAt = nil
    let records = [
      ended(1, .completed, after: -1, byteCount: 1000),
      ended(2, .completed, after: 0, byteCount: 10), ended(3, .completed, after: 5),
      ended(4, .completed, after: 6, byteCount: 20, isTask: true), ended(5, .failed, after: -1),
      ended(6, .failed, after: 1), ended(7, .failed, after: 2, isTask: true), undated,
      Sample.plain(9),
    ]
    let store = try scratch.open().journal
    let plain = InMemoryJournal()
    let journals: [any TransferJournal & TransferArchive] = [store, plain]
    for journal in journals {
      #expect(try journal.news(since: Self.since).isEmpty)
      try journal.commit(records.map(JournalChange.put))
      let news = expected(completed: 3, byteCount: 30, failed: 2)
      #expect(try journal.news(since: Self.since) == news)
      try journal.commit([.clearFinished(upTo: 3)])
      #expect(try journal.news(since: Self.since) == news)
      #expect(try journal.news(since: Self.since.advanced(byMilliseconds: 7)).isEmpty)
      // Started again.
      var again = records[1]
      again.state = .queued
      (again.finishNumber, again.finishedFile, again.finishedAt) = (nil, nil, nil)
      try journal.commit([.put(again), .remove(TransferID(rawValue: 6))])
      #expect(
        try journal.news(since: Self.since) == expected(completed: 2, byteCount: 20, failed: 1))
    }
    try store.close()
    #expect(
      try scratch.open().journal.news(since: Self.since)
        == expected(completed: 2, byteCount: 20, failed: 1))
  }

  @Test func `the store reads no further than the first that completed before`() throws {
    let store = try scratch.open().journal
    // Only a clock that was set back brings the ends out of order.
    try store.commit([
      .put(ended(1, .completed, after: 8, byteCount: 1)), .put(ended(2, .completed, after: -1)),
      .put(ended(3, .completed, after: 9, byteCount: 4)),
    ])
    #expect(
      try store.news(since: Self.since) == expected(completed: 1, byteCount: 4, failed: 0))
  }

  @Test func `impossible sizes do not overflow`() {
    var news = TransferNews(since: Self.since)
    for byteCount in [Int64.max, .max, -1, .min] { news.addCompleted(byteCount: byteCount) }
    #expect(news.completedCount == 4 && news.completedByteCount == .max)
  }
}
