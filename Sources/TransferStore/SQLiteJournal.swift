import GRDB
import Synchronization
import TransferEngine
import TransferModel

/// The journal in an SQLite file. `StoreOpening` makes it.
package final class SQLiteJournal: TransferJournal {
  package let path: String
  let queue: DatabaseQueue
  private let state: Mutex<State>

  private struct State: Sendable {
    var counters: StoreCounters
    /// What the opening read, for the first `load`: a million rows are not read twice.
    var opened: JournalContents?
  }

  init(_ queue: DatabaseQueue, path: String, contents: JournalContents) {
    self.queue = queue
    self.path = path
    state = Mutex(State(counters: StoreCounters(contents), opened: contents))
  }

  package func load() throws -> JournalContents {
    if let opened = state.withLock({ $0.opened.take() }) { return opened }
    do {
      return try queue.read { db in
        try StoreReading.contents(db, StoreLayout(version: StoreSchema.version))
      }
    } catch {
      throw StoreError(error, at: path, otherwise: .unreadable)
    }
  }

  package func commit(_ changes: [JournalChange]) throws {
    let (known, raised) = state.withLock { state in
      state.opened = nil
      return (state.counters, state.counters.raised(by: changes))
    }
    do {
      do {
        try write(changes, known, raised)
      } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
        // Most likely an index, which the opening does not check in full; the table has it all.
        try queue.write { db in try db.execute(sql: "REINDEX") }
        try write(changes, known, raised)
      }
    } catch {
      throw StoreError(error, at: path, otherwise: .unwritable)
    }
    state.withLock { $0.counters = raised }
  }

  private func write(
    _ changes: [JournalChange], _ known: StoreCounters, _ raised: StoreCounters
  ) throws {
    try queue.write { db in
      // Before the records, because they refer to their sessions.
      if raised != known { try raised.write(db, since: known) }
      let writer = TransferRowWriter()
      for change in changes { try Self.apply(change, db, writer) }
    }
  }

  /// Moves everything into the one file and closes it; a later call fails.
  package func close() throws {
    do {
      try queue.close()
    } catch {
      throw StoreError(error, at: path, otherwise: .unwritable)
    }
  }

  static func apply(
    _ change: JournalChange, _ db: Database, _ writer: TransferRowWriter
  ) throws {
    switch change {
    case .put(let record):
      let statement = try db.cachedStatement(sql: TransferSQL.put)
      statement.setUncheckedArguments(try writer.values(record))
      try statement.execute()
    case .remove(let id):
      let statement = try db.cachedStatement(sql: TransferSQL.remove)
      statement.setUncheckedArguments([id.rawValue])
      try statement.execute()
    case .putSession(let record): try SessionRows.put(record, db, writer.json)
    case .removeSession(let session): try SessionRows.remove(session, db)
    // One of the counters, which are written before.
    case .clearFinished: break
    }
  }
}
