import GRDB

/// Conditions of queries on the transfers that are not in memory.
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
