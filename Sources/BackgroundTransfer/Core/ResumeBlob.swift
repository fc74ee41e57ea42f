import Foundation
import KettleModel
import KettleSystem

/// Resume data: opaque to the program, JSON to this library. The service keeps the bytes of the
/// file. The data identifies them, and contains what a start from zero needs when they are gone.
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

  /// Decodes resume data; nil for other data and for another version.
  init?(data: Data) {
    guard let blob = try? JSONDecoder().decode(Self.self, from: data), blob.kind == Self.kind,
      blob.version == Self.currentVersion
    else { return nil }
    self = blob
  }

  /// Never nil in practice: the value contains only strings and numbers.
  var data: Data? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try? encoder.encode(self)
  }
}
