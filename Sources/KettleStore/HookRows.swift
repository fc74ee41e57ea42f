import GRDB
import KettleEngine
import KettleModel

/// The runs of hooks, in the table `hook_run`.
///
/// A row that cannot be read is not an error: its hook is not run, and its transfer is complete
/// without it.
struct HookRows {
  private let db: Database
  private let json = StoredJSON()

  /// How many runs that are over stay in the table.
  static let endedCountMax = 1000

  init(_ db: Database) { self.db = db }

  static func createTable(_ db: Database) throws {
    try db.execute(
      sql: """
        CREATE TABLE hook_run (
          number INTEGER PRIMARY KEY,
          transfer INTEGER,
          state TEXT NOT NULL,
          run TEXT NOT NULL,
          occasion TEXT
        ) STRICT;

        CREATE INDEX hook_run_by_transfer ON hook_run (transfer) WHERE transfer IS NOT NULL;
        CREATE INDEX hook_run_by_state ON hook_run (state, number);
        """)
  }

  private enum State: String {
    case pending, running, ended

    init(_ standing: HookRun.Standing) {
      switch standing {
      case .pending: self = .pending
      case .running: self = .running
      case .ended: self = .ended
      }
    }
  }

  // MARK: Writing

  func apply(_ change: HookChange) throws {
    switch change {
    case .add(let run, let occasion):
      try db.execute(
        sql: """
          INSERT OR REPLACE INTO hook_run (number, transfer, state, run, occasion)
          VALUES (?, ?, ?, ?, ?)
          """,
        arguments: [
          run.id.rawValue, run.transfer?.rawValue, State(run.standing).rawValue,
          try json.text(run), try json.text(occasion),
        ])
    case .update(let run): try update(run)
    case .remove(let id):
      try db.execute(
        sql: "DELETE FROM hook_run WHERE number = ? AND state != 'ended'", arguments: [id.rawValue])
    }
  }

  /// The run is over, and its transfer is neither on the list nor in the bin.
  private static let isOrphan =
    "state = 'ended' AND transfer IS NOT NULL AND " + BinRows.isGone("hook_run.transfer")

  /// Removes the runs of transfers that were removed and cannot be restored, except those that are
  /// not over.
  static func forget(_ ids: [TransferID], _ db: Database) throws {
    let statement = try StoreStatement(
      db, "DELETE FROM hook_run WHERE transfer = ? AND \(isOrphan)")
    defer { statement.reset() }
    for id in ids {
      statement.bind(id.rawValue, at: 1)
      try statement.run()
    }
  }

  private func update(_ run: HookRun) throws {
    let state = State(run.standing)
    let occasion = state == .ended ? "NULL" : "occasion"
    try db.execute(
      sql: "UPDATE hook_run SET state = ?, run = ?, occasion = \(occasion) WHERE number = ?",
      arguments: [state.rawValue, try json.text(run), run.id.rawValue])
    if state == .ended { try removeOld(after: run) }
  }

  /// Keeps the last runs only, and none of a transfer that is gone for good.
  private func removeOld(after run: HookRun) throws {
    try db.execute(
      sql: "DELETE FROM hook_run WHERE number = ? AND \(Self.isOrphan)",
      arguments: [run.id.rawValue])
    try db.execute(
      sql: """
        DELETE FROM hook_run WHERE state = 'ended' AND number <= (
          SELECT number FROM hook_run WHERE state = 'ended'
          ORDER BY number DESC LIMIT 1 OFFSET \(Self.endedCountMax))
        """)
  }

  // MARK: Reading

  /// Returns the last runs of a transfer, the oldest first.
  func runs(of id: TransferID) throws -> [HookRun] {
    let texts = try String.fetchAll(
      db,
      sql: """
        SELECT run FROM hook_run WHERE transfer = ?
        ORDER BY number DESC LIMIT \(HookRun.shownCountMax)
        """, arguments: [id.rawValue])
    return texts.reversed().compactMap { try? json.value(HookRun.self, in: $0) }
  }

  func unfinished(_ id: HookRunID) throws -> (run: HookRun, occasion: HookOccasion)? {
    let row = try Row.fetchOne(
      db, sql: "SELECT run, occasion FROM hook_run WHERE number = ? AND occasion IS NOT NULL",
      arguments: [id.rawValue])
    guard let row, let text = String.fromDatabaseValue(row[0]),
      let run = try? json.value(HookRun.self, in: text),
      let occasionText = String.fromDatabaseValue(row[1]),
      let occasion = try? json.value(HookOccasion.self, in: occasionText)
    else { return nil }
    return (run, occasion)
  }

  func unfinished() throws -> UnfinishedHooks {
    var hooks = UnfinishedHooks()
    let last = try Int64.fetchOne(db, sql: "SELECT max(number) FROM hook_run")
    hooks.lastID = last.flatMap(TransferRowReader.bounded) ?? 0
    hooks.pending = try numbers(in: .pending)
    let started = try String.fetchAll(
      db, sql: "SELECT run FROM hook_run WHERE state = ? ORDER BY number",
      arguments: [State.running.rawValue])
    hooks.started = started.compactMap { try? json.value(HookRun.self, in: $0) }
    hooks.failed = try failed()
    return hooks
  }

  /// The latest ended run of each transfer, where it failed. The table has few of them.
  private func failed() throws -> [HookRun] {
    let texts = try String.fetchAll(
      db,
      sql: """
        SELECT run FROM hook_run WHERE number IN (
          SELECT max(number) FROM hook_run WHERE state = ? AND transfer IS NOT NULL
          GROUP BY transfer)
        ORDER BY number
        """, arguments: [State.ended.rawValue])
    return texts.compactMap { try? json.value(HookRun.self, in: $0) }.filter { run in
      run.end.map { !$0.outcome.isSuccess } ?? false
    }
  }

