import GRDB
import KettleEngine
import KettleModel
import KettleScheduler

/// If a row contains an invalid value, the whole query fails as `unreadable`, and the next opening
/// inspects the store (`StorePaths.noting`).
extension SQLiteJournal: TransferArchive {
  package func records(_ ids: [TransferID]) throws -> [TransferRecord] {
    if ids.isEmpty { return [] }
    return try reader.read { db in try RecordFetch(db).records(ids.map(\.rawValue)) }
  }

  package func line(_ wanted: QueueRead) throws -> [TransferRecord] {
    try reader.read { db in
      let line = StoredLine(db, leavingOut: wanted.leftOut)
      let ids: [Int64] =
        switch wanted.place {
        case .at(let origin): try line.first(at: origin.text, wanted.countMax).map(\.id)
        case .elsewhere(let others):
          try line.first(elsewhereThan: Set(others.map(\.text)), wanted.countMax)
        }
      return try RecordFetch(db).records(ids)
    }
  }

  package func queue(countMax: Int) throws -> [QueueEntry] {
    try listReader.read { db in try StoredLine(db).entries(countMax) }
  }

  package func queuedCount(
    before priority: TransferPriority, _ place: QueuePosition
  ) throws -> Int {
    try reader.read { db in try StoredLine(db).count(before: priority, place) }
  }

  package func neighbours(
    of places: [QueuePosition], _ side: ListSide,
    where isWanted: (TransferID, TransferState) -> Bool
  ) throws -> [TransferRecord] {
    let (sign, direction) =
      switch side {
      case .before: ("<", "DESC")
      case .after: (">", "ASC")
      }
    return try reader.read { db in
      let statement = try StoreStatement(
        db,
        """
        SELECT id, state FROM transfer INDEXED BY \(TransferIndex.byPlace.name)
        WHERE (queue_position, id) \(sign) (?, ?)
        ORDER BY queue_position \(direction), id \(direction)
        """)
      let ids = try places.compactMap { place -> Int64? in
        statement.reset()
        statement.bind(place.position, at: 1)
        statement.bind(place.id.rawValue, at: 2)
        while try statement.step() {
          guard let state = TransferState(rawValue: statement.text(1)) else {
            throw TransferRowReader.Problem(column: "state")
          }
          let id = statement.number(0)
          if isWanted(TransferID(rawValue: id), state) { return id }
        }
        return nil
      }
      statement.reset()
      return try RecordFetch(db).records(ids)
    }
  }

  package func dormant(
    in states: Set<TransferState>, after: TransferID?, countMax: Int
  ) throws -> [TransferRecord] {
    try reader.read { db in
      var ids: [Int64] = []
      for state in states {
        // Queued transfers are found by scanning all rows by id, so a full iteration visits each
        // once.
        let source =
          state == .queued
          ? "NOT INDEXED WHERE \(StoreSchema.isInLine)"
          : "INDEXED BY \(TransferIndex.byState.name) WHERE \(StoreSchema.isAside)"
        let statement = try StoreStatement(
          db, "SELECT id FROM transfer \(source) AND state = ? AND id > ? ORDER BY id LIMIT ?")
        defer { statement.reset() }
        statement.bind(state.rawValue, at: 1)
        statement.bind(after?.rawValue ?? .min, at: 2)
        statement.bind(Int64(countMax), at: 3)
        while try statement.step() { ids.append(statement.number(0)) }
      }
      return try RecordFetch(db).records(Array(ids.sorted().prefix(countMax)))
    }
  }

  package func order(_ filter: RowFilter, _ sort: RowSort, rows: RowMaker) throws -> StoredOrder {
    try listReader.read { db in try OrderQuestion(filter, sort, rows: rows).answer(db) }
  }

  package func find(urls: Set<String>) throws -> [TransferRecord] {
    if urls.isEmpty { return [] }
    let lengths = Set(urls.map(\.utf8.count))
    return try listReader.read { db in
      let statement = try StoreStatement(db, "SELECT id, url FROM transfer NOT INDEXED ORDER BY id")
      defer { statement.reset() }
      var wanted = urls
      var ids: [Int64] = []
      while !wanted.isEmpty, try statement.step() {
        guard statement.withText(1, { lengths.contains($0.count) }) else { continue }
        if wanted.remove(statement.text(1)) != nil { ids.append(statement.number(0)) }
      }
      return try RecordFetch(db).records(ids)
    }
  }

  package func chosenGIDs() throws -> [TransferID: GID] {
    let json = StoredJSON()
    let reader = StoreReader(paths)
    defer { reader.close() }
    return try reader.read { db in
      let statement = try StoreStatement(
        db, "SELECT id, options FROM transfer NOT INDEXED WHERE options IS NOT NULL")
      defer { statement.reset() }
      var gids: [TransferID: GID] = [:]
      while try statement.step() {
        // Options that cannot be read become a problem when the transfer is loaded.
        guard let options = try? json.value(TransferOptions.self, in: statement.text(1)),
          let gid = options.rpc?.gid.flatMap({ GID($0) })
        else { continue }
        gids[TransferID(rawValue: statement.number(0))] = gid
      }
      return gids
    }
  }

