import GRDB
import KettleModel

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
