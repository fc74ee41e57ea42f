import KettleModel

extension ResponseHead {
  /// What makes it impossible to tell where the body ends; nil when nothing does.
  ///
  /// RFC 9112, section 6.3: lengths that differ are an error. libcurl takes the last of them, and
  /// one that does not fit 64 bits it takes as no length at all.
  var framingProblem: String? {
    for coding in values(of: "Transfer-Encoding").flatMap(Self.list)
    where !["chunked", "identity"].contains(coding.lowercased()) {
      // Nothing else was asked for (TE), and libcurl would decode it without a bound.
      return "it has a transfer coding that was not asked for"
    }
    let lengths = values(of: "Content-Length").flatMap(Self.list)
    let numbers = Set(lengths.map(Self.length))
    if numbers.contains(nil) { return "its Content-Length is not a length" }
    if numbers.count > 1 { return "it has two different Content-Length" }
    return nil
  }

  /// Where the body of a reply ends.
  enum BodyEnd: Hashable {
    case byteCount(Int64)
    /// - Parameter announced: what a Content-Length beside the chunks says. It counts for nothing
    ///   (RFC 9112, section 6.3), but it must not contradict them.
    case lastChunk(announced: Int64?)
    /// Nothing but the end of the connection tells.
    case connectionEnd

    /// Why a body is not whole that libcurl took for whole after so many bytes; nil when it is.
    ///
    /// `isEndVouchedFor` is false when anyone on the way could have ended the connection.
    func problem(
      after byteCount: Int64, isEndVouchedFor: Bool
    ) -> (code: TransferFailure.Code, detail: String)? {
      switch self {
      case .byteCount(let announced) where announced != byteCount:
        (
          byteCount < announced ? .truncated : .tooLong,
          "\(byteCount) of \(announced) bytes came"
        )
      case .lastChunk(let announced?) where announced != byteCount:
        (.protocolBroken, "\(byteCount) bytes in chunks, and a Content-Length of \(announced)")
      case .connectionEnd where !isEndVouchedFor: (.truncated, "the connection was cut")
      case .byteCount, .lastChunk, .connectionEnd: nil
      }
    }
  }

  /// Reads it by the order of RFC 9112, section 6.3, in a head without `framingProblem`.
  var bodyEnd: BodyEnd {
    if status == 204 || status == 304 { return .byteCount(0) }
    let codings = values(of: "Transfer-Encoding").flatMap(Self.list)
    let length = values(of: "Content-Length").flatMap(Self.list).first.flatMap(Self.length)
    if codings.contains(where: { $0.lowercased() == "chunked" }) {
      return .lastChunk(announced: length)
    }
    return length.map(BodyEnd.byteCount) ?? .connectionEnd
  }

  /// The members of a comma-separated list (RFC 9110, section 5.6.1); an empty value is one empty
  /// member, so that it does not pass as absent.
  private static func list(_ value: String) -> [String] {
    value.split(separator: ",", omittingEmptySubsequences: false).map { member in
      let rest = member.drop { $0 == " " || $0 == "\t" }
      return String(rest.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }
  }

  private static func length(_ text: String) -> Int64? {
    // Int64 alone would take a sign.
    guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
    return Int64(text)
  }
}
