import Testing
import TransferModel

@testable import TransferEngine

struct JournalWriterTests {
  private func put(_ id: Int64, _ retryCount: Int) throws -> JournalChange {
    let url = try TransferURL.parse("http://h/\(id)").get().url
    var record = TransferRecord(
      id: TransferID(rawValue: id), taskIdentifier: id, spec: TransferSpec(url: url),
      createdAt: WallTime(millisecondsSince1970: 0), queuePosition: id, state: .queued)
    record.retryCount = retryCount
    return .put(record)
  }

  @Test func `of the records of one transfer the last is written, in its place`() throws {
    let changes = [try put(1, 0), try put(2, 0), try put(1, 1), try put(3, 0), try put(1, 2)]
    #expect(
      JournalWriter.withoutOutdated(changes) == [try put(2, 0), try put(3, 0), try put(1, 2)])
  }

  @Test func `what was written before a removal is written`() throws {
    let id = TransferID(rawValue: 1)
    let changes = [try put(1, 0), .remove(id), try put(1, 1), try put(1, 2)]
    #expect(
      JournalWriter.withoutOutdated(changes) == [try put(1, 0), .remove(id), try put(1, 2)])
  }
}
