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
