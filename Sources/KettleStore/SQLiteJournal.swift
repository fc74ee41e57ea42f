import GRDB
import KettleEngine
import KettleModel
import KettleSystem

/// The journal in an SQLite file. `StoreOpening` creates it.
package final class SQLiteJournal: TransferJournal {
  package let path: String
  let queue: DatabaseQueue
  /// For short queries, which never wait behind a long one.
  let reader: StoreReader
  /// For queries over the whole list.
  let listReader: StoreReader
  let paths: StorePaths
  /// nil when it cannot be written; it then proves nothing.
  private let record: Mutex<CommitRecord?>
  private let state: Mutex<State>

  private struct State: Sendable {
    var counters: StoreCounters
    /// The transfers that have a row in the table `progress`; empty after opening.
    var advanced: Set<TransferID> = []
    /// The contents that opening the store has read; nil after the first `load` or `commit`.
    var opened: JournalContents?
  }

  /// - Parameter counters: the store's current values.
  init(
    _ queue: DatabaseQueue, _ paths: StorePaths, contents: JournalContents,
    counters: StoreCounters
  ) {
    self.queue = queue
    self.paths = paths
    path = paths.path
    reader = StoreReader(paths)
    listReader = StoreReader(paths)
    record = Mutex(counters.mark.flatMap { CommitRecord(paths, $0) })
    state = Mutex(State(counters: counters, opened: contents))
  }

  package func load() throws -> JournalContents {
    if let opened = state.withLock({ $0.opened.take() }) { return opened }
    do {
      return try queue.read { db in try StoreReading.contents(db) }
    } catch {
      throw paths.noting(error, otherwise: .unreadable)
    }
  }

  package func commit(_ changes: [JournalChange]) throws {
    let known = state.withLock { state in
      state.opened = nil
      return state
    }
    let raised = known.counters.raised(by: changes)
    let advanced: Set<TransferID>
    do {
      do {
        advanced = try write(changes, to: known, raising: raised)
      } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
        // Most likely an index, which opening does not check in full; the table itself is complete.
        try makeIndexesAnew()
        advanced = try write(changes, to: known, raising: raised)
      }
    } catch {
      throw paths.noting(error, otherwise: .unwritable)
    }
    if raised.commitCount != known.counters.commitCount, let mark = raised.mark {
      record.withLock { $0?.write(mark) }
    }
    state.withLock { state in
      state.counters = raised
      state.advanced = advanced
    }
  }

  private func makeIndexesAnew() throws {
    try queue.inDatabase { db in
      // The sorted data is as large as the list.
      try StoreSchema.StatementJournals.onDisk.apply(to: db)
      defer { try? StoreSchema.StatementJournals.inMemory.apply(to: db) }
      try db.execute(sql: "REINDEX")
    }
  }

  /// Returns the transfers that have a row of progress afterwards.
  private func write(
    _ changes: [JournalChange], to known: State, raising raised: StoreCounters
  ) throws -> Set<TransferID> {
    if changes.count == 1, case .progress(let id, let durable)? = changes.first {
      // A single statement is its own transaction.
      try queue.writeWithoutTransaction { db in try StoredProgress.put(durable, of: id, db) }
      return known.advanced.union([id])
    }
    return try queue.write { db in
      // Before the records, because they refer to their sessions.
      if raised != known.counters { try raised.write(db, since: known.counters) }
      var writer = try TransferRowWriter(
        db, lastID: known.counters.lastID, advanced: known.advanced)
      try writer.apply(changes)
      try writer.finish()
      return writer.advanced
    }
  }

  /// Frees the pages and the statements that the connections keep.
  package func releaseMemory() {
    queue.releaseMemory()
    reader.releaseMemory()
    listReader.releaseMemory()
  }

  /// Merges the log into the one file and closes it; later calls fail.
  package func close() throws {
    reader.close()
    listReader.close()
    do {
      try queue.close()
    } catch {
      throw StoreError(error, at: path, otherwise: .unwritable)
    }
    // Closing its descriptor allows the disk to be unmounted.
    record.withLock { $0.take() }?.sync()
  }
}

/// Retains closed connections.
///
/// Releasing a connection releases GRDB's queue, and the queue's own storage is then freed on a
/// thread of libdispatch's pool. From then on libdispatch wakes up every second to manage that
/// pool. A service opens two connections at its start and none later, so they are retained, without
/// a file and without memory of SQLite.
enum ClosedConnections {
  private static let kept = Mutex<[DatabaseQueue]>([])

  static func close(_ connection: DatabaseQueue) throws {
    kept.withLock { $0.append(connection) }
    try connection.close()
  }
}
