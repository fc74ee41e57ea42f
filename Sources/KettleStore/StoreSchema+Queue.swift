import GRDB
import KettleModel

/// Version 4: the store is the only place of transfers that are not in memory.
extension StoreSchema {
  /// Transfers that wait for a free slot.
  static let isInLine = "is_dormant = 1 AND state = 'queued'"

  /// The name of the user's queue that a transfer was given; NULL for none. Damaged options are
  /// found by the code that reads whole records.
  static let queueName = "iif(json_valid(options), options ->> '$.queue', NULL)"

  /// The name of the user's queue that a transfer is in.
  static let queueOfUser = "ifnull(\(queueName), 'default')"

  /// The transfers in `TransferIndex.byState`. The queue contains the others; indexing them again
  /// would cost most when many are added.
  static let isAside = "is_dormant = 1 AND state <> 'queued'"

  /// The transfers in `TransferIndex.byFinish`.
  static let isFinished = "(state = 'completed' OR finish_number IS NOT NULL)"

  static func makeQueue(_ db: Database) throws {
    try db.execute(
      sql: """
        DROP INDEX transfer_by_state;
        DROP INDEX transfer_by_finish;

        ALTER TABLE transfer ADD COLUMN is_dormant INTEGER NOT NULL DEFAULT 0;
        -- Up to the slash behind the host, and by its length behind either scheme.
        ALTER TABLE transfer ADD COLUMN origin TEXT
          GENERATED ALWAYS AS (substr(url, 1, 7 + instr(substr(url, 9), '/'))) VIRTUAL;

        CREATE TABLE tally (
          state TEXT NOT NULL PRIMARY KEY,
          count INTEGER NOT NULL,
          unknown_size_count INTEGER NOT NULL,
          bytes_received INTEGER NOT NULL,
          bytes_expected INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        UPDATE transfer SET is_dormant = 1
        WHERE task IS NULL AND (
          state IN ('queued', 'paused', 'completed')
          OR state = 'failed' AND finished_at IS NOT NULL
          OR state = 'idle' AND resume_data IS NULL
        );
        """)
    try writeShownBytes(db)
    for index in TransferIndex.allCases.compactMap(\.creation) { try db.execute(sql: index) }
    try StoredPositions.repair(db)
    try StoreTallies.recount(db)
  }

  /// Sets the byte columns to what clients display. Before, they contained the bytes in the file,
  /// which differ for these transfers.
  private static func writeShownBytes(_ db: Database) throws {
    let layout = StoreLayout(version: 4)
    let reader = TransferRowReader(.salvaging)
    let ids = try Int64.fetchCursor(
      db,
      sql: """
        SELECT id FROM transfer
        WHERE task IS NOT NULL
          OR finished_file IS NOT NULL AND finished_file ->> '$.identity.byteCount' IS NULL
        """)
    while let id = try ids.next() {
      guard let row = try Row.fetchOne(db, sql: layout.oneTransfer, arguments: [id]),
        let record = try? reader.record(row)
      else { continue }
      let shown = TalliedRow(record)
      try db.execute(
        sql: "UPDATE transfer SET bytes_received = ?, bytes_expected = ? WHERE id = ?",
        arguments: [shown.bytesReceived, shown.bytesExpected, id])
    }
  }
}

/// The positions in the list. They are unique, because swapping two equal ones would do nothing;
/// code that reads only some transfers cannot ensure that.
enum StoredPositions {
  /// Positions that leave room on both sides for more moves than a user can make.
  private static let usablePositions: ClosedRange<Int64> = -(1 << 52)...(1 << 52)

  static func areSound(_ db: Database) throws -> Bool {
    let rows = try StoreStatement(
      db,
      """
      SELECT count(*), count(DISTINCT queue_position),
        ifnull(min(queue_position), 0), ifnull(max(queue_position), 0) FROM transfer
      """)
    defer { rows.reset() }
    guard try rows.step() else { return true }
    return rows.number(0) == rows.number(1) && usablePositions.contains(rows.number(2))
      && usablePositions.contains(rows.number(3))
  }

  /// Renumbers the transfers in their current order if damage made two positions equal.
  static func repair(_ db: Database) throws {
    if try areSound(db) { return }
    try db.execute(
      sql: """
        UPDATE transfer SET queue_position = numbered.place FROM (
          SELECT id, row_number() OVER (ORDER BY queue_position, id) AS place FROM transfer
        ) AS numbered WHERE numbered.id = transfer.id
        """)
  }
}
