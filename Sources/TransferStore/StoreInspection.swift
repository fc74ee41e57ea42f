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
      try queue.close()
      return inspection
    } catch let error as DatabaseError where error.meansDamage {
      return .damaged(error.message ?? "SQLite error \(error.resultCode.rawValue)", Salvage())
    } catch {
      throw StoreError(error, at: path, otherwise: .unreadable)
    }
  }

  private static func inspect(_ db: Database) throws -> StoreInspection {
    do {
      // The list of migrations tells a later version more surely than a number in the header.
      if try StoreSchema.migrator.hasBeenSuperseded(db) {
        let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        return .newer("its version is \(version), this Kettle knows \(StoreSchema.version)")
      }
      if let problem = try problem(in: db) { return .damaged(problem, StoreReading.salvage(db)) }
      return .sound(try StoreReading.contents(db))
    } catch let error as DatabaseError where error.meansDamage {
      let said = error.message ?? "SQLite error \(error.resultCode.rawValue)"
      return .damaged(said, StoreReading.salvage(db))
    } catch let problem as TransferRowReader.Problem {
      return .damaged(
        "\"\(problem.column)\" of a transfer makes no sense", StoreReading.salvage(db))
    }
  }

  private static func problem(in db: Database) throws -> String? {
    guard try Int.fetchOne(db, sql: "PRAGMA application_id") == StoreSchema.applicationID else {
      return "it is not a store of Kettle"
    }
    guard try StoreSchema.migrator.hasCompletedMigrations(db) else { return "it has no tables" }
    let complaint = try String.fetchOne(db, sql: "PRAGMA quick_check(1)")
    return complaint == "ok" ? nil : complaint ?? "the check of SQLite says nothing"
  }
}
