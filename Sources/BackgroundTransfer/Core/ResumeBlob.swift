import Foundation
import FoundationNetworking
import KettleModel
import KettleSystem

/// Identifies the bytes of a file that the service keeps, with what a start from zero needs when
/// they are gone. Resume data contains it as JSON.
struct ResumeBlob: Codable, Hashable, Sendable {
  static let currentVersion = 1
  /// Distinguishes resume data from other JSON.
  static let kind = "kettle-resume-data"

  var kind = Self.kind
  var version = Self.currentVersion
  var token: ResumeToken
  var request: ProgramData
  var destination: String?
  var onConflict: String?

  init(token: ResumeToken, handle: TaskHandle) {
    self.token = token
    var request = handle.values.withLock { $0.data }
    request.isAwaited = false
    self.request = request
    destination = handle.destination?.path
    onConflict = handle.onConflict.rawValue
  }

  /// Decodes the JSON; nil for other data and for another version.
  init?(json: Data) {
    guard let blob = try? JSONDecoder().decode(Self.self, from: json), blob.kind == Self.kind,
      blob.version == Self.currentVersion
    else { return nil }
    self = blob
  }

  /// Never nil in practice: the value contains only strings and numbers.
  var json: String? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) }
  }
}

/// Resume data: a property list with the keys that Apple's systems use, for programs that inspect
/// it, and with a `ResumeBlob`, the only part that this library reads.
enum ResumePropertyList {
  /// The keys of version 2, in which the file has a name and no path.
  private enum Key {
    static let version = "NSURLSessionResumeInfoVersion"
    static let url = "NSURLSessionDownloadURL"
    static let byteCount = "NSURLSessionResumeBytesReceived"
    static let originalRequest = "NSURLSessionResumeOriginalRequest"
    static let currentRequest = "NSURLSessionResumeCurrentRequest"
    static let fileName = "NSURLSessionResumeInfoTempFileName"
    static let entityTag = "NSURLSessionResumeEntityTag"
    static let lastModified = "NSURLSessionResumeServerDownloadDate"
    static let blob = "KettleResumeData"
  }

  /// Returns the resume data of a task whose bytes the service keeps under a token.
  static func of(_ handle: TaskHandle, _ token: ResumeToken) -> Data? {
    if let known = handle.values.withLock({ $0.resumeData }), known.token == token {
      return known.data
    }
    guard let data = make(token: token, handle: handle) else { return nil }
    handle.values.withLock { $0.resumeData = (token, data) }
    return data
  }

  private static func make(token: ResumeToken, handle: TaskHandle) -> Data? {
    guard let json = ResumeBlob(token: token, handle: handle).json else { return nil }
    var list: [String: Any] = [Key.version: 2, Key.blob: json]
    list[Key.url] = handle.originalRequest?.url?.absoluteString
    list[Key.originalRequest] = handle.originalRequest.flatMap(archive)
    list[Key.currentRequest] = handle.currentRequest.flatMap(archive)
    if let snapshot = handle.view.snapshot {
      list[Key.byteCount] = snapshot.bytesReceived
      list[Key.fileName] = snapshot.path?.split(separator: "/").last.map { $0 + ".part" }
      list[Key.entityTag] = snapshot.task?.reply?.value(of: "etag")
      list[Key.lastModified] = snapshot.task?.reply?.value(of: "last-modified")
    }
    return try? PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
  }

  /// Returns what resume data identifies. Returns nil for other data, for that of Apple's systems,
  /// and for another version.
  static func read(_ data: Data) -> ResumeBlob? {
    let list =
      (try? PropertyListSerialization.propertyList(from: data, format: nil)) as? [String: Any]
    // Earlier versions of this library made the JSON alone.
    guard let list else { return ResumeBlob(json: data) }
    return (list[Key.blob] as? String).flatMap { ResumeBlob(json: Data($0.utf8)) }
  }

  private static func archive(_ request: URLRequest) -> Data? {
    try? NSKeyedArchiver.archivedData(
      withRootObject: request as NSURLRequest, requiringSecureCoding: true)
  }
}

extension ServerReply {
  /// The value of a header; `name` is in lowercase.
  fileprivate func value(of name: String) -> String? {
    headers.first { $0.name.lowercased() == name }?.value
  }
}

/// The resume data of an upload: opaque to the program, JSON to this library. The server keeps what
/// was sent. The data names its upload resource, and contains what a start from zero needs.
struct UploadResumeData: Codable, Hashable, Sendable {
  static let currentVersion = 1
  /// Distinguishes it from the resume data of a download and from other JSON.
  static let kind = "kettle-upload-resume-data"

  var kind = Self.kind
  var version = Self.currentVersion
  var request: ProgramData
  /// The file, and its length when the upload began.
  var path: String
  var byteCount: Int64
  var resumption: UploadResumption

  /// Returns nil unless the content is a file.
  init?(_ resumption: UploadResumption, of content: RequestContent, handle: TaskHandle) {
    guard case .file(let path, let byteCount)? = content.body else { return nil }
    request = handle.values.withLock { $0.data }
    request.isAwaited = false
    self.path = path
    self.byteCount = byteCount
    self.resumption = resumption
  }

  /// Decodes resume data; nil for other data and for another version.
  init?(data: Data) {
    guard let decoded = try? JSONDecoder().decode(Self.self, from: data),
      decoded.kind == Self.kind, decoded.version == Self.currentVersion
    else { return nil }
    self = decoded
  }

  /// Never nil in practice: the value contains only strings and numbers.
  var data: Data? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try? encoder.encode(self)
  }
}
