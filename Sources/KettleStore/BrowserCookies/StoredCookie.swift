import KettleModel

/// A cookie as a browser's table holds it.
struct StoredCookie: Hashable {
  /// A host, or a domain after a dot: both browsers mark a cookie with a `Domain` that way.
  var host: String
  var name: String
  /// nil if it is encrypted and cannot be decrypted.
  var value: String?
  var path: String
  var isSecure: Bool
  /// nil for the session of the browser.
  var expiresAt: WallTime?

  /// Whether it is sent at a time.
  func isValid(at now: WallTime) -> Bool { expiresAt.map { $0 > now } ?? true }

  /// The cookie, with an empty value if that is encrypted. nil if no request can carry it.
  var cookie: Cookie? {
    let isDomain = host.hasPrefix(".")
    let domain = (isDomain ? String(host.dropFirst()) : host).lowercased()
    let cookie = Cookie(
      name: name, value: value ?? "", domain: domain, includesSubdomains: isDomain,
      path: path.hasPrefix("/") ? path : "/", isSecure: isSecure)
    return domain.isEmpty || !cookie.isUsable ? nil : cookie
  }
}

extension BrowserCookies {
  /// Sorts the cookies into the readable and the encrypted. The expired are left out.
  init(_ stored: [StoredCookie], at now: WallTime) {
    self.init()
    for row in stored where row.isValid(at: now) {
      guard let cookie = row.cookie else { continue }
      if row.value == nil { encrypted.append(cookie) } else { cookies.append(cookie) }
    }
  }
}
