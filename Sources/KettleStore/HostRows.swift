import GRDB
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
