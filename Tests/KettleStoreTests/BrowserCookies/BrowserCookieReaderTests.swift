import Foundation
import Glibc
import GRDB
import KettleModel
import SeededNumbers
import Testing

@testable import KettleStore

@Suite struct BrowserCookieReaderTests {
  /// What the profile contains, to see that reading changes nothing.
  private func contents(_ profile: BrowserProfile) throws -> [String: [UInt8]] {
    let names = try profile.names(in: profile.directory)
    return try Dictionary(
      uniqueKeysWithValues: names.map {
        ($0, try profile.scratch.bytes(profile.directory + "/" + $0))
      })
  }

  @Test(arguments: ["NORMAL", "EXCLUSIVE"])
  func `what a running browser has only in its log is read`(_ lockingMode: String) throws {
    let profile = try BrowserProfile()
    try profile.write(BrowserProfile.firefoxTable + BrowserProfile.firefoxRow("old"))
    let browser = try profile.connection()
    try browser.inDatabase { db in
      try db.execute(
        sql: "PRAGMA locking_mode = \(lockingMode); PRAGMA journal_mode = WAL;"
          + BrowserProfile.firefoxRow("new"))
    }
    let before = try contents(profile)
    #expect(before["cookies.sqlite-wal"]?.isEmpty == false)
    #expect(Set(try profile.read().cookies.map(\.name)) == ["old", "new"])
    #expect(try contents(profile) == before)
    try browser.close()
  }

  @Test func `an unfinished change of a running browser is rolled back in the copy`() throws {
    let profile = try BrowserProfile()
    let rows = (0..<200).map { BrowserProfile.firefoxRow("name\($0)") }.joined()
    try profile.write(BrowserProfile.firefoxTable + rows)
    let browser = try profile.connection()
    try browser.inDatabase { db in
      // So small a cache writes to the file before the commit.
      try db.execute(
        sql: """
          PRAGMA cache_size = 2; PRAGMA cache_spill = 1; BEGIN EXCLUSIVE;
          UPDATE moz_cookies SET value = 'changed' || hex(zeroblob(500));
          """)
      #expect(try contents(profile)["cookies.sqlite-journal"]?.isEmpty == false)
      let values = try profile.read().cookies.map(\.value)
      #expect(values == [String](repeating: "v", count: 200))
      try db.execute(sql: "ROLLBACK")
    }
    try browser.close()
  }

  @Test func `a symbolic link leads to the log too, and no copy is left`() throws {
    let profile = try BrowserProfile()
    let browser = try profile.connection()
    try browser.inDatabase { db in
      try db.execute(
        sql: "PRAGMA journal_mode = WAL;" + BrowserProfile.firefoxTable
          + BrowserProfile.firefoxRow("new"))
    }
    let link = profile.scratch.root + "/link"
    #expect(symlink(profile.path, link) == 0)
    let found = try BrowserCookieReader.read(
      BrowserCookieRequest(
        path: link, temporaryDirectory: profile.temporaryDirectory,
        now: WallTime(millisecondsSince1970: 0)))
    #expect(found.cookies.map(\.name) == ["new"])
    #expect(try profile.names(in: profile.temporaryDirectory) == [])
    try browser.close()
  }

  @Test func `a database of something else is refused`() throws {
    let tables = [
      "CREATE TABLE cookies (name TEXT, crumbs INTEGER)",
      "CREATE VIEW moz_cookies AS SELECT 1 AS name",
      "CREATE TABLE t (a)",
    ]
    for table in tables {
      let profile = try BrowserProfile()
      try profile.write(table)
      #expect(try profile.problem() == .unknownFormat)
    }
  }

