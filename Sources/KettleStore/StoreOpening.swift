import GRDB
import KettleEngine
import KettleModel

/// Opens the store, and makes a new one where there is none or a damaged one.
///
/// A store that is damaged is moved aside and never written to or deleted; what can be read of it
/// is in the new one. A store of a later version is left as it is.
package struct StoreOpening: Sendable {
  package let journal: SQLiteJournal
  /// Set when something was put aside; to be shown to the user.
  package let notice: StoreNotice?

  /// A larger store is not read whole at each start.
  package static let wholeByteCountMax: Int64 = 8 << 20

  /// The caller makes sure that no other service has the store open.
  ///
  /// - Parameters:
  ///   - path: absolute; for example `~/.local/state/kettle/store.sqlite`.
  ///   - wholeByteCountMax: up to this size every transfer is looked at. Of a larger one the damage
  ///     that shows at the start is found, and the rest when it is met: then a note is left beside
  ///     the store, and the next opening looks at everything.
  package static func open(
    _ path: String, at now: WallTime, wholeByteCountMax: Int64 = wholeByteCountMax
  ) throws(StoreError) -> StoreOpening {
    let place = StorePlace(path)
    try place.prepareDirectory()
    guard try place.checkFile() else { return try openMissing(place, at: now) }
    let depth: StoreInspection.Depth =
      place.isSuspect ? .thorough : place.byteCount > wholeByteCountMax ? .quick : .whole
    let opening = try open(place, depth, at: now)
    place.clearSuspicion()
    return opening
  }

  private static func open(
    _ place: StorePlace, _ depth: StoreInspection.Depth, at now: WallTime
  ) throws(StoreError) -> StoreOpening {
    switch try StoreInspection.of(place.path, depth, acknowledged: place.acknowledged) {
    case .sound:
      do {
        return StoreOpening(journal: try writable(place, depth), notice: nil)
      } catch let error as DatabaseError where place.isDamaged(error) {
        // What only a writer looks at is damaged.
        let salvage = try StoreInspection.salvage(place.path)
        return try replace(place, reason: error.said, with: salvage, at: now)
      } catch let problem as TransferRowReader.Problem {
        let salvage = try StoreInspection.salvage(place.path)
        return try replace(place, reason: problem.sentence, with: salvage, at: now)
      } catch {
        throw StoreError(error, at: place.path, otherwise: .unwritable)
      }
    case .behind(_, let salvage):
      return try replace(place, reason: nil, with: salvage, at: now)
    case .newer(let detail):
      throw StoreError(code: .newer, path: place.path, detail: detail)
    case .damaged(let reason, let salvage):
      return try replace(place, reason: reason, with: salvage, at: now)
    }
  }

  /// There is no store: this is the first start, or one that was cut short.
  private static func openMissing(
    _ place: StorePlace, at now: WallTime
  ) throws(StoreError) -> StoreOpening {
    let orphan = place.hasOrphanedCompanion ? try place.putAside(at: now) : nil
    let inspection =
      try place.mayHaveComplete
      ? StoreInspection.of(place.unfinishedPath, .whole, acknowledged: place.acknowledged) : nil
    let loss: CommitLoss?
    var keptCount = 0
    switch inspection {
    // A complete new store that did not get its name has what was salvaged before the crash.
    case .sound: loss = nil
    case .behind(let missing, let salvage):
      loss = missing
      keptCount = salvage.records.count
    case .newer, .damaged, nil:
      loss = Salvage().loss(since: place.acknowledged)
      try make(place, Salvage())
    }
    try place.adoptUnfinished()
    var notice: StoreNotice?
    if orphan != nil || loss != nil {
      let what = orphan == nil ? "the file was gone" : "only its log was there"
      notice = StoreNotice(
        path: place.path, asidePath: orphan, reason: StoreNotice.reason(what, loss),
        keptCount: keptCount, lostCount: loss?.transferCount)
    }
    return StoreOpening(journal: try journal(place), notice: notice)
  }

  /// The new store is complete before the old one is moved: a crash in between costs nothing.
  ///
  /// - Parameter reason: nil when the store is sound and only lacks commits.
  private static func replace(
    _ place: StorePlace, reason: String?, with salvage: Salvage, at now: WallTime
  ) throws(StoreError) -> StoreOpening {
    let loss = salvage.loss(since: place.acknowledged)
    try make(place, salvage)
    let aside = try place.putAside(at: now)
    try place.adoptUnfinished()
    let missingCount = loss.map(\.transferCount) ?? 0
    let notice = StoreNotice(
      path: place.path, asidePath: aside, reason: StoreNotice.reason(reason, loss),
      keptCount: salvage.records.count,
      lostCount: salvage.isComplete ? missingCount.map { $0 + salvage.unreadableCount } : nil)
    return StoreOpening(journal: try journal(place), notice: notice)
  }

  private static func make(_ place: StorePlace, _ salvage: Salvage) throws(StoreError) {
    var salvage = salvage
    if let acknowledged = place.acknowledged { salvage.take(storeID: acknowledged.storeID) }
    try place.makeUnfinished()
    do {
      let queue = try DatabaseQueue(
        path: place.unfinishedPath, configuration: StoreSchema.writing)
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
      try queue.write { db in try StorePlaces.repair(db) }
      // Brings everything into the one file, synced.
      try ClosedConnections.close(queue)
    } catch {
      throw StoreError(error, at: place.path, otherwise: .unwritable)
    }
  }

  /// Of a store that was just made.
  private static func journal(_ place: StorePlace) throws(StoreError) -> SQLiteJournal {
    do {
      return try writable(place, .quick)
    } catch {
      throw StoreError(error, at: place.path, otherwise: .unwritable)
    }
  }

  /// The transfers are not taken on before it is known that they can be kept. It is enough that
  /// SQLite makes the statements: then a key that leads to no table, or to no key of it, shows
  /// (sqlite.org/foreignkeys.html, 3).
  private static let writingNothing = """
    DELETE FROM counter WHERE name = '';
    UPDATE transfer SET session = session WHERE 0;
    """

  private static func writable(
    _ place: StorePlace, _ depth: StoreInspection.Depth
  ) throws -> SQLiteJournal {
    let queue = try DatabaseQueue(path: place.path, configuration: StoreSchema.writing)
    try StoreSchema.migrator.migrate(queue)
    try queue.inDatabase { db in try db.execute(sql: writingNothing) }
    // In one transaction: a store of which something cannot be read is put aside unchanged.
    let (contents, counters) = try queue.write { db in
      try StoredProgress.settle(db)
      switch depth {
      case .quick: break
      case .whole, .thorough: try repair(db)
      }
      var contents = try StoreReading.contents(db)
      let mark = try raise(&contents, to: place.acknowledged, db)
      return (contents, StoreCounters(contents, mark))
    }
    try queue.inDatabase { db in try StoreSchema.StatementJournals.inMemory.apply(to: db) }
    return SQLiteJournal(queue, place, contents: contents, counters: counters)
  }

  /// Gives a store its id, and raises its numbers to those that were acknowledged, so that a loss
  /// is reported once and no id is given again.
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

  /// What follows from the transfers and is no reason to put a store aside.
  private static func repair(_ db: Database) throws {
    try StorePlaces.repair(db)
    if try StoreTallies.counted(db) != StoreTallies.read(db) { try StoreTallies.recount(db) }
  }
}

extension StorePlace {
  /// What the store at this place had acknowledged, from the record beside it.
  fileprivate var acknowledged: CommitMark? { CommitRecord.read(self) }

  /// Whether an error of the writing connection comes from the file itself. SQLite refuses to write
  /// when the header names a format that it does not know (sqlite.org/fileformat2.html, 1.3.3).
  fileprivate func isDamaged(_ error: DatabaseError) -> Bool {
    error.meansDamage || error.resultCode == .SQLITE_READONLY && isWritable
  }
}

/// What the user must know about a store that was damaged or has lost something.
package struct StoreNotice: Hashable, Sendable {
  package var path: String
  /// The path of the damaged file; nil when no file was left to keep.
  package var asidePath: String?
  package var reason: String
  package var keptCount: Int
  /// nil when nobody can tell.
  package var lostCount: Int?

  /// Joins what was found damaged and what is missing.
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
