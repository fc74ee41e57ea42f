import GRDB
import KettleEngine
import KettleModel

/// What can be undone: the actions in the table `bin_action`, and the transfers as they were in
/// `bin_entry`, which has the columns of `transfer`.
struct BinRows {
  private let db: Database
  private let json = StoredJSON()

  init(_ db: Database) { self.db = db }

  static func createTables(_ db: Database) throws {
    try db.execute(
      sql: """
        CREATE TABLE bin_action (
          number INTEGER PRIMARY KEY,
          kind TEXT NOT NULL,
          at INTEGER NOT NULL,
          cleared_before INTEGER
        ) STRICT;

        CREATE TABLE bin_entry (
          action INTEGER NOT NULL,
          id INTEGER NOT NULL,
          session ANY, task_identifier ANY, state ANY, reason ANY, goes_on_at ANY, priority ANY,
          queue_position ANY, title ANY, url ANY, directory ANY, name ANY, created_at ANY,
          finished_at ANY, bytes_received ANY, bytes_expected ANY, connections ANY,
          limit_bytes_per_second ANY, not_before ANY, checksum ANY, ca_certificate_path ANY,
          on_conflict ANY, beginning ANY, headers ANY, login ANY, resume_data ANY,
          finished_file ANY, failure ANY, fresh_start ANY, retry_count ANY, request ANY, task ANY,
          task_status ANY, finish_number ANY, is_dormant ANY, trusted_servers ANY, options ANY,
          PRIMARY KEY (action, id)
        ) STRICT, WITHOUT ROWID;
        """)
  }

  // MARK: Writing

  func apply(_ change: BinChange) throws {
    switch change {
    case .putAction(let action): try put(action)
    case .putEntry(let entry): try put(entry)
    case .setBytes(let bytes, let id, let action): try put(bytes, of: id, in: action)
    case .removeEntries(let ids, let action): try remove(ids, from: action)
    case .removeAction(let number): try removeAction(number)
    }
  }

  private func put(_ action: BinAction) throws {
    try db.execute(
      sql: """
        INSERT OR REPLACE INTO bin_action (number, kind, at, cleared_before) VALUES (?, ?, ?, ?)
        """,
      arguments: [
        action.number, action.kind.rawValue, action.at.millisecondsSince1970, action.clearedBefore,
      ])
  }

  private func put(_ entry: BinEntry) throws {
    let statement = try StoreStatement(db, Self.insert)
    defer { statement.reset() }
    let row = TalliedRow(entry.record)
    try TransferParameters(statement).bind(entry.record, row, encoder: json)
    statement.bind(entry.action, at: Self.actionParameter)
    try statement.run()
  }

  private func put(_ bytes: ResumeData, of id: TransferID, in action: Int64) throws {
    try db.execute(
      sql: """
        UPDATE bin_entry SET resume_data = ?, bytes_received = ?, bytes_expected = ?
        WHERE action = ? AND id = ? AND resume_data IS NOT NULL
        """,
      arguments: [
        try json.text(bytes), bytes.durable.byteCount, bytes.totalByteCount, action, id.rawValue,
      ])
  }

  private func remove(_ ids: [TransferID], from action: Int64) throws {
    let statement = try StoreStatement(db, "DELETE FROM bin_entry WHERE action = ? AND id = ?")
    defer { statement.reset() }
    for id in ids {
      statement.bind(action, at: 1)
      statement.bind(id.rawValue, at: 2)
      try statement.run()
    }
  }

  private func removeAction(_ number: Int64) throws {
    let ids = try Int64.fetchAll(
      db, sql: "SELECT id FROM bin_entry WHERE action = ?", arguments: [number])
    try db.execute(sql: "DELETE FROM bin_entry WHERE action = ?", arguments: [number])
    try db.execute(sql: "DELETE FROM bin_action WHERE number = ?", arguments: [number])
    try Self.forgetGone(ids.map(TransferID.init), db)
  }

  /// Removes the hook runs, digests, pieces and members of those transfers that cannot be restored.
  static func forgetGone(_ ids: [TransferID], _ db: Database) throws {
    try HookRows.forget(ids, db)
    try DigestRows.forget(ids, db)
    try PieceRows.forget(ids, db)
    try MemberRows.forget(ids, db)
  }

