import KettleModel

/// The headers of resumable uploads: draft-ietf-httpbis-resumable-upload-05, which is interop
/// version 6. Servers ignore them if they do not know the protocol.
enum ResumableUpload {
  static let supportedStatus = 104

  private static let version = HeaderField(received: "Upload-Draft-Interop-Version", "6")
  private static let isWhole = HeaderField(received: "Upload-Complete", "?1")

  /// For the request that begins an upload of `byteCount` bytes: it asks for an upload resource.
  static func creation(of byteCount: Int64) -> [HeaderField] {
    [version, isWhole, HeaderField(received: "Upload-Length", "\(byteCount)")]
  }

  /// For the question how many bytes the upload resource has.
  static let offsetQuestion = [version]

  /// For the rest of the bytes, from `offset` on.
  static func rest(from offset: Int64) -> [HeaderField] {
    [
      version, isWhole, HeaderField(received: "Upload-Offset", "\(offset)"),
      HeaderField(received: "Content-Type", "application/partial-upload"),
    ]
  }

  /// Whether the program speaks such a protocol itself: another offer beside its own would be a
  /// contradiction.
  static func isSpoken(in headers: [HeaderField]) -> Bool {
    headers.contains { field in
      let name = field.name.lowercased()
      return name.hasPrefix("upload-") || name == "tus-resumable"
    }
  }

  // MARK: Responses

  /// The location of the upload resource that a server announces, as written; nil without one.
  static func location(in head: ResponseHead) -> String? {
    guard head.status == supportedStatus,
      head.value(of: version.name)?.trimmed == version.value[...]
    else { return nil }
    return head.value(of: "Location")
  }

  /// Whether the server has the whole upload; nil where it does not say so.
  static func isComplete(_ head: ResponseHead) -> Bool? {
    switch head.value(of: "Upload-Complete").map(item) {
    case "?1"?: true
    case "?0"?: false
    case _?, nil: nil
    }
  }

  /// What the upload resource has.
  enum Offset: Sendable, Hashable {
    case part(upTo: Int64)
    case whole
    /// It contradicts itself or the file, or does not answer the question.
    case useless

    /// - Parameter total: the number of bytes of the file.
    init(_ head: ResponseHead, of total: Int64) {
      guard let text = head.value(of: "Upload-Offset"),
        let offset = DecimalDigits.int64(ResumableUpload.item(text)), offset <= total
      else {
        self = .useless
        return
      }
      switch ResumableUpload.isComplete(head) {
      case true?: self = offset == total ? .whole : .useless
      case false?, nil: self = .part(upTo: offset)
      }
    }
  }

  /// The item of a structured field, without its parameters (RFC 9651, section 3.3).
  private static func item(_ value: String) -> Substring {
    let item = value.split(separator: ";", maxSplits: 1, omittingEmptySubsequences: false).first
    return String(item ?? "").trimmed
  }
}
