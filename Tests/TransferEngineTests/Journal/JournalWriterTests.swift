import Testing
import TransferModel

@testable import TransferEngine

struct JournalWriterTests {
  private func put(_ id: Int64, _ retryCount: Int) -> JournalChange {
    var record = TransferRecord(
      id: TransferID(rawValue: id), taskIdentifier: id, spec: EngineWorld.spec(),
      createdAt: WallTime(millisecondsSince1970: 0), queuePosition: id, state: .queued)
    record.retryCount = retryCount
    return .put(record)
  }

  @Test func `of the records of one transfer the last is written, in its place`() {
    let changes = [put(1, 0), put(2, 0), put(1, 1), put(3, 0), put(1, 2)]
    #expect(
      JournalWriter.withoutOutdated(changes) == [put(2, 0), put(3, 0), put(1, 2)])
  }

  @Test func `what was written before a removal is written`() {
    let id = TransferID(rawValue: 1)
    let changes = [put(1, 0), .remove(id), put(1, 1), put(1, 2)]
    #expect(
      JournalWriter.withoutOutdated(changes) == [put(1, 0), .remove(id), put(1, 2)])
  }
}
