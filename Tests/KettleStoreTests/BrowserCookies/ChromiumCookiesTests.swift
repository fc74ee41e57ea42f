import Foundation
import GRDB
import KettleModel
import Testing

@testable import KettleStore

extension BrowserProfile {
  /// The tables of Chromium since version 23, without the columns that decide nothing here.
  static func chromiumTables(version: Int = 24) -> String {
    """
    CREATE TABLE meta (key LONGVARCHAR NOT NULL UNIQUE PRIMARY KEY, value LONGVARCHAR);
    INSERT INTO meta VALUES ('version', '\(version)');
    CREATE TABLE cookies (
      creation_utc INTEGER NOT NULL DEFAULT 0, host_key TEXT NOT NULL,
      top_frame_site_key TEXT NOT NULL DEFAULT '', name TEXT NOT NULL, value TEXT NOT NULL,
      encrypted_value BLOB NOT NULL, path TEXT NOT NULL, expires_utc INTEGER NOT NULL,
      is_secure INTEGER NOT NULL, is_httponly INTEGER NOT NULL DEFAULT 0,
      last_access_utc INTEGER NOT NULL, has_expires INTEGER NOT NULL,
      is_persistent INTEGER NOT NULL DEFAULT 1);
    """
  }

  static let futureSince1601 = (future + 11_644_473_600) * 1_000_000

  static func chromiumRow(
    _ name: String, host: String = "example.org", value: String = "", encrypted: String = "",
    expires: Int64? = futureSince1601, isSecure: Bool = false, site: String = "",
    accessed: Int64 = 0
  ) -> String {
    """
    INSERT INTO cookies (host_key, top_frame_site_key, name, value, encrypted_value, path,
      expires_utc, has_expires, is_secure, last_access_utc)
    VALUES ('\(host)', '\(site)', '\(name)', '\(value)', x'\(encrypted)', '/', \(expires ?? 0),
      \(expires == nil ? 0 : 1), \(isSecure ? 1 : 0), \(accessed));
    """
  }

  /// "secret", encrypted with `openssl enc -aes-128-cbc`, with `v10` before it.
  static let secret = "7631305c865d54c5041625114957bacfe96faf"
  /// The same behind the SHA-256 of ".example.org".
  static let boundSecret =
    "763130997a768d3761d0d1794ad96ed756c2d2e579b437c49fef1635f87eaa2a88d73a58a0a2beb94f33121a0b57"
    + "c6214470d5"
}

@Suite struct ChromiumCookiesTests {
  @Test func `a row becomes a cookie with its scope`() throws {
    let profile = try BrowserProfile()
    try profile.write(
      BrowserProfile.chromiumTables()
        + BrowserProfile.chromiumRow("site", host: ".example.org", value: "s", accessed: 2)
        + BrowserProfile.chromiumRow("host", value: "h", isSecure: true, accessed: 1))
    let found = try profile.read()
    #expect(
      found.cookies == [
        Cookie(name: "site", value: "s", domain: "example.org", includesSubdomains: true),
        Cookie(name: "host", value: "h", domain: "example.org", isSecure: true),
      ])
    #expect(found.encrypted == [])
  }

  @Test func `expired and partitioned cookies are left out`() throws {
    let profile = try BrowserProfile()
    let now = (BrowserProfile.now + 11_644_473_600) * 1_000_000
    try profile.write(
      BrowserProfile.chromiumTables()
        + BrowserProfile.chromiumRow("past", value: "v", expires: now)
        + BrowserProfile.chromiumRow("partition", value: "v", site: "https://a.org")
        + BrowserProfile.chromiumRow("past encrypted", encrypted: "763131AA", expires: 1)
        + BrowserProfile.chromiumRow("session", value: "v", expires: nil))
    let found = try profile.read()
    #expect(found.cookies.map(\.name) == ["session"])
    #expect(found.encrypted == [])
  }

  @Test func `the expiry is read in microseconds since 1601`() {
    #expect(
      ChromiumCookies.expiry(13_442_608_800_000_000).millisecondsSince1970 == 1_798_135_200_000)
    #expect(ChromiumCookies.expiry(0).millisecondsSince1970 == -11_644_473_600_000)
    #expect(ChromiumCookies.expiry(.min).millisecondsSince1970 < 0)
  }

  @Test func `values encrypted with the public key are decrypted`() throws {
    let profile = try BrowserProfile()
    try profile.write(
      BrowserProfile.chromiumTables(version: 23)
        + BrowserProfile.chromiumRow("k", encrypted: BrowserProfile.secret))
    #expect(try profile.read().cookies.map(\.value) == ["secret"])
  }

  @Test func `since version 24 a value belongs to its host`() throws {
    let profile = try BrowserProfile()
    try profile.write(
      BrowserProfile.chromiumTables()
        + BrowserProfile.chromiumRow(
          "k", host: ".example.org", encrypted: BrowserProfile.boundSecret)
        + BrowserProfile.chromiumRow(
          "moved", host: ".example.com", encrypted: BrowserProfile.boundSecret)
        + BrowserProfile.chromiumRow("bare", encrypted: BrowserProfile.secret))
    let found = try profile.read()
    #expect(
      found.cookies == [
        Cookie(name: "k", value: "secret", domain: "example.org", includesSubdomains: true)
      ])
    #expect(Set(found.encrypted.map(\.name)) == ["moved", "bare"])
  }

  @Test(arguments: ["763131AABB", "763130", "763130AABB", "AA", BrowserProfile.secret + "AA"])
  func `values encrypted otherwise are listed without a value`(_ encrypted: String) throws {
    let profile = try BrowserProfile()
    try profile.write(
      BrowserProfile.chromiumTables(version: 23)
        + BrowserProfile.chromiumRow("k", host: ".example.org", encrypted: encrypted))
    let found = try profile.read()
    #expect(found.cookies == [])
    #expect(
      found.encrypted == [
        Cookie(name: "k", value: "", domain: "example.org", includesSubdomains: true)
      ])
  }
}
