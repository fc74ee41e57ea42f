import GRDB
import KettleEngine
import KettleModel

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
