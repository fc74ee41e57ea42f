import Foundation
import FoundationNetworking
import KettleModel

/// What the library wants to find again of a task, as the service keeps it
/// (`TaskOptions.programData`): JSON that nobody else reads.
struct ProgramData: Codable, Hashable, Sendable {
  /// Of this form. What another version wrote is not read but for what the service itself knows.
  static let currentVersion = 1

  var version = Self.currentVersion
  var url: String
  var method: String?
  /// Those of the request itself, without the session's.
  var headers: [String: String]?
  var timeout: TimeInterval?
  var description: String?
  var userInfo: Data?
  var clientExpectsToSend = NSURLSessionTransferSizeUnknown
  var clientExpectsToReceive = NSURLSessionTransferSizeUnknown
  /// It belongs to `URLSession.download(for:to:onConflict:)`, not to the delegate.
  var isAwaited = false

  init(request: URLRequest) {
    url = request.url?.absoluteString ?? ""
    method = request.httpMethod
    headers = request.allHTTPHeaderFields
    timeout = request.timeoutInterval
  }

  /// Reads what was kept; nil when another version wrote it.
  init?(kept text: String?) {
    guard let text, let data = try? JSONDecoder().decode(Self.self, from: Data(text.utf8)),
      data.version == Self.currentVersion
    else { return nil }
    self = data
  }

  /// As it is kept; nil when it is larger than the service allows.
  var kept: String? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(self), data.count <= TaskOptions.programDataByteCountMax
    else { return nil }
    return String(decoding: data, as: UTF8.self)
  }

  /// The request as it was made, less its body.
  var request: URLRequest? {
    guard let url = URL(string: url) else { return nil }
    var request = URLRequest(url: url)
    request.httpMethod = method
    request.allHTTPHeaderFields = headers
    if let timeout { request.timeoutInterval = timeout }
    return request
  }
}
