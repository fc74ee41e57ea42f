import Foundation
import KettleSystem
import KettleModel

/// Resume data: opaque to the program, JSON to this library. The service keeps the bytes; this
/// names them, and has what is needed to begin from nothing when they are gone.
struct ResumeBlob: Codable, Hashable, Sendable {
  static let currentVersion = 1
  /// So that other JSON is not taken for it.
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

  /// nil when it is no resume data, or of another version.
  init?(data: Data) {
    guard let blob = try? JSONDecoder().decode(Self.self, from: data), blob.kind == Self.kind,
      blob.version == Self.currentVersion
    else { return nil }
    self = blob
  }

  /// nil never in practice: there are only texts and numbers in it.
  var data: Data? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try? encoder.encode(self)
  }
}
