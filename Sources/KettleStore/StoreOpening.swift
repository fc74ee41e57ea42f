import GRDB
import KettleEngine
import KettleModel

/// Opens the store, and creates a new one if it is missing or damaged.
///
/// A damaged store is moved aside and never written to or deleted; the new one contains what could
/// be read of it. A store of a later version is left unchanged.
package struct StoreOpening: Sendable {
  package let journal: SQLiteJournal
  /// Set when a store was put aside; to be shown to the user.
  package let notice: StoreNotice?

  /// A larger store is not read in full at each start.
  package static let wholeByteCountMax: Int64 = 8 << 20

  /// The caller ensures that no other service has the store open.
  ///
  /// - Parameters:
  ///   - path: absolute; for example `~/.local/state/kettle/store.sqlite`.
  ///   - wholeByteCountMax: up to this size every transfer is read. In a larger store, damage that
  ///     shows at the start is found at once, and other damage when it is read: a marker is then
  ///     left beside the store, and the next opening inspects everything.
  package static func open(
    _ path: String, at now: WallTime, wholeByteCountMax: Int64 = wholeByteCountMax
  ) throws(StoreError) -> StoreOpening {
    let paths = StorePaths(path)
    try paths.prepareDirectory()
    guard try paths.checkFile() else { return try openMissing(paths, at: now) }
    let depth: StoreInspection.Depth =
      paths.isSuspect ? .thorough : paths.byteCount > wholeByteCountMax ? .quick : .whole
    let opening = try open(paths, depth, at: now)
    paths.clearSuspicion()
    return opening
  }

  private static func open(
    _ paths: StorePaths, _ depth: StoreInspection.Depth, at now: WallTime
  ) throws(StoreError) -> StoreOpening {
    switch try StoreInspection.of(paths.path, depth, acknowledged: paths.acknowledged) {
    case .sound:
      do {
        return StoreOpening(journal: try writable(paths, depth), notice: nil)
      } catch let error as DatabaseError where paths.isDamaged(error) {
        // The damage is in a part that only a writer reads.
        let salvage = try StoreInspection.salvage(paths.path)
        return try replace(paths, reason: error.said, with: salvage, at: now)
      } catch let problem as TransferRowReader.Problem {
        let salvage = try StoreInspection.salvage(paths.path)
        return try replace(paths, reason: problem.sentence, with: salvage, at: now)
      } catch {
        throw StoreError(error, at: paths.path, otherwise: .unwritable)
      }
    case .behind(_, let salvage):
      return try replace(paths, reason: nil, with: salvage, at: now)
    case .newer(let detail):
      throw StoreError(code: .newer, path: paths.path, detail: detail)
    case .damaged(let reason, let salvage):
      return try replace(paths, reason: reason, with: salvage, at: now)
    }
  }

  /// The store is missing: this is the first start, or an earlier start was interrupted.
  private static func openMissing(
    _ paths: StorePaths, at now: WallTime
  ) throws(StoreError) -> StoreOpening {
    let orphan = paths.hasOrphanedCompanion ? try paths.setAside(at: now) : nil
    let inspection =
      try paths.mayHaveComplete
      ? StoreInspection.of(paths.unfinishedPath, .whole, acknowledged: paths.acknowledged) : nil
    let loss: CommitLoss?
    var keptCount = 0
    switch inspection {
    // A complete new store that was never renamed contains what was salvaged before the crash.
    case .sound: loss = nil
    case .behind(let missing, let salvage):
      loss = missing
      keptCount = salvage.records.count
    case .newer, .damaged, nil:
      loss = Salvage().loss(since: paths.acknowledged)
      try make(paths, Salvage())
    }
    try paths.adoptUnfinished()
    var notice: StoreNotice?
    if orphan != nil || loss != nil {
      let what = orphan == nil ? "the file was gone" : "only its log was there"
      notice = StoreNotice(
        path: paths.path, asidePath: orphan, reason: StoreNotice.reason(what, loss),
        keptCount: keptCount, lostCount: loss?.transferCount)
    }
    return StoreOpening(journal: try journal(paths), notice: notice)
  }

  /// Completes the new store before it moves the old one, so a crash in between loses nothing.
  ///
  /// - Parameter reason: nil when the store is sound and only lacks commits.
  private static func replace(
    _ paths: StorePaths, reason: String?, with salvage: Salvage, at now: WallTime
  ) throws(StoreError) -> StoreOpening {
    let loss = salvage.loss(since: paths.acknowledged)
    try make(paths, salvage)
    let aside = try paths.setAside(at: now)
    try paths.adoptUnfinished()
    let missingCount = loss.map(\.transferCount) ?? 0
    let notice = StoreNotice(
      path: paths.path, asidePath: aside, reason: StoreNotice.reason(reason, loss),
      keptCount: salvage.records.count,
      lostCount: salvage.isComplete ? missingCount.map { $0 + salvage.unreadableCount } : nil)
    return StoreOpening(journal: try journal(paths), notice: notice)
  }

  private static func make(_ paths: StorePaths, _ salvage: Salvage) throws(StoreError) {
    var salvage = salvage
    if let acknowledged = paths.acknowledged { salvage.take(storeID: acknowledged.storeID) }
    try paths.makeUnfinished()
    do {
      let queue = try DatabaseQueue(
        path: paths.unfinishedPath, configuration: StoreSchema.writing)
      try StoreSchema.migrator.migrate(queue)
      try queue.inDatabase { db in try StoreSchema.StatementJournals.inMemory.apply(to: db) }
      try queue.write { db in
        try salvage.counters.write(db, since: StoreCounters())
        var writer = try TransferRowWriter(db, lastID: 0)
        try writer.apply(salvage.records.map(JournalChange.put))
        try writer.apply(salvage.sessions.map(JournalChange.putSession))
        try writer.finish()
      }
      try queue.inDatabase { db in try StoreSchema.StatementJournals.onDisk.apply(to: db) }
      try queue.write { db in try StoredPositions.repair(db) }
      // Merges the log into the one file, synced.
      try ClosedConnections.close(queue)
    } catch {
      throw StoreError(error, at: paths.path, otherwise: .unwritable)
    }
  }

  /// Opens the journal of a store that was just created.
  private static func journal(_ paths: StorePaths) throws(StoreError) -> SQLiteJournal {
    do {
      return try writable(paths, .quick)
    } catch {
      throw StoreError(error, at: paths.path, otherwise: .unwritable)
    }
  }

  /// Verifies that transfers can be written before they are loaded. It is enough that SQLite
  /// prepares the statements: this reveals a foreign key that refers to a missing table or column
  /// (sqlite.org/foreignkeys.html, 3).
  private static let writingNothing = """
    DELETE FROM counter WHERE name = '';
    UPDATE transfer SET session = session WHERE 0;
    """

  private static func writable(
    _ paths: StorePaths, _ depth: StoreInspection.Depth
  ) throws -> SQLiteJournal {
    let queue = try DatabaseQueue(path: paths.path, configuration: StoreSchema.writing)
    try StoreSchema.migrator.migrate(queue)
    try queue.inDatabase { db in try db.execute(sql: writingNothing) }
    // In one transaction: a store that is partly unreadable is put aside unchanged.
    let (contents, counters) = try queue.write { db in
      try StoredProgress.settle(db)
      switch depth {
      case .quick: break
      case .whole, .thorough: try repair(db)
      }
      var contents = try StoreReading.contents(db)
      let mark = try raise(&contents, to: paths.acknowledged, db)
      return (contents, StoreCounters(contents, mark))
    }
    try queue.inDatabase { db in try StoreSchema.StatementJournals.inMemory.apply(to: db) }
    return SQLiteJournal(queue, paths, contents: contents, counters: counters)
  }

  /// Gives a store its id, and raises its numbers to the acknowledged ones, so that a loss is
  /// reported once and no id is reused.
  private static func raise(
    _ contents: inout JournalContents, to acknowledged: CommitMark?, _ db: Database
  ) throws -> CommitMark {
    let found = try StoreCounters.read(db)
    let storeID = found.storeID ?? acknowledged?.storeID ?? StoreCounters.randomStoreID()
    var raised = found
    raised.storeID = storeID
    if let acknowledged, acknowledged.storeID == storeID {
      raised.commitCount = max(found.commitCount, acknowledged.commitCount)
      raised.lastID = max(found.lastID, acknowledged.lastID)
    }
    if raised != found { try raised.write(db, since: found) }
    contents.lastID = max(contents.lastID, TransferID(rawValue: raised.lastID))
    return CommitMark(
      storeID: storeID, commitCount: raised.commitCount, lastID: contents.lastID.rawValue)
  }

  /// Repairs data that is derived from the transfers; errors in it are no reason to put a store
  /// aside.
  private static func repair(_ db: Database) throws {
    try StoredPositions.repair(db)
    if try StoreTallies.counted(db) != StoreTallies.read(db) { try StoreTallies.recount(db) }
  }
}

