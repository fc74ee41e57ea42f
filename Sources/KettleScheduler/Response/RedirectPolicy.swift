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
