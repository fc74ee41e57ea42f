import KettleModel
import Testing
import TestSupport

@testable import KettleEngine

/// Bytes of a mirror, which must repeat what is present before any of them count.
extension PartialFileWriterTests {
  @Test func `a part counts after the present bytes before it were equal`() throws {
    let bytes: [UInt8] = [1, 2, 3, 4]
    try bytes.withUnsafeBytes { try file.write($0, at: 0) }
    let writer = writer(durable: ByteRangeSet(prefix: 4), total: 8)
    let sink = writer.begin(attempt(1), from: 2, .part(8), comparedUpTo: 4)
    #expect(give(sink, [3, 4, 5, 6]) == .taken)
    #expect(writer.end(attempt(1), isComplete: true).failure == nil)
    #expect(files.bytes(at: file.path) == [1, 2, 3, 4, 5, 6])
    #expect(writer.fileByteCount == 6)
  }

  @Test func `nothing is written of a part whose present bytes differ`() throws {
    let bytes: [UInt8] = [1, 2, 3, 4]
    try bytes.withUnsafeBytes { try file.write($0, at: 0) }
    let writer = writer(durable: ByteRangeSet(prefix: 4), total: 8)
    let sink = writer.begin(attempt(1), from: 2, .part(8), comparedUpTo: 4)
    #expect(give(sink, [3, 9, 5, 6]) == .taken)
    let ended = writer.end(attempt(1), isComplete: true)
    #expect(ended.failure?.code == .otherVersion)
    #expect(files.bytes(at: file.path) == bytes)
    #expect(writer.fileByteCount == 4)
    #expect(writer.failure == nil)
  }

  @Test func `bytes that another attempt has gathered are compared as well`() throws {
    let writer = writer(total: 8)
    let first = writer.begin(attempt(1), from: 0, .whole(8))
    #expect(give(first, [1, 2, 3, 4]) == .taken)
    let sample = writer.begin(attempt(2), from: 2, .part(4), comparedUpTo: 4)
    #expect(give(sample, [3, 4]) == .taken)
    #expect(writer.end(attempt(2), isComplete: true).failure == nil)
    let liar = writer.begin(attempt(3), from: 2, .part(4), comparedUpTo: 4)
    #expect(give(liar, [3, 5]) == .taken)
    #expect(writer.end(attempt(3), isComplete: true).failure?.code == .otherVersion)
  }

  @Test func `a part is not kept when there is nothing to compare it with`() throws {
    let writer = writer(total: 8)
    let sink = writer.begin(attempt(1), from: 2, .part(8), comparedUpTo: 4)
    #expect(give(sink, [3, 4, 5, 6]) == .taken)
    let ended = writer.end(attempt(1), isComplete: true)
    #expect(ended.failure?.code == .rangeReplyWrong)
    #expect(writer.fileByteCount == 0)
    #expect(writer.failure == nil)
  }
}
