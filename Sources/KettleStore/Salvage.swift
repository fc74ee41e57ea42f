import GRDB
import KettleEngine
import KettleModel

/// What could be read from a damaged store.
struct Salvage {
  private(set) var records: [TransferRecord] = []
  private(set) var counters = StoreCounters()
  /// Whether the store's own counters could be read, rather than only derived from its rows.
  private(set) var hasCounters = false
  private(set) var sessions: [SessionRecord] = []
  /// The number of rows that existed but were invalid.
  private(set) var unreadableCount = 0
  /// Whether every row was visited.
  private(set) var isComplete = false

  private var byID: [TransferID: TransferRecord] = [:]

  /// For a file in which nothing is readable.
  init() {}

  /// Reads what is readable: all rows up to the damage, then from the other end back to it, and in
  /// between the rows that can be reached one by one.
  init(_ db: Database) {
    let found = try? StoreCounters.read(db)
    let known = found ?? StoreCounters()
    let layout = (try? StoreLayout(foundIn: db)) ?? StoreLayout()
    isComplete = take(layout.allTransfersUnindexed, db)
    if !isComplete {
      _ = take(layout.allTransfersBackwards, db)
      takeSingly(layout.oneTransfer, db, lastID: known.lastID)
    }
    // Ranges that a record lists as durable are durable as well; losing unknown ranges costs only
    // time.
    for (id, durable) in (try? StoredProgress.read(db)) ?? [:] {
      byID[id]?.resumeData?.durable = durable
    }
    finish(known, (try? SessionRows.read(db, layout, mode: .salvaging)) ?? [])
    hasCounters = found != nil
  }

  /// Returns what was lost of the commits up to `mark`, or nil if nothing was lost.
  func loss(since mark: CommitMark?) -> CommitLoss? {
    guard let mark, mark.commitCount > 0 else { return nil }
    return hasCounters ? mark.loss(in: counters) : .unknown(lastID: mark.lastID)
  }

  /// Gives the store to be created from this the id of its predecessor, so that the commit record
  /// still applies.
  mutating func take(storeID: Int64) {
    if counters.storeID != storeID { counters.commitCount = 0 }
    counters.storeID = storeID
  }

  /// Returns whether the last row was reached.
  private mutating func take(_ sql: String, _ db: Database) -> Bool {
    let reader = TransferRowReader(.salvaging)
    do {
      let rows = try Row.fetchCursor(db, sql: sql)
      while let row = try rows.next() { add(row, reader) }
      return true
    } catch {
      return false
    }
  }

  /// A damaged middle section is searched id by id, until this many in a row are missing: the
  /// largest id may be damaged too and suggest billions.
  private static let missedLookupMax = 1 << 16

  private mutating func takeSingly(_ sql: String, _ db: Database, lastID: Int64) {
    guard let statement = try? db.makeStatement(sql: sql) else { return }
    let reader = TransferRowReader(.salvaging)
    let upper = max(lastID, byID.keys.max()?.rawValue ?? 0)
    var missedCount = 0
    var id: Int64 = 0
    while id <= upper, missedCount < Self.missedLookupMax {
      if byID[TransferID(rawValue: id)] != nil {
        missedCount = 0
      } else if let row = try? Row.fetchOne(statement, arguments: [id]) {
        add(row, reader)
        missedCount = 0
      } else {
        missedCount += 1
      }
      id += 1
    }
  }

  private mutating func add(_ row: Row, _ reader: TransferRowReader) {
    guard let record = try? reader.record(row) else {
      unreadableCount += 1
      return
    }
    byID[record.id] = record
  }

  /// Sorts the records. Where damage gave two the same task identifier, the later one gets a new
  /// one, because a store accepts no duplicates.
  private mutating func finish(_ known: StoreCounters, _ sessions: [SessionRecord]) {
    struct Task: Hashable {
      var session: SessionID
      var identifier: Int64
    }
    records = byID.values.sorted { $0.id < $1.id }
    byID = [:]
    counters = known
    self.sessions = sessions
    for record in records { counters.raise(by: record) }
    for session in sessions { counters.raise(by: session) }
    var taken: Set<Task> = []
    for index in records.indices {
      let session = records[index].spec.session
      if taken.contains(Task(session: session, identifier: records[index].taskIdentifier)) {
        records[index].taskIdentifier =
          (counters.lastTaskIdentifiers[session] ?? 0).addingReportingOverflow(1).partialValue
        counters.raise(by: records[index])
      }
      taken.insert(Task(session: session, identifier: records[index].taskIdentifier))
    }
  }
}
