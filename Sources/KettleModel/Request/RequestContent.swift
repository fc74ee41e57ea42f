/// What a request asks with, where it is more than a plain GET.
public struct RequestContent: Hashable, Sendable, Codable {
  /// A token in upper case (RFC 9110, section 9.1).
  public var method: String
  public var body: Body?

  public init(method: String, body: Body? = nil) {
    self.method = method
    self.body = body
  }

  public enum Body: Hashable, Sendable, Codable {
    /// Absolute path of a file, read again for every attempt, and its length at the time of the
    /// request, so that a file that changed meanwhile is not sent in two halves.
    case file(path: String, byteCount: Int64)
    case bytes(Base64Bytes)
  }

  public var bodyByteCount: Int64? {
    switch body {
    case .file(_, let byteCount)?: byteCount
    case .bytes(let bytes)?: Int64(bytes.bytes.count)
    case nil: nil
    }
  }

  /// A GET without a body can be asked for again in parts; everything else is sent again whole.
  public var isPlainGET: Bool { method == "GET" && body == nil }
}
