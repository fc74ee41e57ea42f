/// The method and body of a request other than a plain GET.
public struct RequestContent: Hashable, Sendable, Codable {
  /// A token in upper case (RFC 9110, section 9.1).
  public var method: String
  public var body: Body?
  /// Set when an earlier request has sent the beginning of the body. It belongs to one request and
  /// is not stored.
  public var rest: Rest?

  private enum CodingKeys: String, CodingKey {
    case method, body
  }

  public init(method: String, body: Body? = nil, rest: Rest? = nil) {
    self.method = method
    self.body = body
    self.rest = rest
  }

  /// The part of a file that the server does not have yet.
  public struct Rest: Hashable, Sendable {
    public var offset: Int64
    /// The modification time of the file when its beginning was sent, since 1970.
    public var modifiedNanoseconds: Int64

    public init(offset: Int64, modifiedNanoseconds: Int64) {
      self.offset = offset
      self.modifiedNanoseconds = modifiedNanoseconds
    }
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
