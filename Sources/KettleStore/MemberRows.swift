import GRDB
import KettleEngine
import KettleModel

/// The table `member`: the files that the lists of collections name, each with its transfer once it
/// has one.
struct MemberRows {
  private let db: Database

  init(_ db: Database) { self.db = db }

  static func createTable(_ db: Database) throws {
    try db.execute(
      sql: """
        CREATE TABLE member (
          collection INTEGER NOT NULL,
          number INTEGER NOT NULL,
          path TEXT NOT NULL,
          url TEXT NOT NULL,
          byte_count INTEGER,
          checksum TEXT,
          transfer INTEGER,
          PRIMARY KEY (collection, number)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX member_without_transfer ON member (collection, number)
          WHERE transfer IS NULL;
        CREATE INDEX member_by_transfer ON member (transfer) WHERE transfer IS NOT NULL;
        """)
  }

  /// Asked each time a member ends, when usually none is missing. Without the index, SQLite would
  /// read the whole list.
  private static let missing = "INDEXED BY member_without_transfer WHERE transfer IS NULL AND"

  /// Selects the transfers of all members.
  static let transfers = "SELECT transfer FROM member WHERE transfer IS NOT NULL"

  // MARK: Writing

  /// Adds files to the list of a collection, in place of those from the first number on.
  func put(_ members: [ListedMember], of id: TransferID, from first: Int64) throws {
    let old = try StoreStatement(db, "DELETE FROM member WHERE collection = ? AND number >= ?")
    old.bind(id.rawValue, at: 1)
    old.bind(first, at: 2)
    try old.run()
    let statement = try StoreStatement(
      db,
      """
      INSERT INTO member (collection, number, path, url, byte_count, checksum)
      VALUES (?, ?, ?, ?, ?, ?)
      """)
    defer { statement.reset() }
    for (offset, member) in members.enumerated() {
      statement.bind(id.rawValue, at: 1)
      statement.bind(first + Int64(offset), at: 2)
      statement.bind(member.path.text, at: 3)
      statement.bind(member.url.text, at: 4)
      statement.bind(member.byteCount, at: 5)
      statement.bind(member.checksum?.text, at: 6)
      try statement.run()
      // A missing value would be that of the member before.
      statement.reset()
    }
  }

  /// Records the transfer of a member. A store that was damaged may have lost the list.
  func record(_ record: TransferRecord, as role: MemberRole) throws {
    let statement = try StoreStatement(
      db,
      """
      INSERT INTO member (collection, number, path, url, byte_count, checksum, transfer)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (collection, number) DO UPDATE SET transfer = excluded.transfer
      """)
    defer { statement.reset() }
    statement.bind(role.collection.rawValue, at: 1)
    statement.bind(role.number, at: 2)
    statement.bind(role.path.text, at: 3)
    statement.bind(record.spec.url.text, at: 4)
    statement.bind(record.spec.options.described?.byteCount, at: 5)
    statement.bind(record.spec.checksum?.text, at: 6)
    statement.bind(record.id.rawValue, at: 7)
    try statement.run()
  }

  /// Removes the lists of collections that were removed and cannot be restored.
  static func forget(_ ids: [TransferID], _ db: Database) throws {
    let statement = try StoreStatement(
      db, "DELETE FROM member WHERE collection = ? AND \(BinRows.isGone("member.collection"))")
    defer { statement.reset() }
    for id in ids {
      statement.bind(id.rawValue, at: 1)
      try statement.run()
    }
  }

  // MARK: Reading

  /// Returns files of a collection in the order of the list, each with its number.
  ///
  /// - Parameter isMissing: whether only those without a transfer are wanted.
  func members(
    of id: TransferID, from first: Int64, isMissing: Bool, countMax: Int
  ) throws -> [NumberedMember] {
    let rows = try StoreStatement(
      db,
      """
      SELECT number, path, url, byte_count, checksum FROM member
      \(isMissing ? Self.missing : "WHERE") collection = ? AND number >= ?
      ORDER BY number LIMIT ?
      """)
    defer { rows.reset() }
    rows.bind(id.rawValue, at: 1)
    rows.bind(first, at: 2)
    rows.bind(Int64(countMax), at: 3)
    var members: [NumberedMember] = []
    while try rows.step() {
      guard let path = MemberPath(foreign: rows.text(1)),
        case .success(let parsed) = TransferURL.parse(rows.text(2))
      else { throw TransferRowReader.Problem(column: "member") }
      let member = ListedMember(
        path: path, url: parsed.url, byteCount: rows.isNull(3) ? nil : rows.number(3),
        checksum: rows.isNull(4) ? nil : Checksum(rows.text(4)))
      members.append(NumberedMember(number: rows.number(0), member: member))
    }
    return members
  }

  /// Returns the transfers of the members of collections, in the order in which they were added.
  func transfers(of ids: [TransferID]) throws -> [TransferID] {
    let rows = try StoreStatement(
      db,
      """
      SELECT transfer.id FROM member CROSS JOIN transfer ON transfer.id = member.transfer
      WHERE member.collection = ?
      """)
    defer { rows.reset() }
    var transfers: [TransferID] = []
    for id in ids {
      rows.reset()
      rows.bind(id.rawValue, at: 1)
      while try rows.step() { transfers.append(TransferID(rawValue: rows.number(0))) }
    }
    return transfers.sorted()
  }

  /// Returns the number of the first member from one on whose transfer has not ended; nil if all of
  /// these have.
  func firstUnfinished(of id: TransferID, from first: Int64) throws -> Int64? {
    let unfinished = TransferState.allCases.filter { !$0.isFinished }
    let rows = try StoreStatement(
      db,
      """
      SELECT member.number FROM member CROSS JOIN transfer ON transfer.id = member.transfer
      WHERE member.collection = ? AND member.number >= ? AND transfer.state IN (\(Self.words(unfinished)))
      ORDER BY member.number LIMIT 1
      """)
    defer { rows.reset() }
    rows.bind(id.rawValue, at: 1)
    rows.bind(first, at: 2)
    return try rows.step() ? rows.number(0) : nil
  }

  /// Returns how many transfers of members have failed.
  func failedCount(of id: TransferID) throws -> Int {
    let rows = try StoreStatement(
      db,
      """
      SELECT count(*) FROM member CROSS JOIN transfer ON transfer.id = member.transfer
      WHERE member.collection = ? AND transfer.state IN (\(Self.words([.failed])))
      """)
    defer { rows.reset() }
    rows.bind(id.rawValue, at: 1)
    return try rows.step() ? Int(rows.number(0)) : 0
  }

  private static func words(_ states: [TransferState]) -> String {
    states.map { "'\($0.rawValue)'" }.joined(separator: ", ")
  }

  /// Returns the sums of the dormant members of each collection.
  func tallies() throws -> [TransferID: MemberTally] {
    let rows = try StoreStatement(
      db,
      """
      SELECT member.collection, transfer.state, count(*), sum(transfer.bytes_received)
      FROM member CROSS JOIN transfer ON transfer.id = member.transfer
      WHERE transfer.is_dormant = 1 GROUP BY member.collection, transfer.state
      """)
    defer { rows.reset() }
    var tallies: [TransferID: MemberTally] = [:]
    while try rows.step() {
      guard let state = TransferState(rawValue: rows.text(1)) else {
        throw TransferRowReader.Problem(column: TransferColumn.state.sqlName)
      }
      tallies[TransferID(rawValue: rows.number(0)), default: MemberTally()].add(
        Int(rows.number(2)), in: state, byteCount: rows.number(3))
    }
    return tallies
  }
}