extension StorePaths {
  /// The mark acknowledged by the store at this place, from the record beside it.
  fileprivate var acknowledged: CommitMark? { CommitRecord.read(self) }

  /// Whether an error of the writing connection comes from the file itself. SQLite refuses to write
  /// when the header names a format that it does not know (sqlite.org/fileformat2.html, 1.3.3).
  fileprivate func isDamaged(_ error: DatabaseError) -> Bool {
    error.meansDamage || error.resultCode == .SQLITE_READONLY && isWritable
  }
}

/// A message for the user about a store that was damaged or has lost data.
package struct StoreNotice: Hashable, Sendable {
  package var path: String
  /// The path of the damaged file; nil when no file was left to keep.
  package var asidePath: String?
  package var reason: String
  package var keptCount: Int
  /// nil if unknown.
  package var lostCount: Int?

  /// Joins the damage and the loss into one reason.
  static func reason(_ damage: String?, _ loss: CommitLoss?) -> String {
    [damage, loss?.reason].compactMap(\.self).joined(separator: "; ")
  }

  /// What happened, to what, and what to do; without a period.
  package var sentence: String {
    let lost = lostCount.map { "\($0) could not" } ?? "how many are missing is not known"
    let kept = asidePath.map { " and is kept as \"\($0.sanitizedForDisplay())\"" } ?? ""
    return "The store \"\(path.sanitizedForDisplay())\" was damaged "
      + "(\(reason.sanitizedForDisplay(limit: 300)))\(kept); "
      + "\(keptCount) of its transfers could be read, \(lost); add again what is missing"
  }
}
