import Dispatch
import KettleModel
import KettleSystem
import Testing
import TestSupport

@testable import KettleEngine

/// Several attempts that write into one file.
struct TransferBodyTests {
  let files = InMemoryFileStorage(documentsDirectory: "/d")
  let file: any PartialFile
  let asked = Counter()
  let queue = LingeringQueue("test.disk")

  init() throws {
    file = try files.createPartialFile(in: "/d", preferredName: "a", onConflict: .rename)
  }

  func body(held: ByteRangeSet = ByteRangeSet(), total: Int64? = nil) -> TransferBody {
    TransferBody(file: file, held: held, totalByteCount: total, queue: queue) { [asked] _ in
      asked.increase()
    }
  }

  final class Counter: Sendable {
    private let count = Mutex(0)

    var value: Int { count.withLock { $0 } }
    func increase() { count.withLock { $0 += 1 } }
  }

  func give(_ sink: SegmentSink, _ bytes: [UInt8]) -> SinkAnswer {
    bytes.withUnsafeBytes { sink.receive($0) }
  }

  func attempt(_ number: UInt64) -> AttemptID { AttemptID(rawValue: number) }

  func held(_ ranges: (Int64, Int64)...) -> ByteRangeSet {
    ranges.reduce(into: ByteRangeSet()) { held, range in
      if let range = ByteRange(lower: range.0, upper: range.1) { held.insert(range) }
    }
  }

  @Test func `two attempts fill two parts and the map has both`() throws {
    let body = body(total: 8)
    let first = body.begin(attempt(1), from: 0, .whole(8))
    let second = body.begin(attempt(2), from: 4, .part(8))
    #expect(give(first, [0, 1]) == .taken)
    #expect(give(second, [4, 5, 6]) == .taken)
    let synced = try body.sync()
    #expect(synced.held == held((0, 2), (4, 7)))
    #expect(files.bytes(at: file.path) == [0, 1, 0, 0, 4, 5, 6])
    #expect(body.progress == [attempt(1): 2, attempt(2): 7])
    #expect(body.heldByteCount == 5)
  }

  @Test func `a file that is whole is synced when its last attempt ends`() throws {
    let body = body(total: 4)
    let first = body.begin(attempt(1), from: 0, .whole(2))
    let second = body.begin(attempt(2), from: 2, .part(4))
    #expect(give(first, [0, 1]) == .taken)
    #expect(body.end(attempt(1), isComplete: true).receivedUpTo == 2)
    body.settle()
    #expect(body.settled == nil)
    #expect(give(second, [2, 3]) == .taken)
    #expect(body.end(attempt(2), isComplete: true).receivedUpTo == 4)
    #expect(body.settled == nil)
    body.settle()
    #expect(body.settled?.held == held((0, 4)))
  }

  @Test func `what is written after a sync is not settled`() throws {
    let body = body(total: 4)
    _ = give(body.begin(attempt(1), from: 0, .whole(4)), [0, 1, 2, 3])
    _ = body.end(attempt(1), isComplete: true)
    body.settle()
    #expect(body.settled != nil)
    _ = give(body.begin(attempt(2), from: 0, .whole(4)), [0, 1])
    _ = body.end(attempt(2), isComplete: true)
    #expect(body.settled == nil)
  }

  @Test func `what two attempts bring counts once, gathered and written`() throws {
    let body = body(total: 8)
    let first = body.begin(attempt(1), from: 0, .whole(8))
    let copy = body.begin(attempt(2), from: 2, .part(8))
    #expect(give(first, [0, 1, 2, 3]) == .taken)
    #expect(give(copy, [2, 3, 4]) == .taken)
    #expect(body.heldByteCount == 5)
    _ = try body.sync()
    #expect(body.heldByteCount == 5)
    #expect(give(first, [4, 5]) == .taken)
    #expect(body.heldByteCount == 6)
  }

  @Test func `nothing is written on the thread that brings the bytes`() throws {
    let body = body(total: 64 << 20)
    let sink = body.begin(attempt(1), from: 0, .whole(64 << 20))
    let piece = [UInt8](repeating: 7, count: 6 << 20)
    let isLookedAt = DispatchSemaphore(value: 0)
    queue.async { isLookedAt.wait() }
    let answer = give(sink, piece)
    let writtenMeanwhile = files.callCount(.write)
    isLookedAt.signal()
    #expect(answer == .taken)
    #expect(writtenMeanwhile == 0)
    // Behind what waits for the queue already.
    let isDone = DispatchSemaphore(value: 0)
    queue.async { isDone.signal() }
    isDone.wait()
    #expect(files.callCount(.write) == 1)
    #expect(files.bytes(at: file.path)?.elementsEqual(piece) == true)
  }

