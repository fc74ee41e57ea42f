import Foundation
import KettleModel
import KettleSystem
import KettleTasks

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