  private func numbers(in state: State) throws -> [HookRunID] {
    try Int64.fetchAll(
      db, sql: "SELECT number FROM hook_run WHERE state = ? ORDER BY number",
      arguments: [state.rawValue]
    ).map { HookRunID(rawValue: $0) }
  }
}

/// When each host last responded, in the table `host`.
///
/// A row that cannot be read proves nothing and is not an error: the host then counts as one that
/// has never responded.
enum HostRows {
  static func createTable(_ db: Database) throws {
    try db.execute(
      sql: """
        CREATE TABLE host (
          origin TEXT NOT NULL PRIMARY KEY,
          served_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """)
  }

  /// Rows older than this have no effect any more.
  private static let keptMilliseconds: Int64 = 24 * 3600 * 1000

  static func put(_ origin: Origin, at time: WallTime, _ db: Database) throws {
    let remove = try db.cachedStatement(sql: "DELETE FROM host WHERE served_at < ?")
    let oldest = time.advanced(byMilliseconds: -keptMilliseconds)
    try remove.execute(arguments: [oldest.millisecondsSince1970])
    let put = try db.cachedStatement(
      sql: """
        INSERT INTO host (origin, served_at) VALUES (?, ?)
        ON CONFLICT (origin) DO UPDATE SET served_at = excluded.served_at
        """)
    try put.execute(arguments: [origin.text, time.millisecondsSince1970])
  }

  static func read(_ db: Database) throws -> [Origin: WallTime] {
    var hosts: [Origin: WallTime] = [:]
    let rows = try Row.fetchCursor(db, sql: "SELECT origin, served_at FROM host")
    while let row = try rows.next() {
      guard let text = String.fromDatabaseValue(row[0]),
        let milliseconds = Int64.fromDatabaseValue(row[1]),
        case .success(let parsed) = TransferURL.parse(text)
      else { continue }
      hosts[parsed.url.origin] = WallTime(millisecondsSince1970: milliseconds)
    }
    return hosts
  }
}

/// What the user has decided for each host, in the table `remembered_host`.
///
/// A row that cannot be read is not an error: the user is asked again.
enum RememberedHostRows {
  static func createTable(_ db: Database) throws {
    try db.execute(
      sql: """
        CREATE TABLE remembered_host (
          origin TEXT NOT NULL PRIMARY KEY,
          decided TEXT NOT NULL
        ) STRICT, WITHOUT ROWID
        """)
  }

  static func put(
    _ remembered: RememberedHost, for origin: Origin, in db: Database, json: StoredJSON
  ) throws {
    if remembered.isEmpty {
      return try db.execute(
        sql: "DELETE FROM remembered_host WHERE origin = ?", arguments: [origin.text])
    }
    try db.execute(
      sql: "INSERT OR REPLACE INTO remembered_host (origin, decided) VALUES (?, ?)",
      arguments: [origin.text, try json.text(remembered)])
  }

  static func read(_ db: Database) throws -> [Origin: RememberedHost] {
    let json = StoredJSON()
    var hosts: [Origin: RememberedHost] = [:]
    let rows = try Row.fetchCursor(db, sql: "SELECT origin, decided FROM remembered_host")
    while let row = try rows.next() {
      guard let text = String.fromDatabaseValue(row[0]),
        case .success(let parsed) = TransferURL.parse(text),
        let decided = String.fromDatabaseValue(row[1]),
        let remembered = try? json.value(RememberedHost.self, in: decided)
      else { continue }
      hosts[parsed.url.origin] = remembered
    }
    return hosts
  }
}

/// The records of sessions in the table `session`.
enum SessionRows {
  /// The problem of a row whose record is missing or invalid.
  static let problem = TransferRowReader.Problem(column: "session")

  /// Returns every session that was not dropped, by name. When salvaging, an invalid record is
  /// skipped: its program creates it again, and its transfers contain its name.
  static func read(
    _ db: Database, _ layout: StoreLayout, mode: TransferRowReader.Mode
  ) throws -> [SessionRecord] {
    guard let sql = layout.sessionRecords else { return [] }
    let json = StoredJSON()
    var records: [SessionRecord] = []
    let rows = try Row.fetchCursor(db, sql: sql)
    while let row = try rows.next() {
      if let record = record(row, json) {
        records.append(record)
      } else {
        switch mode {
        case .strict: throw problem
        case .salvaging: continue
        }
      }
    }
    return records.sorted { $0.id.rawValue < $1.id.rawValue }
  }

  private static func record(_ row: Row, _ json: StoredJSON) -> SessionRecord? {
    guard let name = String.fromDatabaseValue(row[0]),
      let text = String.fromDatabaseValue(row[1]),
      let record = try? json.value(SessionRecord.self, in: text), record.id.rawValue == name
    else { return nil }
    return record
  }

  static func put(_ record: SessionRecord, in db: Database, _ json: StoredJSON) throws {
    let statement = try db.cachedStatement(
      sql: """
        INSERT INTO session (name, last_task_identifier, record) VALUES (?, 0, ?)
        ON CONFLICT (name) DO UPDATE SET record = excluded.record
        """)
    try statement.execute(arguments: [record.id.rawValue, json.text(record)])
  }

  static func remove(_ session: SessionID, _ db: Database) throws {
    let statement = try db.cachedStatement(sql: "UPDATE session SET record = NULL WHERE name = ?")
    try statement.execute(arguments: [session.rawValue])
  }
}
