import GRDB
import KettleEngine
import KettleModel

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
