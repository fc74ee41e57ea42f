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
