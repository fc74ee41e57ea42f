import GRDB
import KettleModel

/// The table in which a browser keeps its cookies.
enum CookieTable: String, CaseIterable {
  case firefox = "moz_cookies"
  case chromium = "cookies"

  /// The columns that are read in every version.
  private var requiredColumns: Set<String> {
    switch self {
    case .firefox: ["name", "value", "host", "path", "expiry", "isSecure", "lastAccessed"]
    case .chromium:
      [
        "host_key", "name", "value", "encrypted_value", "path", "expires_utc", "is_secure",
        "has_expires", "last_access_utc",
      ]
    }
  }

  /// Returns the table in a database with all its columns, or nil if there is none.
  static func found(in db: Database) throws -> (table: CookieTable, columns: Set<String>)? {
    for table in allCases {
      let columns = try columns(of: table.rawValue, db)
      if table.requiredColumns.isSubset(of: columns) { return (table, columns) }
    }
    return nil
  }

  /// Returns none for a view, whose query could run forever.
  private static func columns(of table: String, _ db: Database) throws -> Set<String> {
    let rows = try Row.fetchCursor(
      db,
      sql: """
        SELECT info.name FROM sqlite_master AS master, pragma_table_info(master.name) AS info
        WHERE master.type = 'table' AND master.name = ?
        """, arguments: [table])
    var columns: Set<String> = []
    while let row = try rows.next() {
      if let name = String.fromDatabaseValue(row[0]) { columns.insert(name) }
    }
    return columns
  }

  /// More than browsers keep; of a larger table the cookies that were used last are read.
  static let rowCountMax = 20_000
  /// The longest text that is read; no request carries a longer name or value.
  static let textByteCountMax = Cookie.byteCountMax

  /// The condition that no text of a row is longer. `length` alone would stop at a NUL.
  static func isShort(_ columns: [String]) -> String {
    columns.map { "length(CAST(\($0) AS BLOB)) <= \(textByteCountMax)" }.joined(separator: " AND ")
  }
}
