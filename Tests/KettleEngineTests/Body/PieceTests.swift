import KettleModel
import KettleScheduler
import KettleSystem
import Testing
import TestSupport

@testable import KettleEngine

/// A writer that compares pieces of four bytes with their digests.
struct PieceTests {
  private static let content: [UInt8] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
  private let files = InMemoryFileStorage(documentsDirectory: "/d")
  private let file: any PartialFile
  private let pieces: PieceHashes

  init() throws {
    file = try files.createPartialFile(in: "/d", preferredName: "a", onConflict: .rename)
    pieces = try Self.pieces(of: Self.content)
  }

  private static func pieces(of content: [UInt8]) throws -> PieceHashes {
    let digests = try stride(from: 0, to: content.count, by: 4).flatMap { lower in
      let piece = Array(content[lower..<min(lower + 4, content.count)])
      let hex = try #require(TestDigest.hex(of: piece, .sha1))
      return try #require(Checksum(algorithm: .sha1, hex: hex)).bytes
    }
    return try #require(
      PieceHashes(
        .digest(.sha1), pieceByteCount: 4, of: Int64(content.count), digests: digests))
  }

  private func writer(
    durable: ByteRangeSet = ByteRangeSet(), isProved: Bool = true
  ) -> PartialFileWriter {
    let comparing = PieceComparing(storage: files) { _ in }
    return PartialFileWriter(
      file: file, durable: durable, totalByteCount: Int64(Self.content.count), pieces: comparing,
      ledger: PieceLedger(pieces, durable: durable, isProved: isProved)
    ) { _ in }
  }

  private func attempt(_ number: UInt64) -> AttemptID { AttemptID(rawValue: number) }

  private func write(
    _ bytes: [UInt8], from lower: Int64, by number: UInt64, to writer: PartialFileWriter
  ) {
    let sink = writer.begin(attempt(number), from: lower, .part(lower + Int64(bytes.count)))
    _ = bytes.withUnsafeBytes { sink.receive($0) }
    _ = writer.end(attempt(number), isComplete: true)
  }

  private func ranges(_ ranges: (Int64, Int64)...) -> ByteRangeSet {
    ranges.reduce(into: ByteRangeSet()) { set, range in
      if let range = ByteRange(lower: range.0, upper: range.1) { set.insert(range) }
    }
  }

  @Test func `right pieces are durable, and so are the bytes of incomplete ones`() throws {
    let writer = writer()
    write(Array(Self.content[0..<6]), from: 0, by: 1, to: writer)
    let synced = try writer.finish()
    #expect(synced.durable == ranges((0, 6)))
    #expect(synced.wrong.isEmpty)
  }

  @Test func `a wrong piece is never durable, and its attempts are named`() throws {
    let writer = writer()
    write([0, 1, 2, 3, 4, 99], from: 0, by: 1, to: writer)
    write([6, 7, 8], from: 6, by: 2, to: writer)
    let synced = try writer.finish()
    #expect(
      synced.wrong == [
        WrongPiece(
          range: try #require(ByteRange(lower: 4, upper: 8)), attempts: [attempt(1), attempt(2)])
      ])
    // The rest of a liar's bytes is not believed either.
    #expect(synced.durable == ranges((0, 4)))
  }

  @Test func `a piece that is not compared yet is not recorded`() throws {
    var ledger = PieceLedger(pieces, durable: ByteRangeSet(), isProved: true)
    let written = ranges((0, 5))
    ledger.note(try #require(ByteRange(lower: 0, upper: 5)), by: attempt(1), in: written)
    #expect(ledger.durable(of: written) == ranges((4, 5)))
    let next = ledger.next()
    let index = try #require(next)
    #expect(ledger.durable(of: written) == ranges((4, 5)))
    let wrong = ledger.finish(index, isRight: true)
    #expect(wrong == nil)
    #expect(ledger.durable(of: written) == written)
    #expect(!ledger.hasNext)
  }

  private func put(_ bytes: [UInt8]) throws {
    let result = bytes.withUnsafeBytes { bytes in
      Result { () throws(TransferFailure) in try file.write(bytes, at: 0) }
    }
    try result.get()
  }

  @Test func `a piece that an earlier run began is compared when it is complete`() throws {
    try put([0, 77])
    let writer = writer(durable: ranges((0, 2)))
    write([2, 3], from: 2, by: 1, to: writer)
    #expect(try writer.finish().durable.isEmpty)
  }

  @Test func `what another program has left is compared as well`() throws {
    try put([9, 9, 9, 9])
    let synced = try writer(durable: ranges((0, 4)), isProved: false).finish()
    #expect(synced.durable.isEmpty)
    #expect(synced.wrong.map(\.attempts) == [[]])
    #expect(try writer(durable: ranges((0, 4))).finish().durable == ranges((0, 4)))
  }

  @Test func `after a difference between two sources only right pieces count`() throws {
    let writer = writer()
    write(Array(Self.content[0..<6]), from: 0, by: 1, to: writer)
    write([3, 4, 99], from: 3, by: 2, to: writer)
    #expect(try writer.finish().durable == ranges((0, 4)))
  }

  @Test(arguments: [true, false])
  func `a complete file is settled only if its pieces are right`(isRight: Bool) throws {
    let writer = writer()
    var content = Self.content
    if !isRight { content[9] = 0 }
    write(content, from: 0, by: 1, to: writer)
    writer.settle()
    #expect(writer.settled?.durable == (isRight ? ranges((0, 10)) : nil))
  }
}
