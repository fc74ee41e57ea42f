import GRDB
import KettleEngine
import KettleModel

/// The largest numbers ever assigned, which only grow, and up to which transfers are cleared.
struct StoreCounters: Hashable, Sendable {
  /// nil in a store of an earlier version that has not been opened since.
  var storeID: Int64?
  /// See `CommitMark.commitCount`.
  var commitCount: Int64 = 0
  var lastID: Int64 = 0
  var lastTaskIdentifiers: [SessionID: Int64] = [:]
  var clearedUpTo: Int64?

  init() {}

  init(_ contents: JournalContents, _ mark: CommitMark) {
    storeID = mark.storeID
    commitCount = mark.commitCount
    lastID = contents.lastID.rawValue
    lastTaskIdentifiers = contents.lastTaskIdentifiers
    clearedUpTo = contents.clearedUpTo
  }

  /// nil until the store has an id.
  var mark: CommitMark? {
    storeID.map { CommitMark(storeID: $0, commitCount: commitCount, lastID: lastID) }
  }

  static func randomStoreID() -> Int64 { Int64.random(in: TransferRowReader.numbers) }

  mutating func raise(by record: TransferRecord) {
    lastID = max(lastID, record.id.rawValue)
    let known = lastTaskIdentifiers[record.spec.session]
    if known == nil || record.taskIdentifier > known ?? 0 {
      lastTaskIdentifiers[record.spec.session] = record.taskIdentifier
    }
  }

  /// A session is known from its creation, before it has any task identifier.
  mutating func raise(by session: SessionRecord) {
    lastTaskIdentifiers[session.id] = lastTaskIdentifiers[session.id] ?? 0
  }

  /// Returns the numbers after a commit of these changes.
  func raised(by changes: [JournalChange]) -> StoreCounters {
    var raised = self
    if !changes.allSatisfy(\.isProgress) {
      raised.commitCount = min(commitCount + 1, TransferRowReader.numbers.upperBound)
    }
    for change in changes {
      switch change {
      case .put(let record): raised.raise(by: record)
      case .putSession(let session): raised.raise(by: session)
      case .clearFinished(let number):
        raised.clearedUpTo = max(raised.clearedUpTo ?? number, number)
      case .uncover(let number): raised.clearedUpTo = number
      case .progress, .digests, .forgetDigests, .members, .syncMembers, .leaveOutMembers, .remove,
        .removeSession,
        .hostServed,
        .rememberHost, .bin, .hook:
        continue
      }
    }
    return raised
  }

  /// Writes the values that differ from `known`. In the store too, the largest value wins.
  func write(_ db: Database, since known: StoreCounters) throws {
    if let storeID, storeID != known.storeID { try Self.put(storeID, as: Self.storeIDName, db) }
    if commitCount != known.commitCount { try Self.put(commitCount, as: Self.commitsName, db) }
    if lastID != known.lastID { try Self.put(lastID, as: Self.lastIDName, db) }
    if clearedUpTo != known.clearedUpTo { try writeCleared(db) }
    for (session, last) in lastTaskIdentifiers where known.lastTaskIdentifiers[session] != last {
      try db.execute(
        sql: """
          INSERT INTO session (name, last_task_identifier) VALUES (?, ?)
          ON CONFLICT (name) DO UPDATE
          SET last_task_identifier = max(last_task_identifier, excluded.last_task_identifier)
          """, arguments: [session.rawValue, last])
    }
  }

  /// Unlike the others, this number falls when an action is undone.
  private func writeCleared(_ db: Database) throws {
    try db.execute(
      sql: "DELETE FROM counter WHERE name = ?", arguments: [Self.clearedName])
    if let clearedUpTo { try Self.put(clearedUpTo, as: Self.clearedName, db) }
  }

  private static let storeIDName = "store_id"
  private static let commitsName = "commits"
  private static let lastIDName = "last_id"
  private static let clearedName = "cleared_up_to"

  private static func put(_ value: Int64, as name: String, _ db: Database) throws {
    try db.execute(
      sql: """
        INSERT INTO counter (name, value) VALUES (?, ?)
        ON CONFLICT (name) DO UPDATE SET value = max(value, excluded.value)
        """, arguments: [name, value])
  }

  private static func read(_ name: String, _ db: Database) throws -> Int64? {
    let found = try Int64.fetchOne(
      db, sql: "SELECT value FROM counter WHERE name = ?", arguments: [name])
    guard let found else { return nil }
    guard let value = TransferRowReader.bounded(found) else {
      throw TransferRowReader.Problem(column: name)
    }
    return value
  }

  static func read(_ db: Database) throws -> StoreCounters {
    var counters = StoreCounters()
    counters.storeID = try read(storeIDName, db)
    counters.commitCount = try read(commitsName, db) ?? 0
    counters.lastID = try read(lastIDName, db) ?? 0
    counters.clearedUpTo = try read(clearedName, db)
    let sessions = try Row.fetchCursor(db, sql: "SELECT name, last_task_identifier FROM session")
    while let row = try sessions.next() {
      guard let name = String.fromDatabaseValue(row[0]),
        let last = Int64.fromDatabaseValue(row[1]).flatMap(TransferRowReader.bounded)
      else { throw TransferRowReader.Problem(column: "session") }
      counters.lastTaskIdentifiers[SessionID(rawValue: name)] = last
    }
    return counters
  }
}

