import GRDB
import KettleEngine
import KettleModel
import TestSupport
import Testing

@testable import KettleStore

/// The digests of files in the store.
struct DigestRowsTests {
  private let scratch: StoreScratch
  private let one = TransferID(rawValue: 1)
  private static let block = BlockDigests.blockByteCount

  init() throws { scratch = try StoreScratch() }

  private func entry(_ lower: Int64, _ upper: Int64, _ number: UInt64) throws -> DigestedBytes {
    let range = try #require(ByteRange(lower: lower, upper: upper))
    return try #require(
      DigestedBytes(range, BlockDigest(high: number &* 0x9E37_79B9_7F4A_7C15, low: ~number)))
  }

  private func blocks(_ numbers: Range<Int64>) throws -> [DigestedBytes] {
    try numbers.map { try entry($0 * Self.block, ($0 + 1) * Self.block, UInt64($0) + 1) }
  }

  private func byteCount(_ journal: SQLiteJournal) throws -> Int? {
    try journal.queue.read { db in
      try Int.fetchOne(db, sql: "SELECT sum(length(digests)) FROM block_digest")
    }
  }

  @Test func `checkpoints add digests, and a finished file costs 16 bytes a block`() throws {
    let journal = try scratch.open().journal
    try journal.commit([.put(Sample.plain(1))])
    var expected = BlockDigests()
    for start in stride(from: Int64(0), to: 200, by: 8) {
      var new = try blocks(start..<(start + 8))
      new.append(try entry((start + 8) * Self.block, (start + 8) * Self.block + 99, 7))
      try journal.commit([.progress(one, ByteRangeSet(prefix: 1)), .digests(one, new)])
      for entry in new { expected.insert(entry) }
      #expect(try journal.digests(of: one) == expected)
    }
    #expect(try byteCount(journal) == 4 * 5 + 201 * 16)
    try journal.commit([.forgetDigests(one)])
    #expect(try journal.digests(of: one).isEmpty)
  }

  @Test func `parts of a block are kept until the whole of it is known`() throws {
    let journal = try scratch.open().journal
    try journal.commit([.put(Sample.plain(1))])
    let parts = [try entry(0, 10, 1), try entry(500, 700, 2)]
    try journal.commit([.digests(one, parts)])
    #expect(try journal.digests(of: one).entries == parts)
    let whole = [try entry(0, Self.block, 3)]
    try journal.commit([.digests(one, whole)])
    #expect(try journal.digests(of: one).entries == whole)
  }

  @Test func `digests go with the transfer, unless it can be restored`() throws {
    let journal = try scratch.open().journal
    let record = Sample.plain(1)
    let digests = try blocks(0..<3)
    try journal.commit([.put(record), .digests(one, digests)])
    let action = BinAction(number: 1, kind: .remove, at: WallTime(millisecondsSince1970: 0))
    try journal.commit([
      .bin(.putAction(action)), .bin(.putEntry(BinEntry(action: 1, record: record))), .remove(one),
    ])
    #expect(try journal.digests(of: one).entries == digests)
    try journal.commit([.bin(.removeAction(1))])
    #expect(try journal.digests(of: one).isEmpty)
    try journal.commit([.put(Sample.plain(2)), .digests(TransferID(rawValue: 2), digests)])
    try journal.commit([.remove(TransferID(rawValue: 2))])
    #expect(try journal.digests(of: TransferID(rawValue: 2)).isEmpty)
  }

  @Test(arguments: ["", "00", "0001000000", "01ffffffffffffffff", "02aabb", "0100000000000000"])
  func `damaged digests prove nothing`(hex: String) throws {
    let journal = try scratch.open().journal
    try journal.commit([.put(Sample.plain(1)), .digests(one, try blocks(0..<2))])
    try journal.queue.write { db in
      try db.execute(sql: "UPDATE block_digest SET digests = x'\(hex)'")
    }
    #expect(try journal.digests(of: one).isEmpty)
  }
}
