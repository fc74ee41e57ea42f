import GRDB
import KettleModel

/// The records of sessions in the table `session`.
enum SessionRows {
  /// The problem of a row whose record is missing or invalid.
  static let problem = TransferRowReader.Problem(column: "session")

  /// Returns every session that was not dropped, by name. When salvaging, an invalid record is
  /// skipped: its program creates it again, and its transfers contain its name.
  static func read(
    _ db: Database, _ layout: StoreLayout, mode: TransferRowReader.Mode
  ) throws -> [SessionRecord] {
    guard let sql = layout.sessionRecords else { return [] }
    let json = StoredJSON()
    var records: [SessionRecord] = []
    let rows = try Row.fetchCursor(db, sql: sql)
    while let row = try rows.next() {
      if let record = record(row, json) {
        records.append(record)
      } else {
        switch mode {
        case .strict: throw problem
        case .salvaging: continue
        }
      }
    }
    return records.sorted { $0.id.rawValue < $1.id.rawValue }
  }

  private static func record(_ row: Row, _ json: StoredJSON) -> SessionRecord? {
    guard let name = String.fromDatabaseValue(row[0]),
      let text = String.fromDatabaseValue(row[1]),
      let record = try? json.value(SessionRecord.self, in: text), record.id.rawValue == name
    else { return nil }
    return record
  }

  static func put(_ record: SessionRecord, in db: Database, _ json: StoredJSON) throws {
    let statement = try db.cachedStatement(
      sql: """
        INSERT INTO session (name, last_task_identifier, record) VALUES (?, 0, ?)
        ON CONFLICT (name) DO UPDATE SET record = excluded.record
        """)
    try statement.execute(arguments: [record.id.rawValue, json.text(record)])
  }

  static func remove(_ session: SessionID, _ db: Database) throws {
    let statement = try db.cachedStatement(sql: "UPDATE session SET record = NULL WHERE name = ?")
    try statement.execute(arguments: [session.rawValue])
  }
}
