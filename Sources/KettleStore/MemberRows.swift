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
          stamp TEXT,
          mirrors TEXT,
          transfer INTEGER,
          PRIMARY KEY (collection, number)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX member_without_transfer ON member (collection, number)
          WHERE transfer IS NULL;
        CREATE INDEX member_by_path ON member (collection, path);
        CREATE INDEX member_by_transfer ON member (transfer) WHERE transfer IS NOT NULL;
        """)
  }

  /// What stands for the transfer of a file that the user has not chosen.
  private static let leftOut = 0

  /// Selects the transfers of all members.
  static let transfers = "SELECT transfer FROM member WHERE transfer IS NOT NULL"

  /// The path of the member that a row of `transfer` is; NULL for none.
  static let path = "(SELECT path FROM member WHERE member.transfer = transfer.id)"
  /// The same with its collection and number, for `role(_:)`.
  static let role = """
    (SELECT collection || ' ' || number || ' ' || path FROM member
    WHERE member.transfer = transfer.id)
    """

  /// Whether no transfer is a member.
  var isEmpty: Bool {
    get throws {
      try Row.fetchOne(db, sql: "SELECT 1 FROM member WHERE transfer > 0 LIMIT 1") == nil
    }
  }

  /// Returns nil for a text that `role` cannot have selected.
  static func role(_ text: String) -> MemberRole? {
    // Bytes, because to `Character` a combining mark hides the blank before it.
    let parts = text.utf8.split(separator: UInt8(ascii: " "), maxSplits: 2)
      .map { String(Substring($0)) }
    guard parts.count == 3, let id = Int64(parts[0]), let number = Int64(parts[1]),
      let path = MemberPath(foreign: parts[2])
    else { return nil }
    return MemberRole(collection: TransferID(rawValue: id), number: number, path: path)
  }

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
      INSERT INTO member (collection, number, path, url, byte_count, checksum, stamp, mirrors)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """)
    defer { statement.reset() }
    for (offset, member) in members.enumerated() {
      statement.bind(id.rawValue, at: 1)
      statement.bind(first + Int64(offset), at: 2)
      statement.bind(member.path.text, at: 3)
      statement.bind(member.url.text, at: 4)
      statement.bind(member.byteCount, at: 5)
      statement.bind(member.checksum?.text, at: 6)
      statement.bind(member.stamp, at: 7)
      // No URL has a line feed.
      statement.bind(member.mirrors?.map(\.text).joined(separator: "\n"), at: 8)
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

  /// Leaves files out that have no transfer.
  func leaveOut(_ runs: [MemberRun], of id: TransferID) throws {
    let statement = try StoreStatement(
      db,
      """
      UPDATE member SET transfer = \(Self.leftOut)
      WHERE collection = ? AND number BETWEEN ? AND ? AND transfer IS NULL
      """)
    defer { statement.reset() }
    for run in runs {
      statement.bind(id.rawValue, at: 1)
      statement.bind(run.first, at: 2)
      statement.bind(run.last, at: 3)
      try statement.run()
      statement.reset()
    }
  }

  /// Returns the sum of the files that are not left out.
  func sum(of id: TransferID) throws -> MemberSum {
    let row = try Row.fetchOne(
      db,
      sql: """
        SELECT \(Self.sums(of: "member")) FROM member
        WHERE collection = ? AND transfer IS NOT \(Self.leftOut)
        """, arguments: [id.rawValue])
    return MemberSum(row)
  }

  // MARK: Syncing

  /// The files of `:old`, a collection, and of `:new`, a later list of its source, that have one
  /// path. Without the index, SQLite would read the whole list for each file.
  private static func sameFile(in table: String, as other: String, of list: String) -> String {
    "member AS \(table) INDEXED BY member_by_path"
      + " WHERE \(table).collection = \(list) AND \(table).path = \(other).path"
  }

  /// Selects the files of one kind of change. Two digests of one kind decide alone.
  private static func changed(_ kind: MemberChange) -> String {
    let differs = """
      CASE WHEN substr(later.checksum, 1, instr(later.checksum, ':'))
          = substr(earlier.checksum, 1, instr(earlier.checksum, ':'))
        THEN later.checksum <> earlier.checksum
        ELSE coalesce(later.byte_count <> earlier.byte_count, 0)
          OR coalesce(later.stamp <> earlier.stamp, 0) END
      """
    return switch kind {
    case .new:
      """
      FROM member AS later WHERE later.collection = :new
        AND NOT EXISTS (SELECT 1 FROM \(sameFile(in: "earlier", as: "later", of: ":old")))
      """
    case .changed:
      """
      FROM member AS later CROSS JOIN \(sameFile(in: "earlier", as: "later", of: ":old"))
        AND later.collection = :new AND earlier.transfer IS NOT \(leftOut) AND \(differs)
      """
    case .gone:
      """
      FROM member AS earlier WHERE earlier.collection = :old
        AND earlier.transfer IS NOT \(leftOut)
        AND NOT EXISTS (SELECT 1 FROM \(sameFile(in: "later", as: "earlier", of: ":new")))
      """
    }
  }

  /// What makes a collection, `:old`, equal to a later list, `:new`. Each statement searches once
  /// for each file.
  static func syncStatements(removesGone: Bool) -> [String] {
    let later = sameFile(in: "later", as: "member", of: ":new")
    var statements = [
      // The transfer of a changed file was removed; the missing transfer is added.
      """
      UPDATE member SET transfer = NULL WHERE collection = :old AND number IN (
        SELECT earlier.number \(changed(.changed)))
      """,
      // The files that are the same keep their transfers; their URLs may name another version.
      """
      UPDATE member SET (url, mirrors, byte_count, checksum, stamp) = (
        SELECT later.url, later.mirrors, coalesce(later.byte_count, member.byte_count),
          coalesce(later.checksum, member.checksum), coalesce(later.stamp, member.stamp)
        FROM \(later))
      WHERE collection = :old AND EXISTS (
        SELECT 1 FROM \(later) AND (
          later.url <> member.url OR later.mirrors IS NOT member.mirrors OR later.byte_count IS NOT member.byte_count
          OR later.checksum IS NOT member.checksum OR later.stamp IS NOT member.stamp))
      """,
      """
      INSERT INTO member (collection, number, path, url, byte_count, checksum, stamp, mirrors)
      SELECT :old, (SELECT coalesce(max(number), -1) FROM member WHERE collection = :old)
          + row_number() OVER (ORDER BY later.number),
        later.path, later.url, later.byte_count, later.checksum, later.stamp, later.mirrors
      \(changed(.new))
      """,
    ]
    if removesGone {
      statements.append(
        """
        DELETE FROM member WHERE collection = :old AND number IN (
          SELECT earlier.number \(changed(.gone)))
        """)
    }
    return statements
  }

  /// Takes over what a later list says; `JournalChange.syncMembers`.
  func sync(_ sync: CollectionSync, from list: TransferID) throws {
    let arguments: StatementArguments = ["old": sync.collection.rawValue, "new": list.rawValue]
    for statement in Self.syncStatements(removesGone: sync.removesGone) {
      try db.execute(sql: statement, arguments: arguments)
    }
  }

  /// Returns how many files of one kind of change there are, and their sizes.
  func sum(of kind: MemberChange, of id: TransferID, in list: TransferID) throws -> MemberSum {
    let row = try Row.fetchOne(
      db, sql: "SELECT \(Self.sums(of: Self.table(of: kind))) \(Self.changed(kind))",
      arguments: ["old": id.rawValue, "new": list.rawValue])
    return MemberSum(row)
  }

  /// Sums for `MemberSum`. total() does not fail on an overflow, which sum() does.
  private static func sums(of table: String) -> String {
    """
    count(*), CAST(total(\(table).byte_count) AS INTEGER),
      count(*) - count(\(table).byte_count)
    """
  }

  /// Returns files of one kind of change in the order of their numbers.
  func changed(
    _ kind: MemberChange, of id: TransferID, in list: TransferID, from first: Int64, countMax: Int
  ) throws -> [ChangedMember] {
    let table = Self.table(of: kind)
    let transfer = kind == .new ? "NULL" : "earlier.transfer"
    let rows = try Row.fetchCursor(
      db,
      sql: """
        SELECT \(table).number, \(table).path, \(table).byte_count, \(transfer)
        \(Self.changed(kind)) AND \(table).number >= :first ORDER BY \(table).number LIMIT :count
        """,
      arguments: [
        "old": id.rawValue, "new": list.rawValue, "first": first, "count": countMax,
      ])
    var changed: [ChangedMember] = []
    while let row = try rows.next() {
      guard let path = MemberPath(foreign: row[1]) else {
        throw TransferRowReader.Problem(column: "member")
      }
      let transfer: Int64? = row[3]
      changed.append(
        ChangedMember(
          number: row[0], path: path, byteCount: row[2],
          transfer: transfer.map { TransferID(rawValue: $0) }))
    }
    return changed
  }

  private static func table(of kind: MemberChange) -> String {
    switch kind {
    case .new, .changed: "later"
    case .gone: "earlier"
    }
  }

  // MARK: Reading

  /// Returns files of a collection in the order of the list, each with its number; none that is
  /// left out.
  func members(
    of id: TransferID, from first: Int64, countMax: Int
  ) throws -> [NumberedMember] {
    let rows = try StoreStatement(
      db,
      """
      \(Self.selectMembers) WHERE transfer IS NOT \(Self.leftOut)
        AND collection = ? AND number >= ? ORDER BY number LIMIT ?
      """)
    rows.bind(id.rawValue, at: 1)
    rows.bind(first, at: 2)
    rows.bind(Int64(countMax), at: 3)
    return try read(rows)
  }

  /// Returns files of a collection that have no transfer, in an order.
  ///
  /// - Parameter last: the last one of the page before; nil for the first page.
  func missing(
    of id: TransferID, after last: NumberedMember?, in order: MemberOrder, countMax: Int
  ) throws -> [NumberedMember] {
    let key: String?
    var lastKey: Int64 = .min
    switch order {
    case .listed: key = nil
    case .smallest:
      key = "coalesce(byte_count, \(Int64.max))"
      if let last { lastKey = last.member.byteCount ?? .max }
    case .largest:
      key = "-coalesce(byte_count, -1)"
      if let last { lastKey = -(last.member.byteCount ?? -1) }
    }
    // Asked each time a member ends, when usually none is missing. Without the index, SQLite would
    // read the whole list.
    let rows = try StoreStatement(
      db,
      """
      \(Self.selectMembers) INDEXED BY member_without_transfer
      WHERE transfer IS NULL AND collection = ?1
        AND \(key.map { "(\($0), number) > (?2, ?3)" } ?? "number > ?3")
      ORDER BY \(key.map { $0 + ", " } ?? "") number LIMIT ?4
      """)
    rows.bind(id.rawValue, at: 1)
    rows.bind(lastKey, at: 2)
    rows.bind(last?.number ?? -1, at: 3)
    rows.bind(Int64(countMax), at: 4)
    return try read(rows)
  }

  private static let selectMembers =
    "SELECT number, path, url, byte_count, checksum, stamp, mirrors FROM member"

  /// Reads the rows of `selectMembers`.
  private func read(_ rows: StoreStatement) throws -> [NumberedMember] {
    defer { rows.reset() }
    var members: [NumberedMember] = []
    while try rows.step() {
      guard let path = MemberPath(foreign: rows.text(1)),
        case .success(let parsed) = TransferURL.parse(rows.text(2))
      else { throw TransferRowReader.Problem(column: "member") }
      let member = ListedMember(
        path: path, url: parsed.url, byteCount: rows.isNull(3) ? nil : rows.number(3),
        checksum: rows.isNull(4) ? nil : Checksum(rows.text(4)),
        stamp: rows.isNull(5) ? nil : rows.text(5),
        mirrors: rows.isNull(6) ? [] : Self.urls(rows.text(6)))
      members.append(NumberedMember(number: rows.number(0), member: member))
    }
    return members
  }

  private static func urls(_ lines: String) -> [TransferURL] {
    lines.split(separator: "\n").compactMap { try? TransferURL.parse(String($0)).get().url }
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

extension MemberSum {
  /// - Parameter row: a count, a sum of sizes, and how many sizes are not known.
  fileprivate init(_ row: Row?) {
    self.init(count: row?[0] ?? 0, byteCount: row?[1] ?? 0, unknownSizeCount: row?[2] ?? 0)
  }
}
