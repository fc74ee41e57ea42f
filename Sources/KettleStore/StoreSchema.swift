import CKettleSQLite
import GRDB

/// The tables, and how they are made.
///
/// Data that is sorted, filtered or displayed has its own columns. Data that is only read back as a
/// whole (headers, resume data, failures) is JSON. Nothing outside this target depends on SQLite.
enum StoreSchema {
  /// "Kttl", for file(1) and for Kettle itself: PRAGMA application_id.
  static let applicationID = 0x4B74_746C
  /// PRAGMA user_version of a new store.
  static let version = 3
  /// All tables except those of the transfers.
  static let smallTables = [
    "counter", "session", "grdb_migrations", "tally", "progress", "host", "bin_action",
    "remembered_host", "hook_run",
  ]

  /// The migrations of the release candidates of 0.1.0 after the first. The last candidate had the
  /// tables of version 1; what can be read of an earlier one goes into a new store, as if it were
  /// damaged. The next migration must have a name of another form.
  private static let candidates = Set((2...12).map { "v\($0)" })

  /// A released migration is never changed, only followed by another. Each ends by setting
  /// `user_version` to its number.
  static var migrator: DatabaseMigrator {
    var migrator = first
    migrator.registerMigration("block digests") { db in
      try DigestRows.createTable(db)
      try db.execute(sql: "PRAGMA user_version = 2")
    }
    migrator.registerMigration("collections") { db in
      try MemberRows.createTable(db)
      try db.execute(sql: "PRAGMA user_version = 3")
    }
    return migrator
  }

  /// Makes version 1, which the later ones build upon.
  static var first: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("v1", merging: candidates) { db, _ in
      try createTables(db)
      try db.execute(
        sql: "PRAGMA application_id = \(applicationID); PRAGMA user_version = 1")
    }
    return migrator
  }

  /// Whether a later version has changed the store.
  static func isSuperseded(_ db: Database) throws -> Bool {
    let known = candidates.union(migrator.migrations)
    return try !migrator.appliedIdentifiers(db).isSubset(of: known)
  }

  private static func createTables(_ db: Database) throws {
    try createCounters(db)
    try createTransfers(db)
    try db.execute(
      sql: "CREATE TABLE progress (id INTEGER PRIMARY KEY, held TEXT NOT NULL) STRICT")
    try HostRows.createTable(db)
    try BinRows.createTables(db)
    try RememberedHostRows.createTable(db)
    try HookRows.createTable(db)
    try StoreTallies.recount(db)
  }

  private static func createCounters(_ db: Database) throws {
    // The largest numbers ever assigned outlive their transfers, because a reused number would name
    // a different transfer to a client that remembers the first. A dropped session keeps its row
    // without a record: the next session of that name continues its task numbering.
    try db.execute(
      sql: """
        CREATE TABLE counter (
          name TEXT NOT NULL PRIMARY KEY,
          value INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE session (
          name TEXT NOT NULL PRIMARY KEY,
          last_task_identifier INTEGER NOT NULL,
          record TEXT
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE tally (
          state TEXT NOT NULL PRIMARY KEY,
          count INTEGER NOT NULL,
          unknown_size_count INTEGER NOT NULL,
          bytes_received INTEGER NOT NULL,
          bytes_expected INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        """)
  }

  private static func createTransfers(_ db: Database) throws {
    try db.execute(
      sql: """
        CREATE TABLE transfer (
          id INTEGER PRIMARY KEY,
          session TEXT NOT NULL REFERENCES session (name),
          task_identifier INTEGER NOT NULL,
          state TEXT NOT NULL,
          reason TEXT,
          goes_on_at INTEGER,
          priority REAL NOT NULL,
          queue_position INTEGER NOT NULL,
          title TEXT,
          url TEXT NOT NULL,
          directory TEXT,
          name TEXT,
          created_at INTEGER NOT NULL,
          finished_at INTEGER,
          bytes_received INTEGER NOT NULL,
          bytes_expected INTEGER,
          connections INTEGER,
          limit_bytes_per_second INTEGER,
          not_before INTEGER,
          checksum TEXT,
          ca_certificate_path TEXT,
          on_conflict TEXT NOT NULL,
          beginning TEXT NOT NULL,
          headers TEXT,
          login TEXT,
          resume_data TEXT,
          finished_file TEXT,
          failure TEXT,
          fresh_start TEXT,
          retry_count INTEGER NOT NULL,
          request TEXT,
          task TEXT,
          task_status TEXT,
          finish_number INTEGER,
          is_dormant INTEGER NOT NULL DEFAULT 0,
          -- Up to the slash behind the host, and by its length behind either scheme.
          origin TEXT
            GENERATED ALWAYS AS (substr(url, 1, 7 + instr(substr(url, 9), '/'))) VIRTUAL,
          trusted_servers TEXT,
          options TEXT,
          UNIQUE (session, task_identifier)
        ) STRICT;
        """)
    for index in TransferIndex.allCases.compactMap(\.creation) { try db.execute(sql: index) }
  }

  /// For the writing connection.
  static var writing: Configuration {
    var configuration = Configuration()
    configuration.label = "kettle.store"
    configuration.foreignKeysEnabled = true
    configuration.busyMode = .timeout(5)
    configuration.prepareDatabase { db in
      // No other program reads the store, so a schema planted by others must not call functions.
      try db.execute(sql: "PRAGMA trusted_schema = OFF")
      try db.execute(sql: "PRAGMA journal_mode = WAL")
      // NORMAL would lose the last commits in a power cut
      // (sqlite.org/pragma.html#pragma_synchronous).
      try db.execute(sql: "PRAGMA synchronous = FULL")
      // Keeps the changes of a batch of some thousands in memory, so they are written once, at the
      // commit.
      try db.execute(sql: "PRAGMA cache_size = -8192")
      // Adding a list would fill many logs of the default size, each merged with syncs.
      try db.execute(sql: "PRAGMA wal_autocheckpoint = 4000")
      // A list of a million leaves a log of its own size behind, which nothing else shrinks.
      try db.execute(sql: "PRAGMA journal_size_limit = 16777216")
    }
    return configuration
  }

  /// Where SQLite keeps the undo data of a statement, used to roll back that statement alone when
  /// it fails.
  ///
  /// If it is not in memory, all but the first 64 KiB go to a file in a temporary directory. That
  /// may be full while the store's disk is not, or on a disk where a copy of the store is
  /// unexpected (sqlite.org/tempfiles.html, "Statement Journal Files").
  enum StatementJournals: String {
    /// For statements that change a few rows.
    case inMemory = "MEMORY"
    /// For statements that process the whole list.
    case onDisk = "FILE"

    /// Must be called outside a transaction.
    func apply(to db: Database) throws { try db.execute(sql: "PRAGMA temp_store = \(rawValue)") }
  }

  /// For inspecting a store without changing a byte of it.
  static var reading: Configuration {
    var configuration = Configuration()
    configuration.label = "kettle.store.inspection"
    configuration.readonly = true
    configuration.busyMode = .timeout(5)
    configuration.prepareDatabase { db in
      try db.execute(sql: "PRAGMA trusted_schema = OFF")
      // The last connection to close merges the log into the store. A reader cannot do that,
      // and would request a write lock on a read-only descriptor.
      if let connection = db.sqliteConnection { _ = kettle_sqlite_forgo_checkpoint(connection) }
    }
    return configuration
  }
}
