import KettleEngine
import KettleModel
import Testing
import TestSupport

@testable import KettleStore

/// The digests of pieces, which are stored apart from the records.
@Suite struct PieceRowsTests {
  private let scratch: StoreScratch
  private let id = TransferID(rawValue: 1)

  init() throws { scratch = try StoreScratch() }

  private func pieces(_ byte: UInt8) throws -> PieceHashes {
    try #require(
      PieceHashes(
        .digest(.sha1), pieceByteCount: 9, of: 9, digests: [UInt8](repeating: byte, count: 20)))
  }

  private func record(_ pieces: DescribedPieces) -> TransferRecord {
    var record = Sample.plain(1)
    record.spec.options.described = DescribedFile(copies: [], byteCount: 9, pieces: pieces)
    return record
  }

  @Test func `a record has the outline of its pieces, and the store has the pieces`() throws {
    let pieces = try pieces(1)
    let given = DescribedPieces.given(pieces)
    try scratch.fill([.put(record(given))])
    let journal = try scratch.open().journal
    #expect(
      try journal.records([id]).map(\.spec.options.described?.pieces) == [.stored(given.outline)])
    #expect(try journal.pieces(of: id) == pieces)
    #expect(try journal.pieces(of: TransferID(rawValue: 2)) == nil)
    // What was read without them is written without them.
    try journal.commit([.put(record(.stored(given.outline)))])
    #expect(try journal.pieces(of: id) == pieces)
    let others = try self.pieces(2)
    try journal.commit([.put(record(.given(others)))])
    #expect(try journal.pieces(of: id) == others)
    try journal.commit([.remove(id)])
    #expect(try journal.pieces(of: id) == nil)
  }

  @Test func `a store without such a transfer has no table of them`() throws {
    try scratch.fill([.put(Sample.plain(1))])
    let journal = try scratch.open().journal
    #expect(try journal.pieces(of: id) == nil)
    try journal.commit([.remove(id)])
  }

  @Test func `pieces of a transfer in the bin stay`() throws {
    let given = DescribedPieces.given(try pieces(1))
    try scratch.fill([.put(record(given))])
    let journal = try scratch.open().journal
    let action = BinAction(number: 1, kind: .remove, at: WallTime(millisecondsSince1970: 0))
    try journal.commit([
      .bin(.putAction(action)),
      .bin(.putEntry(BinEntry(action: 1, record: record(.stored(given.outline))))), .remove(id),
    ])
    #expect(try journal.pieces(of: id) == given.given)
    try journal.commit([.bin(.removeAction(1))])
    #expect(try journal.pieces(of: id) == nil)
  }
}
