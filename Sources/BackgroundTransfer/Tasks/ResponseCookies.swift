import Foundation
import FoundationNetworking
import KettleModel

/// The cookies that a server sets with the response to a task.
struct ResponseCookies: Sendable {
  private let cookies: [HTTPCookie]
  private let url: URL
  private let mainDocumentURL: URL?

  /// nil for a response without cookies, and for a request that does not handle them.
  init?(reply: ServerReply, request: URLRequest) {
    guard request.httpShouldHandleCookies, let url = URL(string: reply.url) else { return nil }
    // One by one, because a list of several cannot be divided again (RFC 6265, section 3).
    cookies = reply.headers.filter { $0.name.lowercased() == "set-cookie" }.flatMap {
      HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": $0.value], for: url)
    }
    guard !cookies.isEmpty else { return nil }
    self.url = url
    mainDocumentURL = request.mainDocumentURL
  }

  /// Stores what the policies of the configuration and of its storage accept.
  func store(in configuration: URLSessionConfiguration.Values) {
    switch configuration.httpCookieAcceptPolicy {
    case .never: return
    case .always: break
    case .onlyFromMainDocumentDomain:
      guard isOfMainDocument else { return }
    @unknown default: return
    }
    configuration.httpCookieStorage.storage(shared: .shared)?
      .setCookies(cookies, for: url, mainDocumentURL: mainDocumentURL)
  }

  /// Whether the host is the one of the main document, or a domain above it. A request without a
  /// main document is its own.
  private var isOfMainDocument: Bool {
    guard let main = mainDocumentURL?.host?.lowercased() else { return true }
    guard let host = url.host?.lowercased() else { return false }
    return main == host || main.hasSuffix("." + host)
  }
}
