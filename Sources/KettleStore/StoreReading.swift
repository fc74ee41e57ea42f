import GRDB
import KettleEngine
import KettleModel

/// Reads what the service needs at its start, without reading every transfer.
enum StoreReading {
  /// - Parameter db: a store of this version.
  static func contents(_ db: Database) throws -> JournalContents {
    let layout = StoreLayout(version: StoreSchema.version)
    let reader = TransferRowReader(.strict)
    var contents = JournalContents()
    let rows = try Row.fetchCursor(db, sql: layout.awakeTransfers)
    while let row = try rows.next() {
      var record = try reader.record(row)
      try StoredProgress.complete(&record, db)
      contents.records.append(record)
    }
    contents.sessions = try SessionRows.read(db, layout, mode: .strict)
    contents.servedHosts = try HostRows.read(db)
    contents.rememberedHosts = try RememberedHostRows.read(db)
    contents.binActions = try BinRows(db).actions()
    contents.hooks = try HookRows(db).unfinished()
    let counters = try counters(db, contents.sessions)
    contents.lastID = TransferID(rawValue: counters.lastID)
    contents.lastTaskIdentifiers = counters.lastTaskIdentifiers
    contents.clearedUpTo = counters.clearedUpTo
    contents.dormant = EvictedTally(
      states: try StoreTallies.read(db).states,
      clearedCount: try clearedCount(db, upTo: counters.clearedUpTo))
    contents.positions = try positions(db)
    contents.lastFinishNumber = max(counters.clearedUpTo ?? 0, try lastFinishNumber(db))
    return contents
  }

  /// Returns the counters, raised to the largest values in the tables.
  private static func counters(
    _ db: Database, _ sessions: [SessionRecord]
  ) throws -> StoreCounters {
    var counters = try StoreCounters.read(db)
    if let last = try bounded(.id, by: "SELECT max(id) FROM transfer", in: db) {
      counters.lastID = max(counters.lastID, last)
    }
    for (session, known) in counters.lastTaskIdentifiers {
      let last = try bounded(
        .taskIdentifier, by: "SELECT max(task_identifier) FROM transfer WHERE session = ?",
        [session.rawValue], in: db)
      if let last { counters.lastTaskIdentifiers[session] = max(known, last) }
    }
    for session in sessions { counters.raise(by: session) }
    return counters
  }

  private static func bounded(
    _ column: TransferColumn, by sql: String, _ arguments: StatementArguments = [],
    in db: Database
  ) throws -> Int64? {
    guard let found = try Int64.fetchOne(db, sql: sql, arguments: arguments) else { return nil }
    guard let number = TransferRowReader.bounded(found) else {
      throw TransferRowReader.Problem(column: column.sqlName)
    }
    return number
  }

  private static func positions(_ db: Database) throws -> ClosedRange<Int64>? {
    let first = try Int64.fetchOne(db, sql: "SELECT min(queue_position) FROM transfer")
    let last = try Int64.fetchOne(db, sql: "SELECT max(queue_position) FROM transfer")
    guard let first, let last else { return nil }
    guard first <= last, TransferRowReader.positions.contains(first),
      TransferRowReader.positions.contains(last)
    else { throw TransferRowReader.Problem(column: TransferColumn.queuePosition.sqlName) }
    return first...last
  }

  private static let finished =
    "FROM transfer INDEXED BY \(TransferIndex.byFinish.name) WHERE \(StoreSchema.isFinished)"

  private static func lastFinishNumber(_ db: Database) throws -> Int64 {
    try bounded(
      .finishNumber, by: "SELECT finish_number \(finished) ORDER BY finish_number DESC LIMIT 1",
      in: db)
      ?? 0
  }

  static func clearedCount(_ db: Database, upTo number: Int64?) throws -> Int {
    guard let number else { return 0 }
    // Two queries, each on one part of the index; a combined condition would scan all of it.
    return try ["finish_number IS NULL", "finish_number <= \(number)"].reduce(0) { count, part in
      let sql = "SELECT count(*) \(finished) AND \(part) AND state = 'completed' AND is_dormant = 1"
      return count + (try Int.fetchOne(db, sql: sql) ?? 0)
    }
  }
}
