/// The method and body of a request other than a plain GET.
public struct RequestContent: Hashable, Sendable, Codable {
  /// A token in upper case (RFC 9110, section 9.1).
  public var method: String
  public var body: Body?

  public init(method: String, body: Body? = nil) {
    self.method = method
    self.body = body
  }

  public enum Body: Hashable, Sendable, Codable {
    /// The absolute path of a file that is read again for every attempt. The length is that at the
    /// time of the request, so that a file that has changed since is not sent.
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

  /// Whether it is a GET without a body, which can be repeated for a range. Other requests are
  /// repeated in full.
  public var isPlainGET: Bool { method == "GET" && body == nil }
}
