/// A file of cookies in Netscape's format, which curl, wget and browser extensions write: seven
/// fields separated by tabs on each line.
public enum CookieFile {
  /// Reads the cookies that have not expired. Lines that are no cookies are skipped, as curl does.
  ///
  /// - Returns: nil if not one line is a cookie or a comment.
  public static func cookies(in text: String, at now: WallTime) -> [Cookie]? {
    var cookies: [Cookie] = []
    var isCookieFile = text.allSatisfy(\.isWhitespace)
    for line in text.split(whereSeparator: \.isNewline) {
      let httpOnly = "#HttpOnly_"
      let isHTTPOnly = line.hasPrefix(httpOnly)
      if line.hasPrefix("#"), !isHTTPOnly {
        isCookieFile = true
        continue
      }
      guard let entry = entry(isHTTPOnly ? line.dropFirst(httpOnly.count) : line) else { continue }
      isCookieFile = true
      if entry.expiresAt == 0 || entry.expiresAt > now.millisecondsSince1970 / 1000 {
        cookies.append(entry.cookie)
      }
    }
    return isCookieFile ? cookies : nil
  }

  /// Domain, whether it includes subdomains, path, secure, expiry in seconds since 1970 (0 for the
  /// session), name, value.
  private static func entry(_ line: Substring) -> (cookie: Cookie, expiresAt: Int64)? {
    let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
    guard (6...7).contains(fields.count), let expiresAt = Int64(fields[4]), !fields[0].isEmpty
    else {
      return nil
    }
    let domain = fields[0].lowercased()
    let cookie = Cookie(
      name: String(fields[5]), value: fields.count > 6 ? String(fields[6]) : "",
      domain: domain.hasPrefix(".") ? String(domain.dropFirst()) : domain,
      includesSubdomains: fields[1].uppercased() == "TRUE",
      path: fields[2].hasPrefix("/") ? String(fields[2]) : "/",
      isSecure: fields[3].uppercased() == "TRUE")
    return cookie.isUsable ? (cookie, expiresAt) : nil
  }
}
