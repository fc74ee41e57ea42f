import Dispatch
import KettleModel
import KettleSystem
import Testing
import TestSupport

@testable import KettleEngine

/// Several attempts that write to one file.
struct PartialFileWriterTests {
  let files = InMemoryFileStorage(documentsDirectory: "/d")
  let file: any PartialFile
  let resumed = Resumed()
  let queue = DispatchQueue(label: "test.disk")

  init() throws {
    file = try files.createPartialFile(in: "/d", preferredName: "a", onConflict: .rename)
  }

  func writer(durable: ByteRangeSet = ByteRangeSet(), total: Int64? = nil) -> PartialFileWriter {
    PartialFileWriter(file: file, durable: durable, totalByteCount: total, queue: queue) {
      [resumed] attempts in resumed.append(attempts)
    }
  }

  /// The attempts that the writer resumed, in order.
  final class Resumed: Sendable {
    private let attempts = Mutex<[Set<AttemptID>]>([])

    var all: [Set<AttemptID>] { attempts.withLock { $0 } }
    func append(_ new: Set<AttemptID>) { attempts.withLock { $0.append(new) } }
  }

  func give(_ sink: SegmentSink, _ bytes: [UInt8]) -> SinkAnswer {
    bytes.withUnsafeBytes { sink.receive($0) }
  }

  func attempt(_ number: UInt64) -> AttemptID { AttemptID(rawValue: number) }

  func ranges(_ ranges: (Int64, Int64)...) -> ByteRangeSet {
    ranges.reduce(into: ByteRangeSet()) { set, range in
      if let range = ByteRange(lower: range.0, upper: range.1) { set.insert(range) }
    }
  }

  @Test func `two attempts fill two parts and both become durable`() throws {
    let writer = writer(total: 8)
    let first = writer.begin(attempt(1), from: 0, .whole(8))
    let second = writer.begin(attempt(2), from: 4, .part(8))
    #expect(give(first, [0, 1]) == .taken)
    #expect(give(second, [4, 5, 6]) == .taken)
    let synced = try writer.sync()
    #expect(synced.durable == ranges((0, 2), (4, 7)))
    #expect(files.bytes(at: file.path) == [0, 1, 0, 0, 4, 5, 6])
    #expect(writer.progress == [attempt(1): 2, attempt(2): 7])
    #expect(writer.fileByteCount == 5)
  }

  @Test func `a complete file is synced after its last attempt ends`() throws {
    let writer = writer(total: 4)
    let first = writer.begin(attempt(1), from: 0, .whole(2))
    let second = writer.begin(attempt(2), from: 2, .part(4))
    #expect(give(first, [0, 1]) == .taken)
    #expect(writer.end(attempt(1), isComplete: true).receivedUpTo == 2)
    writer.settle()
    #expect(writer.settled == nil)
    #expect(give(second, [2, 3]) == .taken)
    #expect(writer.end(attempt(2), isComplete: true).receivedUpTo == 4)
    #expect(writer.settled == nil)
    writer.settle()
    #expect(writer.settled?.durable == ranges((0, 4)))
  }

  @Test func `a file written to after its sync is no longer settled`() throws {
    let writer = writer(total: 4)
    _ = give(writer.begin(attempt(1), from: 0, .whole(4)), [0, 1, 2, 3])
    _ = writer.end(attempt(1), isComplete: true)
    writer.settle()
    #expect(writer.settled != nil)
    _ = give(writer.begin(attempt(2), from: 0, .whole(4)), [0, 1])
    _ = writer.end(attempt(2), isComplete: true)
    #expect(writer.settled == nil)
  }

  @Test func `bytes received by two attempts count once, whether buffered or written`() throws {
    let writer = writer(total: 8)
    let first = writer.begin(attempt(1), from: 0, .whole(8))
    let copy = writer.begin(attempt(2), from: 2, .part(8))
    #expect(give(first, [0, 1, 2, 3]) == .taken)
    #expect(give(copy, [2, 3, 4]) == .taken)
    #expect(writer.fileByteCount == 5)
    _ = try writer.sync()
    #expect(writer.fileByteCount == 5)
    #expect(give(first, [4, 5]) == .taken)
    #expect(writer.fileByteCount == 6)
  }

  @Test func `nothing is written on the receiving thread`() throws {
    let writer = writer(total: 64 << 20)
    let sink = writer.begin(attempt(1), from: 0, .whole(64 << 20))
    let piece = [UInt8](repeating: 7, count: 6 << 20)
    let isLookedAt = DispatchSemaphore(value: 0)
    queue.async { isLookedAt.wait() }
    let answer = give(sink, piece)
    let writtenMeanwhile = files.callCount(.write)
    isLookedAt.signal()
    #expect(answer == .taken)
    #expect(writtenMeanwhile == 0)
    // Runs after everything already in the queue.
    let isDone = DispatchSemaphore(value: 0)
    queue.async { isDone.signal() }
    isDone.wait()
    #expect(files.callCount(.write) == 3)
    #expect(files.bytes(at: file.path)?.elementsEqual(piece) == true)
  }

