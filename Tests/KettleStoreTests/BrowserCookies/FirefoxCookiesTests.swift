import Foundation
import GRDB
import KettleModel
import Testing

@testable import KettleStore

extension BrowserProfile {
  /// The table of Firefox 104 and later.
  static let firefoxTable = """
    CREATE TABLE moz_cookies (
      id INTEGER PRIMARY KEY, originAttributes TEXT NOT NULL DEFAULT '', name TEXT, value TEXT,
      host TEXT, path TEXT, expiry INTEGER, lastAccessed INTEGER, creationTime INTEGER,
      isSecure INTEGER, isHttpOnly INTEGER, inBrowserElement INTEGER DEFAULT 0,
      sameSite INTEGER DEFAULT 0, rawSameSite INTEGER DEFAULT 0, schemeMap INTEGER DEFAULT 0,
      CONSTRAINT moz_uniqueid UNIQUE (name, host, path, originAttributes));
    """

  static func firefoxRow(
    _ name: String, host: String = "example.org", path: String = "/", expiry: Int64 = future,
    isSecure: Bool = false, attributes: String = "", accessed: Int64 = 0
  ) -> String {
    """
    INSERT INTO moz_cookies (originAttributes, name, value, host, path, expiry, lastAccessed, isSecure)
    VALUES ('\(attributes)', '\(name)', 'v', '\(host)', '\(path)', \(expiry), \(accessed),
      \(isSecure ? 1 : 0));
    """
  }
}

@Suite struct FirefoxCookiesTests {
  @Test func `a row becomes a cookie with its scope`() throws {
    let profile = try BrowserProfile()
    try profile.write(
      BrowserProfile.firefoxTable
        + BrowserProfile.firefoxRow("site", host: ".Example.org", path: "/a", accessed: 2)
        + BrowserProfile.firefoxRow("host", isSecure: true, accessed: 1))
    #expect(
      try profile.read().cookies == [
        Cookie(
          name: "site", value: "v", domain: "example.org", includesSubdomains: true, path: "/a"),
        Cookie(name: "host", value: "v", domain: "example.org", isSecure: true),
      ])
  }

  @Test func `expired cookies and those of containers are left out`() throws {
    let profile = try BrowserProfile()
    try profile.write(
      BrowserProfile.firefoxTable
        + BrowserProfile.firefoxRow("past", expiry: BrowserProfile.now)
        + BrowserProfile.firefoxRow("pastMilliseconds", expiry: BrowserProfile.now * 1000)
        + BrowserProfile.firefoxRow("negative", expiry: .min)
        + BrowserProfile.firefoxRow("container", attributes: "^userContextId=2")
        + BrowserProfile.firefoxRow("partition", attributes: "^partitionKey=%28https%2Ca.org%29")
        + BrowserProfile.firefoxRow("milliseconds", expiry: BrowserProfile.future * 1000)
        + BrowserProfile.firefoxRow("kept"))
    #expect(Set(try profile.read().cookies.map(\.name)) == ["milliseconds", "kept"])
  }

  @Test func `the expiry is read in seconds and in milliseconds`() {
    #expect(FirefoxCookies.expiry(1_798_135_200).millisecondsSince1970 == 1_798_135_200_000)
    #expect(FirefoxCookies.expiry(1_798_135_200_123).millisecondsSince1970 == 1_798_135_200_123)
    #expect(FirefoxCookies.expiry(.max).millisecondsSince1970 == .max)
    #expect(FirefoxCookies.expiry(.min).millisecondsSince1970 == 0)
  }

  @Test func `rows that no request can carry are skipped`() throws {
    let profile = try BrowserProfile()
    let insert = """
      INSERT INTO moz_cookies (name, value, host, path, expiry, lastAccessed, isSecure)
      VALUES (?, ?, ?, ?, ?, 0, 0)
      """
    try profile.write(BrowserProfile.firefoxTable + BrowserProfile.firefoxRow("kept"))
    let future = BrowserProfile.future
    let rows: [StatementArguments] = [
      ["empty", nil, "example.org", "/", future],
      ["semicolon", "a;b", "example.org", "/", future],
      ["", "v", "example.org", "/", future],
      ["nowhere", "v", "", "/", future],
      ["dot", "v", ".", "/", future],
      ["soon", "v", "example.org", "/", "soon"],
      ["long", String(repeating: "v", count: 5000), "example.org", "/", future],
      ["hidden", "v", "example.org", "/", future],
      ["bytes", Data([0xFF, 0xFE]), "example.org", "/", future],
    ]
    for row in rows { try profile.write(insert, row) }
    try profile.write(
      """
      UPDATE moz_cookies SET value = 'v' || char(0) || hex(zeroblob(2500)) WHERE name = 'hidden'
      """)
    #expect(try profile.read().cookies.map(\.name) == ["kept"])
  }

  @Test func `a table from before containers is read`() throws {
    let profile = try BrowserProfile()
    try profile.write(
      """
      CREATE TABLE moz_cookies (id INTEGER PRIMARY KEY, baseDomain TEXT, name TEXT, value TEXT,
        host TEXT, path TEXT, expiry INTEGER, lastAccessed INTEGER, creationTime INTEGER,
        isSecure INTEGER, isHttpOnly INTEGER);
      INSERT INTO moz_cookies (name, value, host, path, expiry, lastAccessed, isSecure)
      VALUES ('old', 'v', 'example.org', '/', \(BrowserProfile.future), 0, 0);
      """)
    #expect(try profile.read().cookies.map(\.name) == ["old"])
  }
}
