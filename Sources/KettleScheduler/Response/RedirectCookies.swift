import KettleModel

/// The cookies that servers set while they redirect, each for the origin that set it.
///
/// A server that hands out a file only to those who return its cookie redirects to itself. Other
/// origins get none, whatever `Domain` says.
struct RedirectCookies: Sendable, Hashable {
  private struct Entry: Sendable, Hashable {
    var origin: Origin
    var cookie: Cookie
  }

  /// The oldest is forgotten for one more.
  static let countMax = 50

  private var entries: [Entry] = []

  /// Reads the `Set-Cookie` headers of a response (RFC 6265, section 5.2).
  mutating func receive(_ head: ResponseHead, from url: TransferURL) {
    for line in head.values(of: "Set-Cookie") {
      guard let set = SetCookie(line, from: url) else { continue }
      entries.removeAll {
        $0.origin == url.origin && $0.cookie.name == set.cookie.name
          && $0.cookie.path == set.cookie.path
      }
      if set.isRemoved { continue }
      if entries.count == Self.countMax { entries.removeFirst() }
      entries.append(Entry(origin: url.origin, cookie: set.cookie))
    }
  }

  /// The cookies for a request, each as `NAME=VALUE`.
  func pairs(for url: TransferURL) -> [String] {
    entries.filter { $0.origin == url.origin && $0.cookie.belongs(to: url) }.map(\.cookie.pair)
  }
}

/// One `Set-Cookie` header.
private struct SetCookie {
  var cookie: Cookie
  /// Whether the server removes the cookie with it.
  var isRemoved = false

  /// Returns nil if it is malformed. `Domain` and `Expires` have no meaning within one chain.
  init?(_ line: String, from url: TransferURL) {
    let parts = line.split(separator: ";", omittingEmptySubsequences: false).map(\.trimmed)
    guard let pair = parts.first, let equals = pair.firstIndex(of: "=") else { return nil }
    cookie = Cookie(
      name: String(pair[..<equals].trimmed), value: String(pair[equals...].dropFirst().trimmed),
      domain: url.host, path: Self.directory(of: url.path))
    guard cookie.isUsable else { return nil }
    for part in parts.dropFirst() {
      let attribute = part.split(separator: "=", maxSplits: 1).map(\.trimmed)
      guard let name = attribute.first?.lowercased() else { continue }
      let value = attribute.count > 1 ? String(attribute[1]) : ""
      switch name {
      case "path": if value.hasPrefix("/") { cookie.path = value }
      case "secure": cookie.isSecure = true
      case "max-age": isRemoved = value.hasPrefix("-") || value == "0"
      default: break
      }
    }
  }

  /// The path of a cookie that names none (RFC 6265, section 5.1.4).
  private static func directory(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return "/" }
    return String(path[..<slash])
  }
}

extension Cookie {
  /// As a header contains it.
  var pair: String { name + "=" + value }
}
