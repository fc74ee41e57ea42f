import GRDB
import KettleModel

/// The table `block_digest`: the digests of the bytes of partial and finished files.
///
/// Each row has those of 64 consecutive blocks, so a checkpoint changes few pages, and a finished
/// file costs 16 bytes for each MiB. They are beside the record because no list needs them.
struct DigestRows {
  /// The blocks of one row.
  private static let groupBlockCount: Int64 = 64
  private static let groupByteCount = groupBlockCount * BlockDigests.blockByteCount

  private let db: Database

  init(_ db: Database) { self.db = db }

  static func createTable(_ db: Database) throws {
    try db.execute(
      sql: """
        CREATE TABLE block_digest (
          transfer INTEGER NOT NULL,
          block_group INTEGER NOT NULL,
          digests BLOB NOT NULL,
          PRIMARY KEY (transfer, block_group)
        ) STRICT, WITHOUT ROWID;
        """)
  }

  // MARK: Writing

  /// Adds digests, in place of those of the same bytes.
  func put(_ new: [DigestedBytes], of id: TransferID) throws {
    let groups = Dictionary(grouping: new) { $0.range.lower / Self.groupByteCount }
    for (group, entries) in groups {
      var digests = BlockDigests(try stored(group, of: id) ?? [])
      for entry in entries { digests.insert(entry) }
      let statement = try StoreStatement(
        db,
        """
        INSERT INTO block_digest (transfer, block_group, digests) VALUES (?, ?, ?)
        ON CONFLICT (transfer, block_group) DO UPDATE SET digests = excluded.digests
        """)
      statement.bind(id.rawValue, at: 1)
      statement.bind(group, at: 2)
      statement.bind(StoredDigests.bytes(digests.entries, from: group * Self.groupByteCount), at: 3)
      try statement.run()
    }
  }

  func forget(_ id: TransferID) throws {
    let statement = try StoreStatement(db, "DELETE FROM block_digest WHERE transfer = ?")
    statement.bind(id.rawValue, at: 1)
    try statement.run()
  }

  /// Removes the digests of transfers that were removed and cannot be restored.
  static func forget(_ ids: [TransferID], _ db: Database) throws {
    let isGone = BinRows.isGone("block_digest.transfer")
    let statement = try StoreStatement(
      db, "DELETE FROM block_digest WHERE transfer = ? AND \(isGone)")
    for id in ids {
      statement.bind(id.rawValue, at: 1)
      try statement.run()
    }
  }

  // MARK: Reading

  /// Returns the digests of a file's bytes. What cannot be read is left out: it proves nothing.
  func digests(of id: TransferID) throws -> BlockDigests {
    let rows = try StoreStatement(
      db,
      "SELECT block_group, digests FROM block_digest WHERE transfer = ? ORDER BY block_group")
    defer { rows.reset() }
    rows.bind(id.rawValue, at: 1)
    var digests = BlockDigests()
    while try rows.step() {
      for entry in Self.entries(rows, group: rows.number(0), column: 1) { digests.insert(entry) }
    }
    return digests
  }

  private func stored(_ group: Int64, of id: TransferID) throws -> [DigestedBytes]? {
    let row = try StoreStatement(
      db, "SELECT digests FROM block_digest WHERE transfer = ? AND block_group = ?")
    defer { row.reset() }
    row.bind(id.rawValue, at: 1)
    row.bind(group, at: 2)
    return try row.step() ? Self.entries(row, group: group, column: 0) : nil
  }

  private static func entries(
    _ row: StoreStatement, group: Int64, column: Int
  ) -> [DigestedBytes] {
    let (lower, overflow) = group.multipliedReportingOverflow(by: groupByteCount)
    guard !overflow, lower >= 0 else { return [] }
    return row.withBytes(column) { StoredDigests.entries($0, from: lower) }
  }
}

/// The digests of a row as bytes, all numbers in little-endian order.
///
/// The first byte is the form. `dense`: the blocks follow each other from the first on; 4 bytes say
/// how long the last one is, then come 16 bytes for each. `sparse`: for each entry, 4 bytes say
/// where it begins in the group, 4 how long it is, and 16 are its digest.
private enum StoredDigests {
  private static let dense: UInt8 = 0
  private static let sparse: UInt8 = 1
  private static let digestByteCount = 16

  static func bytes(_ entries: [DigestedBytes], from lower: Int64) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(entries.count * 24 + 5)
    if isDense(entries, from: lower) {
      bytes.append(dense)
      append(UInt32(truncatingIfNeeded: entries.last?.range.byteCount ?? 0), to: &bytes)
      for entry in entries { append(entry.digest, to: &bytes) }
    } else {
      bytes.append(sparse)
      for entry in entries {
        append(UInt32(truncatingIfNeeded: entry.range.lower - lower), to: &bytes)
        append(UInt32(truncatingIfNeeded: entry.range.byteCount), to: &bytes)
        append(entry.digest, to: &bytes)
      }
    }
    return bytes
  }

  private static func isDense(_ entries: [DigestedBytes], from lower: Int64) -> Bool {
    entries.enumerated().allSatisfy { index, entry in
      entry.range.lower == lower + Int64(index) * BlockDigests.blockByteCount
    } && entries.dropLast().allSatisfy { $0.range.byteCount == BlockDigests.blockByteCount }
  }

  static func entries(_ bytes: UnsafeRawBufferPointer, from lower: Int64) -> [DigestedBytes] {
    switch bytes.first {
    case dense where bytes.count > 5:
      let last = Int64(number(UInt32.self, in: bytes, at: 1))
      let count = (bytes.count - 5) / digestByteCount
      return (0..<count).compactMap { index in
        let start = lower + Int64(index) * BlockDigests.blockByteCount
        let byteCount = index == count - 1 ? last : BlockDigests.blockByteCount
        return entry(
          from: start, byteCount: byteCount, digest(in: bytes, at: 5 + index * digestByteCount))
      }
    case sparse:
      let size = digestByteCount + 8
      return stride(from: 1, through: bytes.count - size, by: size).compactMap { offset in
        entry(
          from: lower + Int64(number(UInt32.self, in: bytes, at: offset)),
          byteCount: Int64(number(UInt32.self, in: bytes, at: offset + 4)),
          digest(in: bytes, at: offset + 8))
      }
    case nil, .some: return []
    }
  }

  private static func entry(
    from lower: Int64, byteCount: Int64, _ digest: BlockDigest
  ) -> DigestedBytes? {
    ByteRange(lower: lower, upper: lower + byteCount).flatMap { DigestedBytes($0, digest) }
  }

  private static func append(_ digest: BlockDigest, to bytes: inout [UInt8]) {
    append(digest.low, to: &bytes)
    append(digest.high, to: &bytes)
  }

  private static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
  }

  private static func digest(in bytes: UnsafeRawBufferPointer, at offset: Int) -> BlockDigest {
    BlockDigest(
      high: number(UInt64.self, in: bytes, at: offset + 8),
      low: number(UInt64.self, in: bytes, at: offset))
  }

  /// The caller has checked that the number is within the bytes.
  private static func number<Number: FixedWidthInteger>(
    _ type: Number.Type, in bytes: UnsafeRawBufferPointer, at offset: Int
  ) -> Number {
    Number(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Number.self))
  }
}
