import GRDB
import KettleModel

/// The condition of a store, determined before anything in it is changed.
enum StoreInspection {
  case sound
  /// Sound, but acknowledged commits are missing.
  case behind(CommitLoss, Salvage)
  case newer(String)
  case damaged(String, Salvage)

  /// How much of a store is inspected.
  enum Depth {
    /// The versions, the tables and what the service reads when it starts. Reading a store of a
    /// million transfers in full would take too long at each start.
    case quick
    /// All transfers, and the indexes unless the list is very long.
    case whole
    /// The indexes of any list as well.
    case thorough
  }

  /// Inspects a store through a connection that cannot write.
  ///
  /// - Parameter acknowledged: from the record outside the store.
  static func of(
    _ path: String, _ depth: Depth, acknowledged: CommitMark?
  ) throws(StoreError) -> StoreInspection {
    let found = try reading(path) { db in try inspect(db, depth, acknowledged: acknowledged) }
    switch found {
    case .success(let inspection): return inspection
    case .failure(let damage): return .damaged(damage.reason, Salvage())
    }
  }

  /// Returns what can be read of a store found to be damaged after its inspection.
  static func salvage(_ path: String) throws(StoreError) -> Salvage {
    switch try reading(path, { db in Salvage(db) }) {
    case .success(let salvage): salvage
    case .failure: Salvage()
    }
  }

  private struct Damage: Error {
    var reason: String
  }

  private static func reading<Value>(
    _ path: String, _ body: (Database) throws -> Value
  ) throws(StoreError) -> Result<Value, Damage> {
    do {
      let queue = try DatabaseQueue(path: path, configuration: StoreSchema.reading)
      // Without a transaction: on a damaged file, ending one fails after everything was read.
      let value = try queue.inDatabase(body)
      try ClosedConnections.close(queue)
      return .success(value)
    } catch let error as DatabaseError where error.meansDamage {
      return .failure(Damage(reason: error.said))
    } catch {
      throw StoreError(error, at: path, otherwise: .unreadable)
    }
  }

  private static func inspect(
    _ db: Database, _ depth: Depth, acknowledged: CommitMark?
  ) throws -> StoreInspection {
    do {
      // A later version records its name in the list of migrations and its number in the header.
      // One without the other is damage, which must not keep the service from starting.
      let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
      if version > StoreSchema.version, try StoreSchema.isSuperseded(db) {
        return .newer("its version is \(version), this Kettle knows \(StoreSchema.version)")
      }
      if let problem = try problem(in: db, depth) { return .damaged(problem, Salvage(db)) }
      if let loss = try acknowledged?.loss(in: StoreCounters.read(db)) {
        return .behind(loss, Salvage(db))
      }
      return .sound
    } catch let error as DatabaseError where error.meansDamage {
      return .damaged(error.said, Salvage(db))
    } catch let problem as TransferRowReader.Problem {
      return .damaged(problem.sentence, Salvage(db))
    } catch let error where !(error is DatabaseError) {
      // The list of migrations contains an invalid value that SQLite does not report as an error.
      return .damaged("its list of versions makes no sense", Salvage(db))
    }
  }

  private static func problem(in db: Database, _ depth: Depth) throws -> String? {
    guard try Int.fetchOne(db, sql: "PRAGMA application_id") == StoreSchema.applicationID else {
      return "it is not a store of Kettle"
    }
    guard try !StoreSchema.isSuperseded(db) else {
      return "its list of versions makes no sense"
    }
    guard try db.tableExists("transfer") else { return "it has no tables" }
    guard try StoreSchema.first.hasCompletedMigrations(db),
      try StoreLayout(foundIn: db).isComplete
    else {
      return "its tables are not those of its version"
    }
    // The small tables are checked at every depth.
    var checks = StoreSchema.smallTables.map { "integrity_check('\($0)')" }
    switch depth {
    case .quick:
      if let complaint = try complaint(of: checks, db) { return complaint }
      _ = try StoreReading.contents(db)
      return nil
    case .whole, .thorough:
      // The full check looks up every row in every index, which takes seconds for a million
      // transfers; they get the quick check instead.
      checks.insert("quick_check(1)", at: 0)
      if let complaint = try complaint(of: checks, db) { return complaint }
      return try WholeReading(db).problem(isThorough: depth == .thorough)
    }
  }

  private static func complaint(of checks: [String], _ db: Database) throws -> String? {
    for check in checks {
      let complaint = try String.fetchOne(db, sql: "PRAGMA \(check)")
      if complaint != "ok" { return complaint ?? "the check of SQLite says nothing" }
    }
    return nil
  }
}

/// Reads every transfer without retaining any.
private struct WholeReading {
  private let db: Database
  private var sums: [TransferIndex: Int64] = [:]
  private var count = 0

  /// Throws at the first invalid row.
  init(_ db: Database) throws {
    self.db = db
    let layout = StoreLayout()
    let reader = TransferRowReader(.strict)
    let rows = try Row.fetchCursor(db, sql: layout.allTransfers)
    while let row = try rows.next() {
      let record = try reader.record(row)
      count += 1
      for index in TransferIndex.allCases where index.has(record) {
        sums[index, default: 0] += TransferIndex.summand(record)
      }
    }
    _ = try SessionRows.read(db, layout, mode: .strict)
    _ = try StoreCounters.read(db)
    _ = try StoreTallies.read(db)
    _ = try StoredProgress.read(db)
  }

  func problem(isThorough: Bool) throws -> String? {
    // On longer lists this takes too long; there, `SQLiteJournal.commit` repairs the indexes.
    guard isThorough || count <= Self.indexedCountMax else { return nil }
    do {
      for index in TransferIndex.allCases
      where try Int64.fetchOne(db, sql: index.sum) != sums[index] ?? 0 {
        return Self.indexProblem
      }
      return nil
    } catch let error as DatabaseError where error.meansDamage {
      return Self.indexProblem
    }
  }

  private static let indexedCountMax = 100_000
  private static let indexProblem = "an index does not lead to every transfer"
}

extension DatabaseError {
  var said: String { message ?? "SQLite error \(resultCode.rawValue)" }
}
