import KettleModel

/// What a later task needs to continue one that has ended.
package enum TaskResumption: Hashable, Sendable {
  /// The service keeps the bytes of the file for the holder of the token.
  case download(ResumeToken)
  /// The server keeps what it has of the content.
  case upload(UploadResumption, of: RequestContent)

  /// Whether the service must keep the ended task for it.
  var needsTask: Bool {
    switch self {
    case .download: true
    case .upload: false
    }
  }
}
