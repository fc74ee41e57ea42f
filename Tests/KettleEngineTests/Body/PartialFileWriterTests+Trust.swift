import KettleModel
import Testing
import TestSupport

@testable import KettleEngine

/// Chunked attempts, whose bytes count only when the response has ended properly.
extension PartialFileWriterTests {
  private func put(_ bytes: [UInt8]) throws {
    try bytes.withUnsafeBytes { try file.write($0, at: 0) }
  }

  // Fault 27
  @Test func `chunked bytes become durable only after the last chunk`() throws {
    let writer = writer()
    let sink = writer.begin(attempt(1), from: 0, .none, trust: .atItsEnd)
    #expect(give(sink, [1, 2, 3]) == .taken)
    #expect(try writer.sync().durable == ByteRangeSet())
    #expect(files.bytes(at: file.path) == [1, 2, 3])
    #expect(writer.fileByteCount == 3)
    #expect(give(sink, [4]) == .taken)
    #expect(writer.end(attempt(1), isComplete: true).receivedUpTo == 4)
    #expect(try writer.sync().durable == ranges((0, 4)))
  }

  // Fault 27
  @Test(arguments: [true, false])
  func `an incomplete chunked response leaves the file unchanged`(isSynced: Bool) throws {
    try put([9, 9])
    let writer = writer(durable: ranges((0, 2)))
    let sink = writer.begin(attempt(1), from: 2, .none, trust: .atItsEnd)
    #expect(give(sink, [1, 2, 3]) == .taken)
    if isSynced { #expect(try writer.sync().durable == ranges((0, 2))) }
    let ended = writer.end(attempt(1), isComplete: false)
    #expect(ended.receivedUpTo == nil)
    #expect(ended.discardedByteCount == 3)
    #expect(ended.failure == nil)
    #expect(try writer.sync().durable == ranges((0, 2)))
    #expect(files.bytes(at: file.path) == [9, 9])
  }

  // Fault 27
  @Test func `an incomplete chunked response in a gap leaves the gap and the bytes after it`()
    throws
  {
    try put([0, 0, 0, 0, 5, 6])
    let writer = writer(durable: ranges((0, 1), (4, 6)), total: 6)
    let sink = writer.begin(attempt(1), from: 1, .exactly(4), trust: .atItsEnd)
    #expect(give(sink, [1, 2]) == .taken)
    #expect(writer.end(attempt(1), isComplete: false).discardedByteCount == 2)
    #expect(try writer.sync().durable == ranges((0, 1), (4, 6)))
    #expect(files.bytes(at: file.path)?.count == 6)
    // Later bytes are written, and not compared with the discarded ones in the file.
    let next = writer.begin(attempt(2), from: 1, .part(4))
    #expect(give(next, [7, 8, 9]) == .taken)
    #expect(writer.end(attempt(2), isComplete: true).failure == nil)
    #expect(files.bytes(at: file.path) == [0, 7, 8, 9, 5, 6])
  }

  // Fault 5
  // Fault 11
  @Test func `a chunked part must end where its Content-Range does`() throws {
    let long = writer(total: 6)
    let sink = long.begin(attempt(1), from: 0, .exactly(4), trust: .atItsEnd)
    #expect(give(sink, [1, 2, 3, 4, 5]) == .failed)
    let ended = long.end(attempt(1), isComplete: false)
    #expect(ended.failure?.code == .rangeReplyWrong)
    #expect(try long.sync().durable == ByteRangeSet())

    let short = writer(total: 6)
    let few = short.begin(attempt(2), from: 0, .exactly(4), trust: .atItsEnd)
    #expect(give(few, [1, 2]) == .taken)
    #expect(short.end(attempt(2), isComplete: true).receivedUpTo == nil)
    #expect(try short.sync().durable == ByteRangeSet())
  }

  @Test func `a chunked attempt is not shortened`() throws {
    let writer = writer(total: 6)
    let sink = writer.begin(attempt(1), from: 0, .exactly(4), trust: .atItsEnd)
    writer.shorten(attempt(1), to: 2)
    #expect(give(sink, [1, 2, 3, 4]) == .taken)
    #expect(writer.end(attempt(1), isComplete: true).receivedUpTo == 4)
  }

  // Fault 22
  @Test func `a file that another program truncated accepts no more bytes`() throws {
    let writer = writer(total: 8)
    let sink = writer.begin(attempt(1), from: 0, .whole(8))
    #expect(give(sink, [1, 2, 3, 4]) == .taken)
    #expect(try writer.sync().durable == ranges((0, 4)))
    files.overwrite(file.path, with: [1, 2])
    #expect(give(sink, [5]) == .taken)
    #expect(throws: TransferFailure.self) { try writer.sync() }
    #expect(writer.failure?.code == .partialFileChanged)
    #expect(give(sink, [6]) == .failed)
    #expect(files.bytes(at: file.path) == [1, 2])
    #expect(writer.end(attempt(1), isComplete: false).failure?.code == .partialFileChanged)
  }
}
