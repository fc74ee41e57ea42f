import Dispatch
import KettleModel
import Testing
import TestSupport

@testable import KettleEngine

struct JournalWriterTests {
  private func put(_ id: Int64, _ retryCount: Int) -> JournalChange {
    var record = TransferRecord(
      id: TransferID(rawValue: id), taskIdentifier: id, spec: EngineWorld.spec(),
      createdAt: WallTime(millisecondsSince1970: 0), queuePosition: id, state: .queued)
    record.retryCount = retryCount
    return .put(record)
  }

  @Test func `only the last record of a transfer is written, at its position`() {
    let changes = [put(1, 0), put(2, 0), put(1, 1), put(3, 0), put(1, 2)]
    #expect(
      JournalWriter.withoutOutdated(changes) == [put(2, 0), put(3, 0), put(1, 2)])
  }

  @Test func `a record before a removal is still written`() {
    let id = TransferID(rawValue: 1)
    let changes = [put(1, 0), .remove(id), put(1, 1), put(1, 2)]
    #expect(
      JournalWriter.withoutOutdated(changes) == [put(1, 0), .remove(id), put(1, 2)])
  }

  @Test func `only the last checkpoint is written, and none before a record of the transfer`() {
    let (one, two) = (TransferID(rawValue: 1), TransferID(rawValue: 2))
    let changes: [JournalChange] = [
      .progress(one, ByteRangeSet(prefix: 1)), put(1, 0), .progress(two, ByteRangeSet(prefix: 1)),
      .progress(one, ByteRangeSet(prefix: 2)), .progress(one, ByteRangeSet(prefix: 3)),
      .progress(two, ByteRangeSet(prefix: 2)), put(2, 0),
    ]
    #expect(
      JournalWriter.withoutOutdated(changes)
        == [put(1, 0), .progress(one, ByteRangeSet(prefix: 3)), put(2, 0)])
  }

  @Test func `changes submitted during a commit form the next commit`() {
    let journal = InMemoryJournal()
    let writer = JournalWriter(journal) { _ in }
    let done = DispatchSemaphore(value: 0)
    let (second, third) = (put(2, 0), put(3, 0))
    writer.submit([put(1, 0)]) { _ in
      writer.submit([second]) { _ in }
      writer.submit([third]) { _ in done.signal() }
    }
    done.wait()
    #expect(journal.commits == [[put(1, 0)], [put(2, 0), put(3, 0)]])
  }
}
