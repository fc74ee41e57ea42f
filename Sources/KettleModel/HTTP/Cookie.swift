/// A cookie with the scope in which it is sent (RFC 6265, section 5.3).
public struct Cookie: Hashable, Sendable, Codable {
  public var name: String
  public var value: String
  /// In lower case, without a leading dot.
  public var domain: String
  /// Whether hosts below the domain get it too.
  public var includesSubdomains: Bool
  /// Begins with a slash.
  public var path: String
  /// Whether it is sent over https only.
  public var isSecure: Bool

  public init(
    name: String, value: String, domain: String, includesSubdomains: Bool = false,
    path: String = "/", isSecure: Bool = false
  ) {
    self.name = name
    self.value = value
    self.domain = domain
    self.includesSubdomains = includesSubdomains
    self.path = path
    self.isSecure = isSecure
  }

  /// The longest name and value together that browsers accept.
  public static let byteCountMax = 4096

  /// Whether it can be sent in a header: visible ASCII or other bytes above it, without a semicolon
  /// that would start another cookie.
  public var isUsable: Bool {
    let text = name + value
    return !name.isEmpty && !name.contains("=") && text.utf8.count <= Self.byteCountMax
      && text.utf8.allSatisfy { $0 >= 32 && $0 != 127 && $0 != UInt8(ascii: ";") }
  }

  /// Whether a request of the URL carries it (RFC 6265, section 5.4).
  public func belongs(to url: TransferURL) -> Bool {
    if isSecure, url.scheme != .https { return false }
    return isMatched(byHost: url.host) && isMatched(byPath: url.path)
  }

  /// Whether the host is in its domain. The host is in lower case.
  public func isMatched(byHost host: String) -> Bool {
    if host == domain { return true }
    // An address has no hosts below it.
    guard includesSubdomains, host.hasSuffix("." + domain) else { return false }
    return !host.hasSuffix("]") && !host.utf8.allSatisfy { (48...57).contains($0) || $0 == 46 }
  }

  private func isMatched(byPath requested: String) -> Bool {
    guard requested.hasPrefix(path) else { return false }
    return requested == path || path.hasSuffix("/") || requested.dropFirst(path.count).first == "/"
  }
}

/// A file of cookies in Netscape's format, which curl, wget and browser extensions write: seven
/// fields separated by tabs on each line.
public struct CookieFile: Hashable, Sendable {
  /// Those that have not expired.
  public private(set) var cookies: [Cookie] = []
  /// The numbers of the lines that are neither a cookie nor a comment; the first line is 1.
  public private(set) var unreadableLines: [Int] = []

  /// No cookie file is longer.
  public static let byteCountMax = 16 << 20

  /// Reads all lines.
  ///
  /// - Returns: nil if not one line is a cookie or a comment.
  public init?(_ text: String, at now: WallTime) {
    var isCookieFile = text.allSatisfy(\.isWhitespace)
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() {
      // Editors on some systems begin a text file with a byte order mark.
      let line = index == 0 && line.hasPrefix("\u{FEFF}") ? line.dropFirst() : line
      let httpOnly = "#HttpOnly_"
      let isHTTPOnly = line.hasPrefix(httpOnly)
      if line.allSatisfy(\.isWhitespace) { continue }
      if line.hasPrefix("#"), !isHTTPOnly {
        isCookieFile = true
        continue
      }
      guard let entry = Self.entry(isHTTPOnly ? line.dropFirst(httpOnly.count) : line) else {
        unreadableLines.append(index + 1)
        continue
      }
      isCookieFile = true
      if !entry.expiry.isOver(at: now) { cookies.append(entry.cookie) }
    }
    if !isCookieFile { return nil }
  }

  /// When a cookie expires.
  private enum Expiry {
    /// With the session of the browser, which is not over for a transfer.
    case withSession
    case secondsSince1970(Double)

    /// Browsers and their extensions write fractions, powers of ten, and numbers beyond any date;
    /// 0, -1 and nothing stand for the session.
    init?(_ text: Substring) {
      if text.isEmpty {
        self = .withSession
      } else if let seconds = Double(text), !seconds.isNaN {
        self = seconds > 0 ? .secondsSince1970(seconds) : .withSession
      } else {
        return nil
      }
    }

    func isOver(at now: WallTime) -> Bool {
      switch self {
      case .withSession: false
      case .secondsSince1970(let seconds): seconds <= Double(now.millisecondsSince1970 / 1000)
      }
    }
  }

  /// Domain, whether it includes subdomains, path, secure, expiry, name, value.
  private static func entry(_ line: Substring) -> (cookie: Cookie, expiry: Expiry)? {
    let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
    guard (6...7).contains(fields.count), let expiry = Expiry(fields[4]) else { return nil }
    let domain = fields[0].drop { $0 == "." }.lowercased()
    guard !domain.isEmpty else { return nil }
    let cookie = Cookie(
      name: String(fields[5]), value: fields.count > 6 ? String(fields[6]) : "",
      domain: domain, includesSubdomains: fields[1].uppercased() == "TRUE",
      path: fields[2].hasPrefix("/") ? String(fields[2]) : "/",
      isSecure: fields[3].uppercased() == "TRUE")
    return cookie.isUsable ? (cookie, expiry) : nil
  }
}

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
