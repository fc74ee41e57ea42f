import CKettleSQLite
import GRDB

/// The tables, and how a store of an earlier version gets them.
///
/// The columns stand for themselves where something is sorted, filtered or shown by them; what is
/// only read back as a whole (headers, resume data, failures) is JSON. Nothing depends on SQLite
/// beyond this target.
enum StoreSchema {
  /// "Kttl", for file(1) and for us: PRAGMA application_id.
  static let applicationID = 0x4B74_746C
  /// PRAGMA user_version after all migrations.
  static let version = 6
  /// All but that of the transfers.
  static let smallTables = ["counter", "session", "grdb_migrations"]
  /// Those that version 4 brought.
  static let smallTablesSince4 = ["tally"]
  /// Those that version 5 brought.
  static let smallTablesSince5 = ["progress"]

  /// A migration that was released is never changed, only followed by another; each ends by setting
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
    return migrator
  }

  private static func addSessions(_ db: Database) throws {
    // A session that was dropped keeps its row without a record: the next one of its name goes on
    // counting its tasks from there.
    try db.execute(
      sql: """
        ALTER TABLE transfer ADD COLUMN request TEXT;
        ALTER TABLE transfer ADD COLUMN task TEXT;
        ALTER TABLE transfer ADD COLUMN task_status TEXT;
        ALTER TABLE session ADD COLUMN record TEXT;
        """)
  }

  private static func createCounters(_ db: Database) throws {
    // The largest numbers ever given outlive the transfers that had them, because a number that
    // came again would name another transfer to whoever remembers the first.
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

  /// For the connection that writes.
  static var writing: Configuration {
    var configuration = Configuration()
    configuration.label = "kettle.store"
    configuration.foreignKeysEnabled = true
    configuration.busyMode = .timeout(5)
    configuration.prepareDatabase { db in
      // Read back by nobody else, so a schema that others planted must not call functions.
      try db.execute(sql: "PRAGMA trusted_schema = OFF")
      try db.execute(sql: "PRAGMA journal_mode = WAL")
      // NORMAL would lose the last commits in a power cut
      // (sqlite.org/pragma.html#pragma_synchronous).
      try db.execute(sql: "PRAGMA synchronous = FULL")
      // What a batch of some thousands changes is written once, when it is committed.
      try db.execute(sql: "PRAGMA cache_size = -8192")
      // A list that is added fills many logs of the usual size, and each is brought in with syncs.
      try db.execute(sql: "PRAGMA wal_autocheckpoint = 4000")
      // A list of a million leaves a log of its own size behind, which nothing else makes small.
      try db.execute(sql: "PRAGMA journal_size_limit = 16777216")
    }
    return configuration
  }

  /// Where SQLite keeps what a statement changed, to take back that statement alone when it fails.
  ///
  /// Where it is not in memory, all but the first 64 KiB of it are a file in a directory for
  /// temporary files: that may be full while the store's disk is not, or be on a disk where nobody
  /// expects a copy of the store (sqlite.org/tempfiles.html, "Statement Journal Files").
  enum StatementJournals: String {
    /// Of a few rows at a time.
    case inMemory = "MEMORY"
    /// Of statements that go through the whole list.
    case onDisk = "FILE"

    /// Outside of a transaction.
    func apply(to db: Database) throws { try db.execute(sql: "PRAGMA temp_store = \(rawValue)") }
  }

  /// For looking at a store without changing a byte of it.
  static var reading: Configuration {
    var configuration = Configuration()
    configuration.label = "kettle.store.inspection"
    configuration.readonly = true
    configuration.busyMode = .timeout(5)
    configuration.prepareDatabase { db in
      try db.execute(sql: "PRAGMA trusted_schema = OFF")
      // The last connection that closes brings the log into the store. A reader cannot, and would
      // ask for a write lock on a descriptor that is open for reading only.
      if let connection = db.sqliteConnection { _ = kettle_sqlite_forgo_checkpoint(connection) }
    }
    return configuration
  }
}