  package func news(since time: WallTime) throws -> TransferNews {
    // A connection of its own, which neither waits for other queries nor delays them. It is rarely
    // needed, when a dashboard opens and for the sum of a day, so its memory is freed.
    let reader = StoreReader(paths)
    defer { reader.close() }
    return try reader.read { db in try NewsQuestion.answer(since: time, db) }
  }
}

/// The bin.
extension SQLiteJournal {
  package func binEntries(
    of action: Int64, after: TransferID?, countMax: Int
  ) throws -> [BinEntry] {
    try reader.read { db in try BinRows(db).entries(of: action, after: after, countMax: countMax) }
  }

  package func binEntries(of ids: [TransferID], in actions: [Int64]) throws -> [BinEntry] {
    try reader.read { db in try BinRows(db).entries(of: ids, in: actions) }
  }

  package func binContents(of action: Int64?) throws -> [Int64: BinContents] {
    try reader.read { db in try BinRows(db).contents(of: action) }
  }

  package func clearedCount(upTo finishNumber: Int64?) throws -> Int {
    try listReader.read { db in try StoreReading.clearedCount(db, upTo: finishNumber) }
  }
}

/// The hooks, the members of collections, and what is known of the bytes of files.
extension SQLiteJournal {
  package func digests(of id: TransferID) throws -> BlockDigests {
    try reader.read { db in try DigestRows(db).digests(of: id) }
  }

  package func members(
    of id: TransferID, from first: Int64, countMax: Int
  ) throws -> [NumberedMember] {
    try reader.read { db in
      try MemberRows(db).members(of: id, from: first, countMax: countMax)
    }
  }

  package func missingMembers(
    of id: TransferID, after last: NumberedMember?, in order: MemberOrder, countMax: Int
  ) throws -> [NumberedMember] {
    try reader.read { db in
      try MemberRows(db).missing(of: id, after: last, in: order, countMax: countMax)
    }
  }

  package func transfers(ofMembersOf ids: [TransferID]) throws -> [TransferID] {
    try listReader.read { db in try MemberRows(db).transfers(of: ids) }
  }

  package func endOfMembers(of id: TransferID, from first: Int64) throws -> MembersEnd {
    try listReader.read { db in
      let rows = MemberRows(db)
      let next =
        try rows.firstUnfinished(of: id, from: first)
        ?? (first == 0 ? nil : rows.firstUnfinished(of: id, from: 0))
      if let next { return .unfinished(next) }
      return .ended(failedCount: try rows.failedCount(of: id))
    }
  }

  package func memberSum(of id: TransferID) throws -> MemberSum {
    try listReader.read { db in try MemberRows(db).sum(of: id) }
  }

  package func sum(
    of kind: MemberChange, of id: TransferID, in list: TransferID
  ) throws -> MemberSum {
    try listReader.read { db in try MemberRows(db).sum(of: kind, of: id, in: list) }
  }

  package func changed(
    _ kind: MemberChange, of id: TransferID, in list: TransferID, from first: Int64, countMax: Int
  ) throws -> [ChangedMember] {
    try listReader.read { db in
      try MemberRows(db).changed(kind, of: id, in: list, from: first, countMax: countMax)
    }
  }

  package func hookRuns(of id: TransferID) throws -> [HookRun] {
    try reader.read { db in try HookRows(db).runs(of: id) }
  }

  package func pieces(of id: TransferID) throws -> PieceHashes? {
    try reader.read { db in try PieceRows.read(of: id, db, StoredJSON()) }
  }

  package func hook(_ id: HookRunID) throws -> (run: HookRun, occasion: HookOccasion)? {
    try reader.read { db in try HookRows(db).unfinished(id) }
  }
}

/// Reads records by their ids.
struct RecordFetch {
  private let db: Database
  private let statement: Statement
  private let reader = TransferRowReader(.strict)

  init(_ db: Database) throws {
    self.db = db
    statement = try db.cachedStatement(
      sql: """
        SELECT \(TransferColumn.list) FROM transfer
        WHERE id IN (SELECT value FROM json_each(?))
        """)
  }

  /// Returns the existing records, in the order of the ids.
  func records(_ ids: [Int64]) throws -> [TransferRecord] {
    var found: [Int64: TransferRecord] = [:]
    found.reserveCapacity(ids.count)
    // One cursor for all: each one copies the names of the columns.
    let list = "[" + ids.map(String.init).joined(separator: ",") + "]"
    let rows = try Row.fetchCursor(statement, arguments: [list])
    while let row = try rows.next() {
      var record = try reader.record(row)
      try StoredProgress.complete(&record, db)
      found[record.id.rawValue] = record
    }
    return ids.compactMap { found[$0] }
  }
}
