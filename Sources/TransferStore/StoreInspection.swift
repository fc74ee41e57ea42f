import GRDB
import TransferEngine
import TransferModel

/// What a store is found to be, before anything is changed in it.
enum StoreInspection {
  case sound(JournalContents)
  case newer(String)
  case damaged(String, Salvage)

  /// Reads a whole store by a connection that cannot write.
  static func of(_ path: String) throws(StoreError) -> StoreInspection {
    do {
      let queue = try DatabaseQueue(path: path, configuration: StoreSchema.reading)
      // Without a transaction: the end of one fails on a damaged file, after all that was read.
      let inspection = try queue.inDatabase { db in try inspect(db) }
      try ClosedConnections.close(queue)
      return inspection
    } catch let error as DatabaseError where error.meansDamage {
      return .damaged(error.message ?? "SQLite error \(error.resultCode.rawValue)", Salvage())
    } catch {
      throw StoreError(error, at: path, otherwise: .unreadable)
    }
  }

  private static func inspect(_ db: Database) throws -> StoreInspection {
    do {
      // A later version leaves its name in the list of migrations and its number in the header; one
      // without the other is damage, which must not keep the service from starting.
      let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
      if version > StoreSchema.version, try StoreSchema.migrator.hasBeenSuperseded(db) {
        return .newer("its version is \(version), this Kettle knows \(StoreSchema.version)")
      }
      if let problem = try problem(in: db) { return .damaged(problem, StoreReading.salvage(db)) }
      let contents = try StoreReading.contents(db, StoreLayout(version: try storeVersion(db)))
      do {
        if try areIndexesSound(db, for: contents.records) { return .sound(contents) }
      } catch let error as DatabaseError where error.meansDamage {}
      return .damaged("an index does not lead to every transfer", Salvage(complete: contents))
    } catch let error as DatabaseError where error.meansDamage {
      let said = error.message ?? "SQLite error \(error.resultCode.rawValue)"
      return .damaged(said, StoreReading.salvage(db))
    } catch let problem as TransferRowReader.Problem {
      return .damaged(
        "\"\(problem.column)\" of a transfer makes no sense", StoreReading.salvage(db))
    } catch let error where !(error is DatabaseError) {
      // A value that is none of SQLite's errors and still no value, in the list of migrations.
      return .damaged("its list of versions makes no sense", StoreReading.salvage(db))
    }
  }

  /// How many migrations it has gone through, from the first without a gap.
  private static func storeVersion(_ db: Database) throws -> Int {
    try StoreSchema.migrator.completedMigrations(db).count
  }

  private static func problem(in db: Database) throws -> String? {
    guard try Int.fetchOne(db, sql: "PRAGMA application_id") == StoreSchema.applicationID else {
      return "it is not a store of Kettle"
    }
    guard try !StoreSchema.migrator.hasBeenSuperseded(db) else {
      return "its list of versions makes no sense"
    }
    let version = try storeVersion(db)
    guard version > 0 else { return "it has no tables" }
    guard StoreLayout(version: version).agrees(with: try StoreLayout(foundIn: db)) else {
      return "its tables are not those of its version"
    }
    // The full check looks every row up in every index, which takes seconds for a million
    // transfers; so they get the quick one. The other tables are small.
    let checks = ["quick_check(1)"] + StoreSchema.smallTables.map { "integrity_check('\($0)')" }
    for check in checks {
      let complaint = try String.fetchOne(db, sql: "PRAGMA \(check)")
      if complaint != "ok" { return complaint ?? "the check of SQLite says nothing" }
    }
    return nil
  }

  /// Whether each index leads to the transfers that were read. The quick check does not look into
  /// them, and a write that meets a damaged one fails.
  private static func areIndexesSound(
    _ db: Database, for records: [TransferRecord]
  ) throws -> Bool {
    // Longer lists would wait for it at each start; there, `SQLiteJournal.commit` repairs.
    guard records.count <= indexedCountMax else { return true }
    let all = sum(of: records)
    return try StoreSchema.indexSums.allSatisfy { sql, isOfFinished in
      let expected = isOfFinished ? sum(of: records.filter { $0.finishedAt != nil }) : all
      return try Int64.fetchOne(db, sql: sql) == expected
    }
  }

  private static let indexedCountMax = 100_000

  private static func sum(of records: [TransferRecord]) -> Int64 {
    records.reduce(0) { $0 + $1.id.rawValue & StoreSchema.indexSumMask }
  }
}
