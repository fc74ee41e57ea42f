import GRDB
import KettleEngine
import KettleModel

/// The table `progress`: the durable ranges of transfers whose record has not been written since.
///
/// Each checkpoint of a running transfer writes one such row. Writing the record as often would
/// change three pages and encode all of it each time. The next write of the record includes the
/// progress and deletes the row, so a row is newer than its record.
enum StoredProgress {
  /// Contains running transfers and those of the last crash: few, however long the list is.
  static func read(_ db: Database) throws -> [TransferID: ByteRangeSet] {
    var progress: [TransferID: ByteRangeSet] = [:]
    let rows = try StoreStatement(db, "SELECT id, held FROM progress")
    defer { rows.reset() }
    let json = StoredJSON()
    while try rows.step() {
      progress[TransferID(rawValue: rows.number(0))] = try durable(rows.text(1), json)
    }
    return progress
  }

  private static func durable(_ text: String, _ json: StoredJSON) throws -> ByteRangeSet {
    guard let durable = try? json.value(ByteRangeSet.self, in: text) else {
      throw TransferRowReader.Problem(column: "held")
    }
    return durable
  }

  /// Adds the durable ranges to a record that was read.
  static func complete(_ record: inout TransferRecord, _ db: Database) throws {
    guard record.resumeData != nil else { return }
    let row = try StoreStatement(db, "SELECT held FROM progress WHERE id = ?")
    defer { row.reset() }
    row.bind(record.id.rawValue, at: 1)
    if try row.step() { record.resumeData?.durable = try durable(row.text(0), StoredJSON()) }
  }

  static func put(_ durable: ByteRangeSet, of id: TransferID, _ db: Database) throws {
    let statement = try StoreStatement(
      db,
      """
      INSERT INTO progress (id, held) VALUES (?, ?)
      ON CONFLICT (id) DO UPDATE SET held = excluded.held
      """)
    statement.bind(id.rawValue, at: 1)
    statement.bind(try StoredJSON().text(durable), at: 2)
    try statement.run()
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
