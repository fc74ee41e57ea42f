import GRDB
import TransferEngine
import TransferModel

/// Reads a whole store.
enum StoreReading {
  /// Everything, or an error at the first row that makes no sense.
  static func contents(_ db: Database) throws -> JournalContents {
    let reader = TransferRowReader(.strict)
    var records: [TransferRecord] = []
    let rows = try Row.fetchCursor(db, sql: TransferSQL.all)
    while let row = try rows.next() { records.append(try reader.record(row)) }
    return contents(records, try StoreCounters.read(db))
  }

  /// What can be read of a damaged store: all rows up to the damage, and from the other end back
  /// to it.
  static func salvage(_ db: Database) -> Salvage {
    var salvage = Salvage()
    let counters = (try? StoreCounters.read(db)) ?? StoreCounters()
    let isWhole = take(TransferSQL.allUnindexed, db, into: &salvage)
    if !isWhole { _ = take(TransferSQL.allBackwards, db, into: &salvage) }
    salvage.isComplete = isWhole
    salvage.finish(counters)
    return salvage
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
    _ records: [TransferRecord], _ counters: StoreCounters
  ) -> JournalContents {
    var all = counters
    for record in records { all.raise(by: record) }
    return JournalContents(
      records: records, lastID: TransferID(rawValue: all.lastID),
      lastTaskIdentifiers: all.lastTaskIdentifiers)
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

  mutating func add(_ row: Row, _ reader: TransferRowReader) {
    guard let record = try? reader.record(row) else {
      unreadableCount += 1
      return
    }
    byID[record.id] = record
  }

  /// Puts the records in order. Where damage gave two the same task identifier, the later one gets
  /// a new one, because a store takes no two.
  mutating func finish(_ counters: StoreCounters) {
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
    contents = StoreReading.contents(records, counters)
  }
}
