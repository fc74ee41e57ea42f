import KettleModel

/// Where a redirect may lead, judged by its text: http and https only, never from https to http,
/// and not endlessly. The target's address is checked when the connection is opened
/// (`RedirectChain.minimumReach`).
package enum RedirectPolicy {
  package static let redirectCountMax = 20

  package enum Decision: Sendable, Hashable {
    case follow(TransferURL)
    case refuse(TransferFailure)
  }

  /// The request at the new location (RFC 9110, sections 15.4.2 to 15.4.9): a moved POST becomes a
  /// GET, as it always has; 303 leads to the outcome, which is fetched; 307 and 308 change nothing.
  package static func content(
    _ content: RequestContent?, after status: Int
  ) -> RequestContent? {
    switch status {
    case 301, 302: content?.method == "POST" ? nil : content
    case 303: content?.method == "HEAD" ? content : nil
    default: content
    }
  }

  /// User and password in the location are dropped: a server has none to give.
  package static func decide(
    location: String, from url: TransferURL, redirectCount: Int
  ) -> Decision {
    guard redirectCount < redirectCountMax else {
      let detail = "more than \(redirectCountMax) times"
      return .refuse(TransferFailure(.tooManyRedirects, on: url.text, detail: detail))
    }
    switch url.resolving(location) {
    case .failure:
      let detail = location.sanitizedForDisplay(limit: 100)
      return .refuse(TransferFailure(.redirectRefused, on: url.text, detail: detail))
    case .success(let parsed):
      // A server of files could be anyone's, and the user's keys and logins are at stake.
      guard parsed.url.scheme.family == .http else {
        let detail = "to \(parsed.url.scheme.rawValue)"
        return .refuse(TransferFailure(.redirectRefused, on: url.text, detail: detail))
      }
      if url.scheme == .https, parsed.url.scheme == .http {
        let detail = "from https to \(parsed.url.text)"
        return .refuse(TransferFailure(.redirectRefused, on: url.text, detail: detail))
      }
      return .follow(parsed.url)
    }
  }
}

/// The redirects that led to a URL. Each run begins with the chain of its source; a source keeps
/// the reach of those that have named it (`ChainedURL`), and nothing else of a chain is recorded.
package struct RedirectChain: Sendable, Hashable {
  package private(set) var count: Int
  /// Only addresses with at least this reach may be connected to: the reach of the farthest server
  /// that sent one of the redirects. The user's own URL may lead anywhere.
  package private(set) var minimumReach: NetworkReach

  init(count: Int, minimumReach: NetworkReach) {
    self.count = count
    self.minimumReach = minimumReach
  }

  /// No redirect yet on the way to a source.
  package init(to source: ChainedURL) {
    self.init(count: 0, minimumReach: source.minimumReach)
  }

  /// This chain plus a redirect from a server with this reach.
  func followed(by reach: NetworkReach) -> RedirectChain {
    RedirectChain(count: count + 1, minimumReach: max(minimumReach, reach))
  }

  /// The same for a connection that starts at the redirects' target, which may be redirected as
  /// often as any.
  var restarted: RedirectChain { RedirectChain(count: 0, minimumReach: minimumReach) }
}

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
