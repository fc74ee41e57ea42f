import GRDB
import KettleEngine
import KettleModel
import KettleSystem

/// Reads what the service needs at its start, without reading every transfer.
enum StoreReading {
  /// - Parameter db: a store of this version.
  static func contents(_ db: Database) throws -> JournalContents {
    let layout = StoreLayout()
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
    contents.members = try MemberRows(db).tallies()
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

/// A read-only connection, opened on first use. Reads are serialized and never wait for a commit
/// (sqlite.org/wal.html, "Concurrency").
final class StoreReader: Sendable {
  private enum Phase {
    case unused
    case open(DatabaseQueue)
    case closed
  }

  private struct Closed: Error, CustomStringConvertible {
    var description: String { "it is closed" }
  }

  private let paths: StorePaths
  private let phase = Mutex(Phase.unused)

  init(_ paths: StorePaths) { self.paths = paths }

  /// Reads one consistent snapshot that includes every earlier commit.
  func read<Value: Sendable>(_ body: (Database) throws -> Value) throws(StoreError) -> Value {
    do {
      // Under the lock to the end: a read of a closed connection ends the process.
      return try phase.withLock { phase in
        switch phase {
        case .unused:
          let queue = try DatabaseQueue(path: paths.path, configuration: StoreSchema.reading)
          phase = .open(queue)
          return try queue.read(body)
        case .open(let queue): return try queue.read(body)
        case .closed: throw Closed()
        }
      }
    } catch {
      throw paths.noting(error, otherwise: .unreadable)
    }
  }

  /// Frees what the connection keeps, if it was used. Waits for the read in progress.
  func releaseMemory() {
    phase.withLock { phase in
      if case .open(let queue) = phase { queue.releaseMemory() }
    }
  }

  /// Waits for the read in progress.
  func close() {
    phase.withLock { phase in
      if case .open(let queue) = phase { try? queue.close() }
      phase = .closed
    }
  }
}

extension StorePaths {
  /// Converts an error of a connection to a store error. Damage is marked for the next opening,
  /// which inspects everything and salvages what is readable. Until then nothing is discarded: the
  /// caller gets the error and can retry after the next start.
  func noting(_ error: any Error, otherwise code: StoreError.Code) -> StoreError {
    switch error {
    case let problem as TransferRowReader.Problem:
      try? markSuspect(problem.sentence)
      return StoreError(code: code, path: path, detail: problem.sentence)
    case let error as DatabaseError where error.isOfDamagedFile:
      try? markSuspect(error.said)
    default: break
    }
    return StoreError(error, at: path, otherwise: code)
  }
}

extension DatabaseError {
  fileprivate var isOfDamagedFile: Bool {
    resultCode == .SQLITE_CORRUPT || resultCode == .SQLITE_NOTADB
  }
}
