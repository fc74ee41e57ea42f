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
      // Without a transaction: on a damaged file, ending one fails after everything was read.
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
