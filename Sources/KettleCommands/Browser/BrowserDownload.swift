import KettleAria2
import KettleModel

/// A download that the browser hands over, with what its server has to see.
///
/// What the browser sends may originate from a web page. It chooses the URL and one name, and
/// neither a directory nor an option.
struct BrowserDownload: Hashable, Sendable {
  let spec: TransferSpec

  /// Throws if there is no URL to download. Leaves out what cannot be used otherwise: the server
  /// then decides about the name, and about a request without the header.
  init(_ object: [String: RPCValue]) throws(BrowserRequest.Problem) {
    guard let text = object["url"]?.text else { throw .property("url") }
    let parsed: TransferURL.Parsed
    switch TransferURL.parse(text) {
    case .success(let success): parsed = success
    case .failure(let problem): throw .url(text, problem)
    }
    var spec = TransferSpec(url: parsed.url)
    spec.login = parsed.login
    spec.name = object["name"]?.text.flatMap { FileName(foreign: $0) }
    if object["isPaused"] == .boolean(true) { spec.beginning = .paused }
    if parsed.url.scheme.family == .http {
      spec.headers = [
        object["referrer"]?.text.flatMap(Self.referrer),
        object["userAgent"]?.text.flatMap(Self.userAgent),
      ].compactMap(\.self)
      let cookies = object["cookies"]?.list ?? []
      spec.options.cookies = Array(
        cookies.lazy.compactMap(\.object).compactMap(Self.cookie)
          .prefix(TransferOptions.cookieCountMax))
    }
    self.spec = spec
  }

  /// Without the login and the fragment, which are never sent (RFC 9110, section 10.1.3).
  private static func referrer(_ text: String) -> HeaderField? {
    guard case .success(let page) = TransferURL.parse(text), page.url.scheme.family == .http else {
      return nil
    }
    return HeaderField(name: "Referer", value: page.url.text)
  }

  private static let userAgentByteCountMax = 1024

  private static func userAgent(_ text: String) -> HeaderField? {
    guard !text.isEmpty, text.utf8.count <= userAgentByteCountMax else { return nil }
    return HeaderField(name: "User-Agent", value: text)
  }

  /// Reads a cookie as the browsers' `cookies.Cookie`.
  private static func cookie(_ object: [String: RPCValue]) -> Cookie? {
    guard let name = object["name"]?.text, let value = object["value"]?.text,
      var domain = object["domain"]?.text?.lowercased()
    else { return nil }
    if domain.hasPrefix(".") { domain.removeFirst() }
    guard !domain.isEmpty else { return nil }
    let path = object["path"]?.text ?? "/"
    let cookie = Cookie(
      name: name, value: value, domain: domain,
      includesSubdomains: object["hostOnly"] == .boolean(false),
      path: path.hasPrefix("/") ? path : "/", isSecure: object["secure"] != .boolean(false))
    return cookie.isUsable ? cookie : nil
  }
}
