import Foundation
import GRDB
import KettleModel

/// The table `cookies` of Chromium's `Cookies`.
enum ChromiumCookies {
  /// From 1601, where Chromium's times begin, to 1970.
  private static let epochMilliseconds: Int64 = 11_644_473_600_000

  /// Returns when a cookie expires that is stored in microseconds since 1601.
  static func expiry(_ stored: Int64) -> WallTime {
    WallTime(millisecondsSince1970: stored / 1000).advanced(byMilliseconds: -epochMilliseconds)
  }

  /// From this version on, the plaintext begins with the SHA-256 of the host.
  private static let hostDigestVersion: Int64 = 24

  /// Reads the cookies that a page sends to its own site. The `top_frame_site_key` of others names
  /// the site that they are limited to.
  static func read(_ db: Database, columns: Set<String>) throws -> [StoredCookie] {
    let isPlain = columns.contains("top_frame_site_key") ? "top_frame_site_key = ''" : "1"
    let version = try version(db)
    let rows = try Row.fetchCursor(
      db,
      sql: """
        SELECT host_key, name, value, path, is_secure, has_expires, expires_utc, encrypted_value
        FROM cookies
        WHERE \(isPlain) AND \(CookieTable.isShort(["host_key", "name", "value", "path"]))
          AND length(encrypted_value) <= ?
        ORDER BY last_access_utc DESC LIMIT ?
        """,
      arguments: [
        CookieTable.textByteCountMax + ChromiumCipher.overheadByteCountMax, CookieTable.rowCountMax,
      ])
    var cookies: [StoredCookie] = []
    var cipher: ChromiumCipher?
    while let row = try rows.next() {
      guard let (stored, encrypted) = Self.cookie(row) else { continue }
      var cookie = stored
      if !encrypted.isEmpty {
        // libcrypto is loaded when the first encrypted value is found.
        cipher = cipher ?? ChromiumCipher(bindsHost: version >= hostDigestVersion)
        cookie.value = cipher?.decrypted(encrypted, ofHost: cookie.host)
      }
      cookies.append(cookie)
    }
    return cookies
  }

  private static func cookie(_ row: Row) -> (StoredCookie, encrypted: [UInt8])? {
    guard let host = String.fromDatabaseValue(row[0]), let name = String.fromDatabaseValue(row[1]),
      let value = String.fromDatabaseValue(row[2]), let path = String.fromDatabaseValue(row[3]),
      let isSecure = Int64.fromDatabaseValue(row[4]),
      let hasExpiry = Int64.fromDatabaseValue(row[5]),
      let expiry = Int64.fromDatabaseValue(row[6]), let encrypted = Data.fromDatabaseValue(row[7])
    else { return nil }
    let cookie = StoredCookie(
      host: host, name: name, value: value, path: path, isSecure: isSecure != 0,
      expiresAt: hasExpiry == 0 ? nil : Self.expiry(expiry))
    return (cookie, [UInt8](encrypted))
  }

  /// The version of the tables, or 0 if it is not stored. Chromium stores it as text.
  private static func version(_ db: Database) throws -> Int64 {
    let sql = "SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'version'"
    return try Row.fetchOne(db, sql: sql).flatMap { Int64.fromDatabaseValue($0[0]) } ?? 0
  }
}
