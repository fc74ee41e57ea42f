import GRDB
import TransferEngine
import TransferModel

/// Opens the store, and makes a new one where there is none or a damaged one.
///
/// A store that is damaged is moved aside and never written to or deleted; what can be read of it
/// is in the new one. A store of a later version is left as it is.
package struct StoreOpening: Sendable {
  package let journal: SQLiteJournal
  /// Set when something was put aside; to be shown to the user.
  package let notice: StoreNotice?

  /// The caller makes sure that no other service has the store open.
  ///
  /// - Parameter path: absolute; for example `~/.local/state/kettle/store.sqlite`.
  package static func open(_ path: String, at now: WallTime) throws(StoreError) -> StoreOpening {
    let place = StorePlace(path)
    try place.prepareDirectory()
    guard try place.checkFile() else { return try openMissing(place, at: now) }
    switch try StoreInspection.of(path) {
    case .sound(let contents):
      do {
        return StoreOpening(journal: try writable(path, contents), notice: nil)
      } catch let error as DatabaseError where place.isDamaged(error) {
        // What only a writer looks at is damaged; all that is read was read.
        return try replace(
          place, reason: error.message ?? "SQLite error \(error.resultCode.rawValue)",
          with: Salvage(complete: contents), at: now)
      } catch {
        throw StoreError(error, at: path, otherwise: .unwritable)
      }
    case .newer(let detail):
      throw StoreError(code: .newer, path: path, detail: detail)
    case .damaged(let reason, let salvage):
      return try replace(place, reason: reason, with: salvage, at: now)
    }
  }

  /// There is no store: this is the first start, or one that was cut short.
  private static func openMissing(
    _ place: StorePlace, at now: WallTime
  ) throws(StoreError) -> StoreOpening {
    var notice: StoreNotice?
    if place.hasOrphanedCompanion {
      notice = StoreNotice(
        path: place.path, asidePath: try place.putAside(at: now),
        reason: "only its log was there", keptCount: 0, lostCount: nil)
    }
    // A complete new store that did not get its name has what was salvaged before the crash.
    if place.hasUnfinished, case .sound(let contents) = try StoreInspection.of(place.unfinishedPath)
    {
      try place.adoptUnfinished()
      return StoreOpening(journal: try journal(place.path, contents), notice: notice)
    }
    try make(place, JournalContents())
    try place.adoptUnfinished()
    return StoreOpening(journal: try journal(place.path, JournalContents()), notice: notice)
  }

  /// The new store is complete before the old one is moved: a crash in between costs nothing.
  private static func replace(
    _ place: StorePlace, reason: String, with salvage: Salvage, at now: WallTime
  ) throws(StoreError) -> StoreOpening {
    try make(place, salvage.contents)
    let aside = try place.putAside(at: now)
    try place.adoptUnfinished()
    let notice = StoreNotice(
      path: place.path, asidePath: aside, reason: reason,
      keptCount: salvage.contents.records.count,
      lostCount: salvage.isComplete ? salvage.unreadableCount : nil)
    return StoreOpening(journal: try journal(place.path, salvage.contents), notice: notice)
  }

  private static func make(
    _ place: StorePlace, _ contents: JournalContents
  ) throws(StoreError) {
    try place.makeUnfinished()
    do {
      let queue = try DatabaseQueue(
        path: place.unfinishedPath, configuration: StoreSchema.writing)
      try StoreSchema.migrator.migrate(queue)
      try queue.write { db in
        try StoreCounters(contents).write(db, since: StoreCounters())
        let writer = TransferRowWriter()
        for record in contents.records { try SQLiteJournal.apply(.put(record), db, writer) }
        for session in contents.sessions {
          try SQLiteJournal.apply(.putSession(session), db, writer)
        }
      }
      // Brings everything into the one file, synced.
      try ClosedConnections.close(queue)
    } catch {
      throw StoreError(error, at: place.path, otherwise: .unwritable)
    }
  }

  private static func journal(
    _ path: String, _ contents: JournalContents
  ) throws(StoreError) -> SQLiteJournal {
    do {
      return try writable(path, contents)
    } catch {
      throw StoreError(error, at: path, otherwise: .unwritable)
    }
  }

  private static func writable(
    _ path: String, _ contents: JournalContents
  ) throws -> SQLiteJournal {
    let queue = try DatabaseQueue(path: path, configuration: StoreSchema.writing)
    try StoreSchema.migrator.migrate(queue)
    // The transfers are not taken on before it is known that they can be kept.
    try queue.inDatabase { db in try db.execute(sql: "DELETE FROM counter WHERE name = ''") }
    return SQLiteJournal(queue, path: path, contents: contents)
  }
}

extension StorePlace {
  /// Whether an error of the writing connection comes from the file itself. SQLite refuses to write
  /// when the header names a format that it does not know (sqlite.org/fileformat2.html, 1.3.3).
  fileprivate func isDamaged(_ error: DatabaseError) -> Bool {
    error.meansDamage || error.resultCode == .SQLITE_READONLY && isWritable
  }
}

/// What the user must know about a store that was put aside.
package struct StoreNotice: Hashable, Sendable {
  package var path: String
  /// Where the damaged file is.
  package var asidePath: String
  package var reason: String
  package var keptCount: Int
  /// nil when nobody can tell.
  package var lostCount: Int?

  /// What happened, to what, and what to do; without a period.
  package var sentence: String {
    let lost = lostCount.map { "\($0) could not" } ?? "how many are missing is not known"
    return "The store \"\(path.sanitizedForDisplay())\" was damaged "
      + "(\(reason.sanitizedForDisplay(limit: 200))) "
      + "and is kept as \"\(asidePath.sanitizedForDisplay())\"; "
      + "\(keptCount) of its transfers could be read, \(lost); add again what is missing"
  }
}
