import GRDB
import GRDBSQLite
import KettleEngine
import KettleModel

/// The table `progress`: the durable ranges of transfers whose record has not been written since.
///
/// A fast transfer reports progress a hundred times a second. Writing its record as often would
/// change three pages and encode the whole record each time. A row here is one page, and later
/// progress is in `ProgressPages`, under the stamp that the row got when it was written. The next
/// write of the record includes the progress and deletes the row. A row is therefore newer than its
/// record, and a page with its stamp is newer than the row.
enum StoredProgress {
  /// Contains running transfers and those of the last crash: few, however long the list is.
  static func read(_ db: Database) throws -> [TransferID: ByteRangeSet] {
    var progress: [TransferID: ByteRangeSet] = [:]
    let stamp = try StoreLayout.hasStamps(db) ? "stamp" : "NULL"
    let rows = try StoreStatement(db, "SELECT id, held, \(stamp) FROM progress")
    defer { rows.reset() }
    let json = StoredJSON()
    let pages = place(db).map(ProgressPages.read) ?? [:]
    while try rows.step() {
      let stored = try held(rows.text(1), json)
      progress[TransferID(rawValue: rows.number(0))] =
        rows.isNull(2) ? stored : pages[ProgressStamp(rawValue: rows.number(2))] ?? stored
    }
    return progress
  }

  private static func place(_ db: Database) -> StorePlace? {
    db.sqliteConnection.flatMap { sqlite3_db_filename($0, nil) }
      .map { StorePlace(String(cString: $0)) }
  }

  private static func held(_ text: String, _ json: StoredJSON) throws -> ByteRangeSet {
    guard let held = try? json.value(ByteRangeSet.self, in: text) else {
      throw TransferRowReader.Problem(column: "held")
    }
    return held
  }

  /// Adds the durable ranges to a record that was read.
  static func complete(_ record: inout TransferRecord, _ db: Database) throws {
    guard record.resumeData != nil else { return }
    let row = try StoreStatement(db, "SELECT held, stamp FROM progress WHERE id = ?")
    defer { row.reset() }
    row.bind(record.id.rawValue, at: 1)
    guard try row.step() else { return }
    let stored = try held(row.text(0), StoredJSON())
    let pages = row.isNull(1) ? nil : place(db).map(ProgressPages.read)
    record.resumeData?.held = pages?[ProgressStamp(rawValue: row.number(1))] ?? stored
  }

  /// Writes the row. Returns its stamp, which no page has yet.
  static func put(
    _ held: ByteRangeSet, of id: TransferID, _ db: Database
  ) throws -> ProgressStamp {
    let statement = try StoreStatement(
      db,
      """
      INSERT INTO progress (id, held, stamp) VALUES (?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET held = excluded.held, stamp = excluded.stamp
      """)
    let stamp = ProgressStamp.new()
    statement.bind(id.rawValue, at: 1)
    statement.bind(text(held), at: 2)
    statement.bind(stamp.rawValue, at: 3)
    try statement.run()
    return stamp
  }

  /// Encodes like `StoredJSON`, at a tenth of the cost.
  private static func text(_ held: ByteRangeSet) -> String {
    var text = "["
    for range in held.ranges {
      if text.utf8.count > 1 { text += "," }
      text += String(range.lower)
      text += ","
      text += String(range.upper)
    }
    return text + "]"
  }

  static func remove(_ id: TransferID, _ db: Database) throws {
    let statement = try StoreStatement(db, "DELETE FROM progress WHERE id = ?")
    statement.bind(id.rawValue, at: 1)
    try statement.run()
  }

  /// Writes progress left by a crash into the records: lists are sorted and summed by records
  /// alone.
  static func settle(_ db: Database) throws {
    let progress = try read(db)
    if progress.isEmpty { return }
    let records = try RecordFetch(db).records(progress.keys.map(\.rawValue).sorted())
    var writer = try TransferRowWriter(db, lastID: .max)
    try writer.apply(records.map(JournalChange.put))
    try writer.finish()
    try db.execute(sql: "DELETE FROM progress")
  }
}
