import Foundation
import FoundationNetworking
import KettleModel

/// The response of a server to a task.
///
/// The superclass suggests a name only if the server sent one. This class has the name that the
/// service chose, from the response or from its URL.
// Unchecked like its superclass; its own property is a constant.
final class TaskResponse: HTTPURLResponse, @unchecked Sendable {
  private let name: String?

  init?(reply: ServerReply) {
    guard let url = URL(string: reply.url) else { return nil }
    name = reply.suggestedName
    super.init(
      url: url, statusCode: reply.status, httpVersion: "HTTP/1.1",
      headerFields: Self.merged(reply.headers))
  }

  required init?(coder: NSCoder) {
    name = coder.decodeObject(of: NSString.self, forKey: Self.nameKey) as String?
    super.init(coder: coder)
  }

  override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    coder.encode(name as NSString?, forKey: Self.nameKey)
  }

  private static let nameKey = "KettleSuggestedFilename"

  override var suggestedFilename: String? { name ?? super.suggestedFilename }

  /// Repeated fields form one list (RFC 9110, section 5.3). The first spelling of a name stays.
  private static func merged(_ fields: [HeaderField]) -> [String: String] {
    var names: [String: String] = [:]
    return fields.reduce(into: [:]) { headers, field in
      let key = field.name.lowercased()
      let name = names[key] ?? field.name
      names[key] = name
      headers[name] = headers[name].map { $0 + ", " + field.value } ?? field.value
    }
  }
}

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

/// What the library needs to restore a task, as the service stores it (`TaskOptions.programData`):
/// JSON that only this library reads.
struct ProgramData: Codable, Hashable, Sendable {
  /// The version of this form. Data of another version is ignored; the service's own data remains.
  static let currentVersion = 1

  var version = Self.currentVersion
  var url: String
  var method: String?
  /// The headers of the request itself, without the session's.
  var headers: [String: String]?
  var timeout: TimeInterval?
  var description: String?
  var userInfo: Data?
  var clientExpectsToSend = NSURLSessionTransferSizeUnknown
  var clientExpectsToReceive = NSURLSessionTransferSizeUnknown
  /// The task belongs to `URLSession.download(for:to:onConflict:)`, not to the delegate.
  var isAwaited = false
  /// nil for true.
  var handlesCookies: Bool?
  var mainDocumentURL: String?
  /// Whether the storage of the session has the cookies of the response; nil for false.
  var hasStoredCookies: Bool?

  /// - Parameter request: nil for a task that the service never gets.
  init(request: URLRequest?) {
    url = request?.url?.absoluteString ?? ""
    method = request?.httpMethod
    headers = request?.allHTTPHeaderFields
    timeout = request?.timeoutInterval
    handlesCookies = request?.httpShouldHandleCookies == false ? false : nil
    mainDocumentURL = request?.mainDocumentURL?.absoluteString
  }

  /// Decodes stored data; nil when another version wrote it.
  init?(kept text: String?) {
    guard let text, let data = try? JSONDecoder().decode(Self.self, from: Data(text.utf8)),
      data.version == Self.currentVersion
    else { return nil }
    self = data
  }

  /// The encoded data; nil when it exceeds the limit of the service.
  var kept: String? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(self), data.count <= TaskOptions.programDataByteCountMax
    else { return nil }
    return String(decoding: data, as: UTF8.self)
  }

  /// The request as the program made it, without its body.
  var request: URLRequest? {
    guard let url = URL(string: url) else { return nil }
    var request = URLRequest(url: url)
    request.httpMethod = method
    request.allHTTPHeaderFields = headers
    if let timeout { request.timeoutInterval = timeout }
    request.httpShouldHandleCookies = handlesCookies ?? true
    request.mainDocumentURL = mainDocumentURL.flatMap(URL.init(string:))
    return request
  }
}
