import KettleModel

extension RequestContent {
  /// From this size on, libcurl asks the server first whether it wants the body (RFC 9110, section
  /// 10.1.1), which makes a refusal cheaper. libcurl uses the same limit for forms.
  static let expectByteCount: Int64 = 1024 * 1024

  /// Why the request cannot be sent; nil when it can.
  var problem: String? {
    // Anything else could end the request line early and begin another request.
    guard !method.isEmpty, method.utf8.allSatisfy(Self.isTokenByte) else {
      return "the method is not a word in upper case"
    }
    // The data after a CONNECT is not HTTP.
    if method == "CONNECT" { return "CONNECT is only for proxies" }
    if method == "HEAD", body != nil { return "a HEAD request has no body" }
    return nil
  }

  /// The body to send; nil when not even its length is sent.
  ///
  /// A method that defines a body sends the length of an empty one too (RFC 9110, section 8.6).
  var sentBody: Body? {
    if let body { return body }
    return ["POST", "PUT", "PATCH", "QUERY"].contains(method) ? .bytes(Base64Bytes([])) : nil
  }

  /// The characters of a token (RFC 9110, section 5.6.2), without lower case.
  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 48...57, 65...90: true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}