  // Fault 5
  @Test func `bytes past the range are not accepted`() throws {
    let writer = writer(total: 8)
    let sink = writer.begin(attempt(1), from: 2, .part(5))
    #expect(give(sink, [2, 3, 4, 99, 99]) == .satisfied)
    #expect(writer.end(attempt(1), isComplete: true).receivedUpTo == 5)
    #expect(files.bytes(at: file.path) == [0, 0, 2, 3, 4])
  }

  @Test func `a full response longer than the file fails as too long`() throws {
    let writer = writer(total: 3)
    let sink = writer.begin(attempt(1), from: 0, .whole(3))
    #expect(give(sink, [1, 2, 3, 4]) == .failed)
    let ended = writer.end(attempt(1), isComplete: true)
    #expect(ended.failure?.code == .tooLong)
  }

  @Test func `a shortened attempt ends at its new end`() throws {
    let writer = writer(total: 100)
    let sink = writer.begin(attempt(1), from: 0, .whole(100))
    #expect(give(sink, [1, 2]) == .taken)
    writer.shorten(attempt(1), to: 4)
    #expect(give(sink, [3, 4, 5, 6]) == .satisfied)
    #expect(writer.end(attempt(1), isComplete: true).receivedUpTo == 4)
  }

  @Test func `an attempt already past its new end stops where it is`() throws {
    let writer = writer(total: 100)
    let sink = writer.begin(attempt(1), from: 0, .whole(100))
    #expect(give(sink, [1, 2, 3, 4, 5]) == .taken)
    writer.shorten(attempt(1), to: 3)
    #expect(give(sink, [6]) == .satisfied)
    #expect(writer.end(attempt(1), isComplete: true).receivedUpTo == 5)
  }

  // Fault 14
  @Test func `bytes already in the file are compared and not written`() throws {
    files.overwrite(file.path, with: [1, 2, 3, 4])
    let writer = writer(durable: ranges((0, 4)), total: 6)
    let before = files.callCount(.write)
    let sink = writer.begin(attempt(1), from: 2, .part(6))
    #expect(give(sink, [3, 4, 5, 6]) == .taken)
    let ended = writer.end(attempt(1), isComplete: true)
    #expect(ended.receivedUpTo == 6)
    #expect(ended.failure == nil)
    #expect(files.callCount(.write) == before + 1)
    #expect(files.bytes(at: file.path) == [1, 2, 3, 4, 5, 6])
  }

  // Fault 12
  @Test func `bytes that differ from the file are reported as another version`() throws {
    files.overwrite(file.path, with: [1, 2, 3, 4])
    let writer = writer(durable: ranges((0, 4)), total: 6)
    let sink = writer.begin(attempt(1), from: 2, .part(6))
    _ = give(sink, [3, 9, 5, 6])
    let ended = writer.end(attempt(1), isComplete: true)
    #expect(ended.failure?.code == .otherVersion)
    #expect(files.bytes(at: file.path)?.prefix(4) == [1, 2, 3, 4])
  }

  // Fault 39
  @Test func `two copies of one part must agree`() throws {
    let writer = writer(total: 4)
    let first = writer.begin(attempt(1), from: 0, .whole(4))
    let copy = writer.begin(attempt(2), from: 0, .part(4))
    #expect(give(first, [1, 2]) == .taken)
    _ = writer.end(attempt(1), isComplete: true)
    _ = give(copy, [1, 7, 3, 4])
    #expect(writer.end(attempt(2), isComplete: true).failure?.code == .otherVersion)
  }

  @Test func `a failed attempt does not affect the others`() throws {
    files.overwrite(file.path, with: [1, 2])
    let writer = writer(durable: ranges((0, 2)), total: 10)
    let wrong = writer.begin(attempt(1), from: 0, .part(4))
    let right = writer.begin(attempt(2), from: 5, .part(10))
    _ = give(wrong, [8, 8])
    #expect(writer.end(attempt(1), isComplete: true).failure?.code == .otherVersion)
    #expect(give(right, [5, 6]) == .taken)
    #expect(writer.end(attempt(2), isComplete: true).failure == nil)
  }

  // Fault 74
  @Test func `a failed write ends all attempts`() throws {
    files.fail(.write, with: TransferFailure(.fileProblem, on: file.path, detail: "EIO"))
    let writer = writer(total: 10)
    let first = writer.begin(attempt(1), from: 0, .whole(10))
    let second = writer.begin(attempt(2), from: 5, .part(10))
    #expect(give(first, [1]) == .taken)
    #expect(writer.end(attempt(1), isComplete: true).failure?.code == .fileProblem)
    #expect(give(second, [5]) == .failed)
  }

  // Fault 74
  @Test func `a failed sync makes every later sync and write fail`() throws {
    let writer = writer(total: 10)
    let sink = writer.begin(attempt(1), from: 0, .whole(10))
    _ = give(sink, [1])
    files.fail(.sync, with: TransferFailure(.fileProblem, on: file.path, detail: "EIO"))
    #expect(throws: TransferFailure.self) { try writer.sync() }
    #expect(throws: TransferFailure.self) { try writer.sync() }
    #expect(give(sink, [2]) == .failed)
  }
}
