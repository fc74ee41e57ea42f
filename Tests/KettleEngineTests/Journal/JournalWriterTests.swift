import Dispatch
import Glibc
import KettleModel
import KettleSystem
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

  @Test func `of what is held the last is written, and nothing before a whole record`() {
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

  @Test func `when all of a commit were told, it is said once`() {
    let journal = InMemoryJournal()
    let steps = Mutex<[String]>([])
    let writer = JournalWriter(
      journal, report: { _ in }, whenTold: { steps.withLock { $0.append("told") } })
    for number in Int64(1)...3 {
      writer.enqueue([put(number, 0)]) { _ in steps.withLock { $0.append("\(number)") } }
    }
    writer.commitHere()
    #expect(steps.withLock { $0 } == ["1", "2", "3", "told"])
    // Nothing waits: nothing is said.
    writer.commitHere()
    #expect(steps.withLock { $0 }.count == 4)
  }

  @Test func `who has a thread commits on it, with all that waits`() {
    let journal = InMemoryJournal()
    let writer = JournalWriter(journal) { _ in }
    let finished = Mutex(0)
    let thread = pthread_self()
    let isHere = Mutex(false)
    writer.enqueue([put(1, 0)]) { _ in
      finished.withLock { $0 += 1 }
      isHere.withLock { $0 = pthread_equal(thread, pthread_self()) != 0 }
    }
    writer.enqueue([put(2, 0)]) { _ in finished.withLock { $0 += 1 } }
    #expect(journal.commits.isEmpty)
    writer.commitHere()
    #expect(finished.withLock { $0 } == 2)
    #expect(isHere.withLock { $0 })
    #expect(journal.commits == [[put(1, 0), put(2, 0)]])
    // And the journal's own thread has the next one.
    writer.commitHere()
    let done = DispatchSemaphore(value: 0)
    writer.submit([put(3, 0)]) { _ in done.signal() }
    done.wait()
    #expect(journal.commits.count == 2)
  }

  @Test func `what comes while somebody commits here is committed by the journal`() {
    let journal = InMemoryJournal()
    let writer = JournalWriter(journal) { _ in }
    let done = DispatchSemaphore(value: 0)
    let second = put(2, 0)
    writer.enqueue([put(1, 0)]) { _ in writer.submit([second]) { _ in done.signal() } }
    writer.commitHere()
    done.wait()
    #expect(journal.commits == [[put(1, 0)], [put(2, 0)]])
  }
}
