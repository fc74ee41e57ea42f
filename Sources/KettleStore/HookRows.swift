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
  private static let isOrphan = """
    state = 'ended' AND transfer IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM transfer WHERE transfer.id = hook_run.transfer)
    AND NOT EXISTS (
      SELECT 1 FROM bin_action CROSS JOIN bin_entry ON bin_entry.action = bin_action.number
      WHERE bin_entry.id = hook_run.transfer)
    """

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

  /// Removes the runs of all transfers that can no longer be restored.
  static func forgetOrphans(_ db: Database) throws {
    try db.execute(sql: "DELETE FROM hook_run WHERE \(isOrphan)")
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
    return hooks
  }

  private func numbers(in state: State) throws -> [HookRunID] {
    try Int64.fetchAll(
      db, sql: "SELECT number FROM hook_run WHERE state = ? ORDER BY number",
      arguments: [state.rawValue]
    ).map { HookRunID(rawValue: $0) }
  }
}
