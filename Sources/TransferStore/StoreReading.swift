import GRDB
import TransferEngine
import TransferModel

/// Reads a whole store.
enum StoreReading {
  /// Everything, or an error at the first row that makes no sense.
  static func contents(_ db: Database, _ layout: StoreLayout) throws -> JournalContents {
    let reader = TransferRowReader(.strict)
    var records: [TransferRecord] = []
    let rows = try Row.fetchCursor(db, sql: layout.allTransfers)
    while let row = try rows.next() { records.append(try reader.record(row)) }
    let sessions = try SessionRows.read(db, layout, .strict)
    return contents(records, try StoreCounters.read(db), sessions)
  }

  /// A damaged middle is looked through transfer by transfer, until so many are not found one after
  /// the other: the largest number ever given may be damaged too, and say that there are billions.
  private static let missedLookupMax = 1 << 16

  /// What can be read of a damaged store: all rows up to the damage, from the other end back to it,
  /// and in between those that can be reached one by one.
  static func salvage(_ db: Database) -> Salvage {
    var salvage = Salvage()
    let counters = (try? StoreCounters.read(db)) ?? StoreCounters()
    let layout = (try? StoreLayout(foundIn: db)) ?? StoreLayout(version: StoreSchema.version)
    let isWhole = take(layout.allTransfersUnindexed, db, into: &salvage)
    if !isWhole {
      _ = take(layout.allTransfersBackwards, db, into: &salvage)
      takeSingly(layout.oneTransfer, db, lastID: counters.lastID, into: &salvage)
    }
    salvage.isComplete = isWhole
    salvage.finish(counters, (try? SessionRows.read(db, layout, .salvaging)) ?? [])
    return salvage
  }

  private static func takeSingly(
    _ sql: String, _ db: Database, lastID: Int64, into salvage: inout Salvage
  ) {
    guard let statement = try? db.makeStatement(sql: sql) else { return }
    let reader = TransferRowReader(.salvaging)
    let upper = max(lastID, salvage.lastID)
    var missedCount = 0
    var id: Int64 = 0
    while id <= upper, missedCount < missedLookupMax {
      if salvage.has(id) {
        missedCount = 0
      } else if let row = try? Row.fetchOne(statement, arguments: [id]) {
        salvage.add(row, reader)
        missedCount = 0
      } else {
        missedCount += 1
      }
      id += 1
    }
  }

  /// Answers whether the last row was reached.
  private static func take(_ sql: String, _ db: Database, into salvage: inout Salvage) -> Bool {
    let reader = TransferRowReader(.salvaging)
    do {
      let rows = try Row.fetchCursor(db, sql: sql)
      while let row = try rows.next() { salvage.add(row, reader) }
      return true
    } catch {
      return false
    }
  }

  static func contents(
    _ records: [TransferRecord], _ counters: StoreCounters, _ sessions: [SessionRecord]
  ) -> JournalContents {
    var all = counters
    for record in records { all.raise(by: record) }
    for session in sessions { all.raise(by: session) }
    return JournalContents(
      records: records, lastID: TransferID(rawValue: all.lastID),
      lastTaskIdentifiers: all.lastTaskIdentifiers, sessions: sessions,
      clearedUpTo: all.clearedUpTo)
  }
}

/// What was read of a damaged store.
struct Salvage {
  private(set) var contents = JournalContents()
  /// Rows that were there and made no sense.
  private(set) var unreadableCount = 0
  /// Whether every row was looked at.
  var isComplete = false

  private var byID: [TransferID: TransferRecord] = [:]

  init() {}

  /// Of a store whose transfers can all be read, and in which something else is damaged.
  init(complete contents: JournalContents) {
    for record in contents.records { byID[record.id] = record }
    isComplete = true
    finish(StoreCounters(contents), contents.sessions)
  }

  var lastID: Int64 { byID.keys.max()?.rawValue ?? 0 }

  func has(_ id: Int64) -> Bool { byID[TransferID(rawValue: id)] != nil }

  mutating func add(_ row: Row, _ reader: TransferRowReader) {
    guard let record = try? reader.record(row) else {
      unreadableCount += 1
      return
    }
    byID[record.id] = record
  }

  /// Puts the records in order. Where damage gave two the same task identifier, the later one gets
  /// a new one, because a store takes no two.
  mutating func finish(_ counters: StoreCounters, _ sessions: [SessionRecord]) {
    struct Task: Hashable {
      var session: SessionID
      var identifier: Int64
    }
    var records = byID.values.sorted { $0.id < $1.id }
    var counters = counters
    for record in records { counters.raise(by: record) }
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
    contents = StoreReading.contents(records, counters, sessions)
  }
}
