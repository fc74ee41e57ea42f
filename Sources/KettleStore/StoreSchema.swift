import CKettleSQLite
import GRDB

/// The tables, and the migrations of earlier versions.
///
/// Data that is sorted, filtered or displayed has its own columns. Data that is only read back as a
/// whole (headers, resume data, failures) is JSON. Nothing outside this target depends on SQLite.
enum StoreSchema {
  /// "Kttl", for file(1) and for Kettle itself: PRAGMA application_id.
  static let applicationID = 0x4B74_746C
  /// PRAGMA user_version after all migrations.
  static let version = 12
  /// All tables except that of the transfers.
  static let smallTables = ["counter", "session", "grdb_migrations"]
  /// Added by version 4.
  static let smallTablesSince4 = ["tally"]
  /// Added by version 5.
  static let smallTablesSince5 = ["progress"]
  /// Added by version 8.
  static let smallTablesSince8 = ["host"]
  /// Added by version 9.
  static let smallTablesSince9 = ["bin_action"]
  /// Added by version 10.
  static let smallTablesSince10 = ["remembered_host"]
  /// Added by version 12.
  static let smallTablesSince12 = ["hook_run"]

  /// A released migration is never changed, only followed by another. Each ends by setting
  /// `user_version` to its number.
  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("v1") { db in
      try createCounters(db)
      try createTransfers(db)
      try db.execute(
        sql: "PRAGMA application_id = \(applicationID); PRAGMA user_version = 1")
    }
    migrator.registerMigration("v2") { db in
      try addSessions(db)
      try db.execute(sql: "PRAGMA user_version = 2")
    }
    migrator.registerMigration("v3") { db in
      try db.execute(
        sql: "ALTER TABLE transfer ADD COLUMN finish_number INTEGER; PRAGMA user_version = 3")
    }
    migrator.registerMigration("v4") { db in
      try StoreSchema.makeQueue(db)
      try db.execute(sql: "PRAGMA user_version = 4")
    }
    migrator.registerMigration("v5") { db in
      try db.execute(
        sql: """
          CREATE TABLE progress (id INTEGER PRIMARY KEY, held TEXT NOT NULL) STRICT;
          PRAGMA user_version = 5
          """)
    }
    migrator.registerMigration("v6") { db in
      try db.execute(
        sql: "ALTER TABLE progress ADD COLUMN stamp INTEGER; PRAGMA user_version = 6")
    }
    migrator.registerMigration("v7") { db in
      try StoredProgress.adoptPages(db)
      try db.execute(sql: "PRAGMA user_version = 7")
    }
    migrator.registerMigration("v8") { db in
      try HostRows.createTable(db)
      try db.execute(sql: "PRAGMA user_version = 8")
    }
    migrator.registerMigration("v9") { db in
      try BinRows.createTables(db)
      try db.execute(sql: "PRAGMA user_version = 9")
    }
    migrator.registerMigration("v10") { db in
      try RememberedHostRows.createTable(db)
      try db.execute(
        sql: """
          ALTER TABLE transfer ADD COLUMN trusted_servers TEXT;
          ALTER TABLE bin_entry ADD COLUMN trusted_servers ANY;
          PRAGMA user_version = 10
          """)
    }
    migrator.registerMigration("v11") { db in
      try db.execute(
        sql: """
          ALTER TABLE transfer ADD COLUMN options TEXT;
          ALTER TABLE bin_entry ADD COLUMN options ANY;
          PRAGMA user_version = 11
          """)
    }
    migrator.registerMigration("v12") { db in
      try HookRows.createTable(db)
      try db.execute(sql: "PRAGMA user_version = 12")
    }
    return migrator
  }

  private static func addSessions(_ db: Database) throws {
    // A dropped session keeps its row without a record: the next session of that name continues its
    // task numbering.
    try db.execute(
      sql: """
        ALTER TABLE transfer ADD COLUMN request TEXT;
        ALTER TABLE transfer ADD COLUMN task TEXT;
        ALTER TABLE transfer ADD COLUMN task_status TEXT;
        ALTER TABLE session ADD COLUMN record TEXT;
        """)
  }

  private static func createCounters(_ db: Database) throws {
    // The largest numbers ever assigned outlive their transfers, because a reused number would name
    // a different transfer to a client that remembers the first.
    try db.execute(
      sql: """
        CREATE TABLE counter (
          name TEXT NOT NULL PRIMARY KEY,
          value INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE session (
          name TEXT NOT NULL PRIMARY KEY,
          last_task_identifier INTEGER NOT NULL
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
          UNIQUE (session, task_identifier)
        ) STRICT;

        CREATE INDEX transfer_by_state ON transfer (state, queue_position);
        CREATE INDEX transfer_by_finish ON transfer (finished_at) WHERE finished_at IS NOT NULL;
        """)
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
