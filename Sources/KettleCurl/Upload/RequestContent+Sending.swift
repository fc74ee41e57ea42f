import KettleModel

extension RequestContent {
  /// From here on libcurl asks the server first whether it wants the body (RFC 9110, section
  /// 10.1.1): a refusal costs less then. libcurl's own line for forms is the same.
  static let expectByteCount: Int64 = 1024 * 1024

  /// Why it cannot go out; nil when nothing is in the way.
  var problem: String? {
    // Anything else could end the request line early and begin another request.
    guard !method.isEmpty, method.utf8.allSatisfy(Self.isTokenByte) else {
      return "the method is not a word in upper case"
    }
    // What follows a CONNECT is no HTTP.
    if method == "CONNECT" { return "CONNECT is not for servers" }
    if method == "HEAD", body != nil { return "a HEAD request has no body" }
    return nil
  }

  /// What goes out behind the head; nil when not even its length is said.
  ///
  /// Where a method is about a body, an empty one has its length too (RFC 9110, section 8.6).
  var sentBody: Body? {
    if let body { return body }
    return ["POST", "PUT", "PATCH", "QUERY"].contains(method) ? .bytes(Base64Bytes([])) : nil
  }

  /// The letters of a token (RFC 9110, section 5.6.2), less the lower case.
  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 48...57, 65...90: true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}
