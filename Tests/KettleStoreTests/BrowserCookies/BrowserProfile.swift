import Foundation
import Glibc
import GRDB
import KettleModel
import Testing

@testable import KettleStore

/// The profile of a browser, with a database that the tests fill.
struct BrowserProfile {
  let scratch: StoreScratch
  var directory: String { scratch.root + "/profile" }
  var path: String { directory + "/cookies.sqlite" }
  /// Where the reader makes its copy.
  var temporaryDirectory: String { scratch.root + "/temporary" }

  /// 2026-12-24T18:00:00Z
  static let now: Int64 = 1_798_135_200
  static let future = now + 1000

  init() throws {
    scratch = try StoreScratch(in: StoreScratch.inMemory)
    for directory in [directory, temporaryDirectory] { try #require(mkdir(directory, 0o700) == 0) }
  }

  /// The connection of the browser.
  func connection() throws -> DatabaseQueue { try DatabaseQueue(path: path) }

  /// Runs statements as the browser, which is closed afterwards.
  func write(_ sql: String, _ arguments: StatementArguments = []) throws {
    let browser = try connection()
    try browser.inDatabase { try $0.execute(sql: sql, arguments: arguments) }
    try browser.close()
  }

  func read(byteCountMax: Int64 = BrowserCookieReader.byteCountMax) throws(BrowserCookieProblem)
    -> BrowserCookies
  {
    try BrowserCookieReader.read(
      BrowserCookieRequest(
        path: path, temporaryDirectory: temporaryDirectory,
        now: WallTime(millisecondsSince1970: Self.now * 1000)), byteCountMax: byteCountMax)
  }

  /// The problem of a reading that must fail.
  func problem() throws -> BrowserCookieProblem {
    try #require(throws: BrowserCookieProblem.self) { _ = try read() }
  }

  func names(in directory: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
  }
}
