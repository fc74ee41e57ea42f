/// The cookies in a browser's database that a plain request of a host would send.
public struct BrowserCookies: Hashable, Sendable {
  public var cookies: [Cookie]
  /// Cookies whose values are encrypted with a key that is not in the database. Their values are
  /// empty here.
  public var encrypted: [Cookie]

  public init(cookies: [Cookie] = [], encrypted: [Cookie] = []) {
    self.cookies = cookies
    self.encrypted = encrypted
  }
}

/// Which database to read the cookies from.
public struct BrowserCookieRequest: Hashable, Sendable {
  /// The database; absolute.
  public var path: String
  /// Where the database may be copied to: the browser may be writing to it.
  public var temporaryDirectory: String
  /// Cookies that have expired by this time are left out.
  public var now: WallTime

  public init(path: String, temporaryDirectory: String, now: WallTime) {
    self.path = path
    self.temporaryDirectory = temporaryDirectory
    self.now = now
  }
}

/// Why the cookies of a database cannot be read.
public enum BrowserCookieProblem: Error, Hashable, Sendable {
  /// It is neither Firefox's nor Chromium's, or of a version whose tables are different.
  case unknownFormat
  case damaged(detail: String)
  case tooLarge(byteCountMax: Int64)
  /// It was changed during each attempt to copy it.
  case changing
  case unreadable(detail: String)
  case notCopied(directory: String, detail: String)
}
