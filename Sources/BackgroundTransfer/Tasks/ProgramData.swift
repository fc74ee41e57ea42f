import Foundation
import FoundationNetworking
import KettleModel

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