  // Fault 5
  @Test func `what comes behind the range is not taken`() throws {
    let body = body(total: 8)
    let sink = body.begin(attempt(1), from: 2, .part(5))
    #expect(give(sink, [2, 3, 4, 99, 99]) == .satisfied)
    #expect(body.end(attempt(1), isComplete: true).receivedUpTo == 5)
    #expect(files.bytes(at: file.path) == [0, 0, 2, 3, 4])
  }

  @Test func `a whole that goes on behind its end is another file`() throws {
    let body = body(total: 3)
    let sink = body.begin(attempt(1), from: 0, .whole(3))
    #expect(give(sink, [1, 2, 3, 4]) == .failed)
    let ended = body.end(attempt(1), isComplete: true)
    #expect(ended.failure?.code == .tooLong)
  }

  @Test func `a shortened attempt ends where the other begins`() throws {
    let body = body(total: 100)
    let sink = body.begin(attempt(1), from: 0, .whole(100))
    #expect(give(sink, [1, 2]) == .taken)
    body.shorten(attempt(1), to: 4)
    #expect(give(sink, [3, 4, 5, 6]) == .satisfied)
    #expect(body.end(attempt(1), isComplete: true).receivedUpTo == 4)
  }

  @Test func `an attempt that is further than the cut ends where it is`() throws {
    let body = body(total: 100)
    let sink = body.begin(attempt(1), from: 0, .whole(100))
    #expect(give(sink, [1, 2, 3, 4, 5]) == .taken)
    body.shorten(attempt(1), to: 3)
    #expect(give(sink, [6]) == .satisfied)
    #expect(body.end(attempt(1), isComplete: true).receivedUpTo == 5)
  }

  // Fault 14
  @Test func `bytes that are there already are compared and not written`() throws {
    files.overwrite(file.path, with: [1, 2, 3, 4])
    let body = body(held: held((0, 4)), total: 6)
    let before = files.callCount(.write)
    let sink = body.begin(attempt(1), from: 2, .part(6))
    #expect(give(sink, [3, 4, 5, 6]) == .taken)
    let ended = body.end(attempt(1), isComplete: true)
    #expect(ended.receivedUpTo == 6)
    #expect(ended.failure == nil)
    #expect(files.callCount(.write) == before + 1)
    #expect(files.bytes(at: file.path) == [1, 2, 3, 4, 5, 6])
  }

  // Fault 12
  @Test func `other bytes than those that are there are another version`() throws {
    files.overwrite(file.path, with: [1, 2, 3, 4])
    let body = body(held: held((0, 4)), total: 6)
    let sink = body.begin(attempt(1), from: 2, .part(6))
    _ = give(sink, [3, 9, 5, 6])
    let ended = body.end(attempt(1), isComplete: true)
    #expect(ended.failure?.code == .otherVersion)
    #expect(files.bytes(at: file.path)?.prefix(4) == [1, 2, 3, 4])
  }

  // Fault 39
  @Test func `two copies of one part must agree`() throws {
    let body = body(total: 4)
    let first = body.begin(attempt(1), from: 0, .whole(4))
    let copy = body.begin(attempt(2), from: 0, .part(4))
    #expect(give(first, [1, 2]) == .taken)
    _ = body.end(attempt(1), isComplete: true)
    _ = give(copy, [1, 7, 3, 4])
    #expect(body.end(attempt(2), isComplete: true).failure?.code == .otherVersion)
  }

  @Test func `one attempt that failed leaves the others alone`() throws {
    files.overwrite(file.path, with: [1, 2])
    let body = body(held: held((0, 2)), total: 10)
    let wrong = body.begin(attempt(1), from: 0, .part(4))
    let right = body.begin(attempt(2), from: 5, .part(10))
    _ = give(wrong, [8, 8])
    #expect(body.end(attempt(1), isComplete: true).failure?.code == .otherVersion)
    #expect(give(right, [5, 6]) == .taken)
    #expect(body.end(attempt(2), isComplete: true).failure == nil)
  }

  // Fault 74
  @Test func `a write that failed ends all of them`() throws {
    files.fail(.write, with: TransferFailure(.fileProblem, on: file.path, detail: "EIO"))
    let body = body(total: 10)
    let first = body.begin(attempt(1), from: 0, .whole(10))
    let second = body.begin(attempt(2), from: 5, .part(10))
    #expect(give(first, [1]) == .taken)
    #expect(body.end(attempt(1), isComplete: true).failure?.code == .fileProblem)
    #expect(give(second, [5]) == .failed)
  }

  // Fault 74
  @Test func `after a sync that failed nothing is believed`() throws {
    let body = body(total: 10)
    let sink = body.begin(attempt(1), from: 0, .whole(10))
    _ = give(sink, [1])
    files.fail(.sync, with: TransferFailure(.fileProblem, on: file.path, detail: "EIO"))
    #expect(throws: TransferFailure.self) { try body.sync() }
    #expect(throws: TransferFailure.self) { try body.sync() }
    #expect(give(sink, [2]) == .failed)
  }
}