extension JournalChange {
  fileprivate var isProgress: Bool {
    switch self {
    case .progress, .digests: true
    case .put, .forgetDigests, .members, .syncMembers, .leaveOutMembers, .remove, .putSession,
      .removeSession,
      .clearFinished,
      .uncover,
      .hostServed, .rememberHost, .bin, .hook:
      false
    }
  }
}

/// The totals of the dormant transfers, updated in the table `tally` with every commit: counting a
/// million takes too long for a start.
///
/// The sums wrap around, so every addition can be subtracted again, whatever sizes servers report.
struct StoreTallies: Hashable {
  private(set) var states: [TransferState: StateTally] = [:]

  var isEmpty: Bool { states.isEmpty }

  mutating func add(_ row: TalliedRow) { count(row, 1) }

  mutating func remove(_ row: TalliedRow) { count(row, -1) }

  private mutating func count(_ row: TalliedRow, _ sign: Int64) {
    guard row.isDormant else { return }
    states[row.state, default: StateTally()].count(row, sign)
  }

  // MARK: The table

  static func read(_ db: Database) throws -> StoreTallies {
    var tallies = StoreTallies()
    let rows = try StoreStatement(
      db,
      "SELECT state, count, unknown_size_count, bytes_received, bytes_expected FROM tally")
    defer { rows.reset() }
    while try rows.step() {
      guard let state = TransferState(rawValue: rows.text(0)), rows.number(1) >= 0 else {
        throw TransferRowReader.Problem(column: "tally")
      }
      if rows.number(1) == 0 { continue }
      tallies.states[state] = StateTally(
        count: Int(rows.number(1)), unknownSizeCount: Int(rows.number(2)),
        bytesReceived: rows.number(3), bytesExpected: rows.number(4))
    }
    return tallies
  }

  /// Adds these totals to the table.
  func write(_ db: Database) throws {
    if isEmpty { return }
    var sum = try Self.read(db).states
    for (state, more) in states { sum[state, default: StateTally()].add(more) }
    for state in states.keys { try Self.put(sum[state] ?? StateTally(), of: state, db) }
  }

  private static func put(_ tally: StateTally, of state: TransferState, _ db: Database) throws {
    let statement = try StoreStatement(
      db,
      """
      INSERT OR REPLACE INTO tally
        (state, count, unknown_size_count, bytes_received, bytes_expected) VALUES (?, ?, ?, ?, ?)
      """)
    statement.bind(state.rawValue, at: 1)
    statement.bind(Int64(tally.count), at: 2)
    statement.bind(Int64(tally.unknownSizeCount), at: 3)
    statement.bind(tally.bytesReceived, at: 4)
    statement.bind(tally.bytesExpected, at: 5)
    try statement.run()
  }

  /// Counts all transfers.
  static func counted(_ db: Database) throws -> StoreTallies {
    var tallies = StoreTallies()
    let rows = try StoreStatement(
      db, "SELECT state, bytes_received, bytes_expected FROM transfer WHERE is_dormant = 1")
    defer { rows.reset() }
    while try rows.step() {
      guard let state = TransferState(rawValue: rows.text(0)) else {
        throw TransferRowReader.Problem(column: TransferColumn.state.sqlName)
      }
      tallies.add(
        TalliedRow(
          isDormant: true, state: state, bytesReceived: rows.number(1),
          bytesExpected: rows.isNull(2) ? nil : rows.number(2)))
    }
    return tallies
  }

  /// Replaces the table with totals counted from the transfers.
  static func recount(_ db: Database) throws {
    try db.execute(sql: "DELETE FROM tally")
    try counted(db).write(db)
  }
}

/// The parts of a transfer that the tallies count.
struct TalliedRow: Hashable {
  var isDormant: Bool
  var state: TransferState
  var bytesReceived: Int64
  var bytesExpected: Int64?
}

extension TalliedRow {
  init(_ record: TransferRecord) {
    self.init(
      isDormant: record.isDormant, state: record.state, bytesReceived: 0, bytesExpected: nil)
    if record.spec.task != nil {
      let row = RowMaker(documentsDirectory: "").row(of: record)
      bytesReceived = row.bytesReceived
      bytesExpected = row.bytesExpected
    } else if let finished = record.finishedFile {
      bytesReceived = finished.byteCount ?? 0
      bytesExpected = finished.byteCount
    } else {
      bytesReceived = record.resumeData?.durable.byteCount ?? 0
      bytesExpected = record.resumeData?.totalByteCount
    }
  }
}

extension StateTally {
  fileprivate mutating func count(_ row: TalliedRow, _ sign: Int64) {
    count += Int(sign)
    guard let expected = row.bytesExpected else {
      unknownSizeCount += Int(sign)
      return
    }
    bytesExpected &+= sign &* expected
    bytesReceived &+= sign &* min(row.bytesReceived, expected)
  }

  fileprivate mutating func add(_ other: StateTally) {
    count += other.count
    unknownSizeCount += other.unknownSizeCount
    bytesReceived &+= other.bytesReceived
    bytesExpected &+= other.bytesExpected
  }
}