  /// Returns the SQL condition that a transfer is neither on the list nor in the bin.
  static func isGone(_ id: String) -> String {
    """
    NOT EXISTS (SELECT 1 FROM transfer WHERE transfer.id = \(id))
    AND NOT EXISTS (
      SELECT 1 FROM bin_action CROSS JOIN bin_entry ON bin_entry.action = bin_action.number
      WHERE bin_entry.id = \(id))
    """
  }

  private static let actionParameter = TransferColumn.allCases.count + 1

  private static let insert = """
    INSERT OR REPLACE INTO bin_entry (\(TransferColumn.list), action)
    VALUES (\((1...actionParameter).map { "?\($0)" }.joined(separator: ", ")))
    """

  // MARK: Reading

  /// Returns the actions, the oldest first.
  func actions() throws -> [BinAction] {
    let rows = try Row.fetchAll(
      db, sql: "SELECT number, kind, at, cleared_before FROM bin_action ORDER BY number")
    return try rows.map { row in
      guard let number = Int64.fromDatabaseValue(row[0]).flatMap(TransferRowReader.bounded),
        let kind = String.fromDatabaseValue(row[1]).flatMap(BinAction.Kind.init),
        let at = Int64.fromDatabaseValue(row[2])
      else { throw TransferRowReader.Problem(column: "bin_action") }
      return BinAction(
        number: number, kind: kind, at: WallTime(millisecondsSince1970: at),
        clearedBefore: Int64.fromDatabaseValue(row[3]))
    }
  }

  func entries(of action: Int64, after: TransferID?, countMax: Int) throws -> [BinEntry] {
    let rows = try Row.fetchCursor(
      db,
      sql: """
        SELECT \(TransferColumn.list) FROM bin_entry
        WHERE action = ? AND id > ? ORDER BY id LIMIT ?
        """,
      arguments: [action, after?.rawValue ?? .min, countMax])
    let reader = TransferRowReader(.strict)
    var entries: [BinEntry] = []
    while let row = try rows.next() {
      entries.append(BinEntry(action: action, record: try reader.record(row)))
    }
    return entries
  }

  func entries(of ids: [TransferID], in actions: [Int64]) throws -> [BinEntry] {
    let list = "[" + ids.map { String($0.rawValue) }.joined(separator: ",") + "]"
    let reader = TransferRowReader(.strict)
    var entries: [BinEntry] = []
    for action in actions {
      let rows = try Row.fetchCursor(
        db,
        sql: """
          SELECT \(TransferColumn.list) FROM bin_entry
          WHERE action = ? AND id IN (SELECT value FROM json_each(?))
          """,
        arguments: [action, list])
      while let row = try rows.next() {
        entries.append(BinEntry(action: action, record: try reader.record(row)))
      }
    }
    return entries
  }

  /// - Parameter action: leaves only this one; nil leaves all.
  func contents(of action: Int64?) throws -> [Int64: BinContents] {
    var contents: [Int64: BinContents] = [:]
    let rows = try Row.fetchAll(
      db,
      sql: """
        SELECT action, count(*),
          total(iif(resume_data IS NOT NULL OR kind IN (?, ?), bytes_received, 0))
        FROM bin_entry JOIN bin_action ON number = action
        WHERE action BETWEEN ? AND ? GROUP BY action
        """,
      arguments: [
        BinAction.Kind.removeWithFile.rawValue, BinAction.Kind.reset.rawValue, action ?? .min,
        action ?? .max,
      ])
    for row in rows {
      guard let action = Int64.fromDatabaseValue(row[0]), let count = Int.fromDatabaseValue(row[1])
      else { continue }
      let byteCount = Int64(exactly: Double.fromDatabaseValue(row[2])?.rounded() ?? 0) ?? .max
      let first = try entries(of: action, after: nil, countMax: 1).first
      let title = first.map { RowMaker(documentsDirectory: "").row(of: $0.record).title }
      contents[action] = BinContents(transferCount: count, byteCount: byteCount, title: title)
    }
    return contents
  }
}
