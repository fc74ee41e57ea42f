import KettleModel

extension ResponseHead {
  /// Returns why the end of the body is undefined, or nil when it is defined.
  ///
  /// Differing lengths are an error (RFC 9112, section 6.3). libcurl uses the last of them, and
  /// treats one that exceeds 64 bits as absent.
  var framingProblem: String? {
    for coding in values(of: "Transfer-Encoding").flatMap(Self.list)
    where !["chunked", "identity"].contains(coding.lowercased()) {
      // No other coding was requested (TE), and libcurl would decode it without a bound.
      return "it uses a transfer coding that was not requested"
    }
    let lengths = values(of: "Content-Length").flatMap(Self.list)
    let numbers = Set(lengths.map(Self.length))
    if numbers.contains(nil) { return "its Content-Length is not a number" }
    if numbers.count > 1 { return "it has two different Content-Length headers" }
    return nil
  }

  /// Where the body of a reply ends.
  enum BodyEnd: Hashable {
    case byteCount(Int64)
    /// - Parameter announced: The Content-Length beside the chunks. It is ignored (RFC 9112,
    ///   section 6.3) but must not contradict them.
    case lastChunk(announced: Int64?)
    /// Only the end of the connection ends the body.
    case connectionEnd

    /// Returns why a body that libcurl considers complete after `byteCount` bytes is incomplete, or
    /// nil when it is complete.
    ///
    /// `isEndAuthentic` is false when anyone on the path could have ended the connection.
    func problem(
      after byteCount: Int64, isEndAuthentic: Bool
    ) -> (code: TransferFailure.Code, detail: String)? {
      switch self {
      case .byteCount(let announced) where announced != byteCount:
        (
          byteCount < announced ? .truncated : .tooLong,
          "\(byteCount) of \(announced) bytes came"
        )
      case .lastChunk(let announced?) where announced != byteCount:
        (.protocolBroken, "\(byteCount) bytes in chunks, and a Content-Length of \(announced)")
      case .connectionEnd where !isEndAuthentic: (.truncated, "the connection was cut")
      case .byteCount, .lastChunk, .connectionEnd: nil
      }
    }
  }

  /// Follows the order of RFC 9112, section 6.3, for a head without `framingProblem`.
  var bodyEnd: BodyEnd {
    if status == 204 || status == 304 { return .byteCount(0) }
    let codings = values(of: "Transfer-Encoding").flatMap(Self.list)
    let length = values(of: "Content-Length").flatMap(Self.list).first.flatMap(Self.length)
    if codings.contains(where: { $0.lowercased() == "chunked" }) {
      return .lastChunk(announced: length)
    }
    return length.map(BodyEnd.byteCount) ?? .connectionEnd
  }

  /// The members of a comma-separated list (RFC 9110, section 5.6.1). An empty value is one empty
  /// member, so that it does not count as absent.
  private static func list(_ value: String) -> [String] {
    value.split(separator: ",", omittingEmptySubsequences: false).map { member in
      let rest = member.drop { $0 == " " || $0 == "\t" }
      return String(rest.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }
  }

  private static func length(_ text: String) -> Int64? {
    // Int64 alone would accept a sign.
    guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
    return Int64(text)
  }
}
