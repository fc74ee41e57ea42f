import CKettleCurl
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

/// Chromium's encryption `v10` on Linux, whose key is the same everywhere and public: it is used
/// where the desktop has no keyring. With a keyring Chromium writes `v11`, which is not decrypted.
///
/// AES-128-CBC with an IV of 16 spaces, by a key derived with one iteration of PBKDF2-HMAC-SHA1
/// (os_crypt_linux.cc in Chromium).
struct ChromiumCipher {
  private static let prefix = "v10"
  private static let password = "peanuts"
  private static let salt = "saltysalt"
  private static let blockByteCount = 16
  private static let digestByteCount = 32

  /// How much longer an encrypted value is than the plain one: prefix, digest and padding.
  static let overheadByteCountMax = prefix.utf8.count + digestByteCount + blockByteCount

  private let key: [UInt8]
  /// Whether the plaintext begins with the SHA-256 of the host.
  private let bindsHost: Bool

  /// Returns nil when libcrypto is missing or does not offer the algorithms, as in FIPS mode.
  init?(bindsHost: Bool) {
    guard kettle_crypto_problem() == nil else { return nil }
    var key = [UInt8](repeating: 0, count: Self.blockByteCount)
    let salt = Array(Self.salt.utf8)
    guard
      PKCS5_PBKDF2_HMAC(
        Self.password, Int32(Self.password.utf8.count), salt, Int32(salt.count), 1, EVP_sha1(),
        Int32(key.count), &key) == 1
    else { return nil }
    self.key = key
    self.bindsHost = bindsHost
  }

  /// Returns nil for a value that was encrypted otherwise, for another host, or is not UTF-8.
  func decrypted(_ encrypted: [UInt8], ofHost host: String) -> String? {
    guard encrypted.starts(with: Self.prefix.utf8),
      var plain = decrypted(Array(encrypted.dropFirst(Self.prefix.utf8.count)))
    else { return nil }
    if bindsHost {
      guard let digest = Self.digest(of: host), plain.starts(with: digest) else { return nil }
      plain.removeFirst(digest.count)
    }
    return String(validating: plain, as: UTF8.self)
  }

  private func decrypted(_ blocks: [UInt8]) -> [UInt8]? {
    guard let count = Int32(exactly: blocks.count), let context = EVP_CIPHER_CTX_new() else {
      return nil
    }
    defer { EVP_CIPHER_CTX_free(context) }
    let start = [UInt8](repeating: UInt8(ascii: " "), count: Self.blockByteCount)
    var plain = [UInt8](repeating: 0, count: blocks.count + Self.blockByteCount)
    var bodyCount: Int32 = 0
    var restCount: Int32 = 0
    let isComplete = plain.withUnsafeMutableBufferPointer { plain in
      EVP_DecryptInit_ex(context, EVP_aes_128_cbc(), nil, key, start) == 1
        && EVP_DecryptUpdate(context, plain.baseAddress, &bodyCount, blocks, count) == 1
        && EVP_DecryptFinal_ex(
          context, plain.baseAddress?.advanced(by: Int(bodyCount)), &restCount) == 1
    }
    return isComplete ? Array(plain.prefix(Int(bodyCount) + Int(restCount))) : nil
  }

  private static func digest(of host: String) -> [UInt8]? {
    let text = Array(host.utf8)
    var digest = [UInt8](repeating: 0, count: digestByteCount)
    var count: UInt32 = 0
    return EVP_Digest(text, text.count, &digest, &count, EVP_sha256(), nil) == 1 ? digest : nil
  }
}
