import GRDB
import GRDBSQLite
import KettleEngine
import KettleModel

/// The table `progress`: how much is held of transfers whose record was not written since.
///
/// A fast transfer tells a hundred times a second how far it is. To write its record as often
/// changes three pages and codes all of it anew; a row here is one page, and what comes after the
/// row is in `ProgressPages`, under the stamp that the row got when it was written. The next time
/// the record is written, it says it itself and the row goes, so a row always knows better than its
/// record, and a page with its stamp better than the row.
enum StoredProgress {
  /// Transfers that run, and those of the last crash: few, whatever the list has.
  static func read(_ db: Database) throws -> [TransferID: HeldRanges] {
    var progress: [TransferID: HeldRanges] = [:]
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

  private static func held(_ text: String, _ json: StoredJSON) throws -> HeldRanges {
    guard let held = try? json.value(HeldRanges.self, in: text) else {
      throw TransferRowReader.Problem(column: "held")
    }
    return held
  }

  /// Puts what is held into a record that was read.
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

  /// Writes the row, with a stamp that no page has yet, which is the answer.
  static func put(
    _ held: HeldRanges, of id: TransferID, _ db: Database
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

  /// As an encoder would write it, at a tenth of the cost.
  private static func text(_ held: HeldRanges) -> String {
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

  /// Writes what a crash left here into the records: lists are sorted and summed up by those alone.
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
