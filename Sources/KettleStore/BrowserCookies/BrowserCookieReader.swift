import GRDB
import KettleModel

/// Reads the cookies of Firefox and Chromium. Nothing is written beside the browser's files, and
/// none of its locks is taken.
package enum BrowserCookieReader {
  /// For the database and its log together. A browser's is a few MiB.
  static let byteCountMax: Int64 = 512 << 20

  /// Returns the cookies that have not expired, the last used ones first.
  package static func read(
    _ request: BrowserCookieRequest
  ) throws(BrowserCookieProblem) -> BrowserCookies {
    try read(request, byteCountMax: byteCountMax)
  }

  static func read(
    _ request: BrowserCookieRequest, byteCountMax: Int64
  ) throws(BrowserCookieProblem) -> BrowserCookies {
    let stored = try DatabaseCopy.with(
      request.path, in: request.temporaryDirectory, byteCountMax: byteCountMax
    ) { (copy) throws(BrowserCookieProblem) in
      try rows(ofCopy: copy)
    }
    return BrowserCookies(stored, at: request.now)
  }

  private static func rows(
    ofCopy path: String
  ) throws(BrowserCookieProblem) -> [StoredCookie] {
    do {
      let queue = try DatabaseQueue(path: path, configuration: configuration)
      // After an error, too, the files are closed before they are deleted.
      defer { try? queue.close() }
      // No transaction: on a damaged file, ending one fails even after every row was read.
      return try queue.inDatabase(rows)
    } catch let problem as BrowserCookieProblem {
      throw problem
    } catch let error as DatabaseError {
      throw error.meansDamage
        ? .damaged(detail: error.said) : .unreadable(detail: error.said)
    } catch {
      throw .unreadable(detail: "\(error)")
    }
  }

  private static func rows(_ db: Database) throws -> [StoredCookie] {
    guard let (table, columns) = try CookieTable.found(in: db) else {
      throw BrowserCookieProblem.unknownFormat
    }
    return switch table {
    case .firefox: try FirefoxCookies.read(db, columns: columns)
    case .chromium: try ChromiumCookies.read(db, columns: columns)
    }
  }

  /// The copy may be written to: SQLite first rolls back what the browser had not finished.
  private static var configuration: Configuration {
    var configuration = Configuration()
    configuration.label = "kettle.cookies"
    configuration.prepareDatabase { db in
      // A hostile database must not be able to call functions or change data.
      try db.execute(sql: "PRAGMA trusted_schema = OFF")
      try db.execute(sql: "PRAGMA query_only = ON")
    }
    return configuration
  }
}

/// A cookie as a browser's table holds it.
struct StoredCookie: Hashable {
  /// A host, or a domain after a dot: both browsers mark a cookie with a `Domain` that way.
  var host: String
  var name: String
  /// nil if it is encrypted and cannot be decrypted.
  var value: String?
  var path: String
  var isSecure: Bool
  /// nil for the session of the browser.
  var expiresAt: WallTime?

  /// Whether it is sent at a time.
  func isValid(at now: WallTime) -> Bool { expiresAt.map { $0 > now } ?? true }

  /// The cookie, with an empty value if that is encrypted. nil if no request can carry it.
  var cookie: Cookie? {
    let isDomain = host.hasPrefix(".")
    let domain = (isDomain ? String(host.dropFirst()) : host).lowercased()
    let cookie = Cookie(
      name: name, value: value ?? "", domain: domain, includesSubdomains: isDomain,
      path: path.hasPrefix("/") ? path : "/", isSecure: isSecure)
    return domain.isEmpty || !cookie.isUsable ? nil : cookie
  }
}

extension BrowserCookies {
  /// Sorts the cookies into the readable and the encrypted. The expired are left out.
  init(_ stored: [StoredCookie], at now: WallTime) {
    self.init()
    for row in stored where row.isValid(at: now) {
      guard let cookie = row.cookie else { continue }
      if row.value == nil { encrypted.append(cookie) } else { cookies.append(cookie) }
    }
  }
}

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

/// The table `moz_cookies` of Firefox's `cookies.sqlite`.
enum FirefoxCookies {
  /// Since version 16 of its schema Firefox stores milliseconds. As seconds, this number is a time
  /// in the year 11476.
  private static let secondsMax: Int64 = 300_000_000_000

  /// Returns when a cookie expires that is stored in seconds or milliseconds since 1970.
  static func expiry(_ stored: Int64) -> WallTime {
    WallTime(
      millisecondsSince1970: stored > secondsMax
        ? stored : max(0, stored) * 1000)
  }

  /// Reads the cookies that a tab without a container sends to the site that it shows. The
  /// `originAttributes` of others name their container or the site that they are limited to.
  static func read(_ db: Database, columns: Set<String>) throws -> [StoredCookie] {
    let isPlain = columns.contains("originAttributes") ? "originAttributes = ''" : "1"
    let rows = try Row.fetchCursor(
      db,
      sql: """
        SELECT host, name, value, path, isSecure, expiry FROM moz_cookies
        WHERE \(isPlain) AND \(CookieTable.isShort(["host", "name", "value", "path"]))
        ORDER BY lastAccessed DESC LIMIT ?
        """, arguments: [CookieTable.rowCountMax])
    var cookies: [StoredCookie] = []
    while let row = try rows.next() {
      guard let host = String.fromDatabaseValue(row[0]),
        let name = String.fromDatabaseValue(row[1]), let value = String.fromDatabaseValue(row[2]),
        let path = String.fromDatabaseValue(row[3]),
        let isSecure = Int64.fromDatabaseValue(row[4]), let expiry = Int64.fromDatabaseValue(row[5])
      else { continue }
      cookies.append(
        StoredCookie(
          host: host, name: name, value: value, path: path, isSecure: isSecure != 0,
          expiresAt: Self.expiry(expiry)))
    }
    return cookies
  }
}