  @Test func `a damaged database is refused`() throws {
    let profile = try BrowserProfile()
    let rows = (0..<500).map { BrowserProfile.firefoxRow("name\($0)") }.joined()
    try profile.write(BrowserProfile.firefoxTable + rows)
    var bytes = try profile.scratch.bytes(profile.path)
    for index in bytes.indices.dropFirst(4096) { bytes[index] = 0xA5 }
    try profile.scratch.put(bytes, profile.path)
    guard case .damaged = try profile.problem() else {
      Issue.record("not reported as damaged")
      return
    }
    #expect(try profile.names(in: profile.temporaryDirectory) == [])
    try profile.scratch.put(Array("SQLite format 3\u{0}".utf8), profile.path)
    guard case .damaged = try profile.problem() else {
      Issue.record("not reported as damaged")
      return
    }
  }

  @Test func `a missing, special or too large file is refused`() throws {
    let profile = try BrowserProfile()
    #expect(try profile.problem() == .unreadable(detail: "No such file or directory"))
    #expect(mkfifo(profile.path, 0o600) == 0)
    #expect(try profile.problem() == .unreadable(detail: "it is not a regular file"))
    unlink(profile.path)
    try profile.write(BrowserProfile.firefoxTable)
    #expect(throws: BrowserCookieProblem.tooLarge(byteCountMax: 1 << 10)) {
      _ = try profile.read(byteCountMax: 1 << 10)
    }
    rmdir(profile.temporaryDirectory)
    #expect(
      try profile.problem()
        == .notCopied(
          directory: profile.temporaryDirectory, detail: "No such file or directory"))
  }

  @Test func `the copy is private`() throws {
    let profile = try BrowserProfile()
    try profile.write(BrowserProfile.firefoxTable)
    try DatabaseCopy.with(profile.path, in: profile.temporaryDirectory, byteCountMax: 1 << 20) {
      copy in
      let directory = String(copy.dropLast("/cookies".count))
      #expect(StoreScratch.mode(of: directory) == 0o700)
      #expect(StoreScratch.mode(of: copy) == 0o600)
    }
  }

  @Test func `of too many cookies those used last are read`() throws {
    let profile = try BrowserProfile()
    try profile.write(
      BrowserProfile.firefoxTable + """
        WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number LIMIT 20002)
        INSERT INTO moz_cookies (name, value, host, path, expiry, lastAccessed, isSecure)
        SELECT n, 'v', 'example.org', '/', \(BrowserProfile.future), n, 0 FROM number;
        """)
    let names = try profile.read().cookies.map(\.name)
    #expect(names.count == CookieTable.rowCountMax)
    #expect(names.first == "20002")
    #expect(names.last == "3")
  }

  @Test func `edited databases give cookies or a problem`() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var generator = SeededGenerator(seed: seed)
    for table in CookieTable.allCases {
      let profile = try BrowserProfile()
      switch table {
      case .firefox:
        try profile.write(
          BrowserProfile.firefoxTable
            + (0..<40).map { BrowserProfile.firefoxRow("n\($0)") }.joined())
      case .chromium:
        try profile.write(
          BrowserProfile.chromiumTables()
            + (0..<40).map {
              BrowserProfile.chromiumRow(
                "n\($0)", host: ".example.org", encrypted: BrowserProfile.boundSecret)
            }.joined())
      }
      let sound = try profile.scratch.bytes(profile.path)
      for round in 0..<60 {
        var bytes = sound
        for _ in 0..<Int.random(in: 1...30, using: &generator) {
          bytes[Int.random(in: bytes.indices, using: &generator)] =
            UInt8.random(in: 0...255, using: &generator)
        }
        try profile.scratch.put(bytes, profile.path)
        let count: Int
        do throws(BrowserCookieProblem) {
          let found = try profile.read()
          count = found.cookies.count + found.encrypted.count
        } catch {
          count = 0
        }
        #expect(count <= 1000, "seed \(seed), \(table), round \(round)")
        #expect(
          try profile.names(in: profile.temporaryDirectory) == [],
          "seed \(seed), \(table), round \(round)")
      }
    }
  }
}
