import KettleModel

/// Assembles the head of a reply from the header lines that libcurl delivers.
///
/// libcurl delivers every line of every reply in an exchange: interim replies (1xx), the 401 or 407
/// of each round of a login, and the final head. This reader returns the final head, and those of
/// the interim replies that concern more than the connection.
struct HeadReader {
  enum Progress: Equatable {
    case more
    /// The head of an interim reply (1xx). The final one follows.
    case informational(ResponseHead)
    /// The final head. Later lines are ignored.
    case final(ResponseHead)
    /// Final only if no other head follows: libcurl may answer it with the login.
    case finalUnlessAnswered(ResponseHead)
    case broken(String)
  }

  private enum State {
    case beforeStatusLine(heldBack: ResponseHead?)
    case inHead(status: Int, fields: [Field])
    case afterHead
    case broken(String)
  }

  private struct Field {
    var name: String
    var value: [UInt8]
  }

  /// For all heads of an exchange together, because 1xx replies can be sent endlessly. Browsers
  /// accept 256 KiB; no known server needs more.
  static let byteCountMax = 256 * 1024
  static let lineCountMax = 500

  /// libcurl resends a request with `Expect: 100-continue` when the server does not support that.
  var mayAnswer417 = false
  private var state = State.beforeStatusLine(heldBack: nil)
  private var byteCount = 0
  private var lineCount = 0

  /// A 401, 407 or 417 that proves to be final when the exchange continues without another head.
  var heldBackHead: ResponseHead? {
    if case .beforeStatusLine(let heldBack) = state { heldBack } else { nil }
  }

  /// Whether a head has begun and not ended.
  var isInsideHead: Bool {
    switch state {
    case .inHead: true
    case .beforeStatusLine(let heldBack): heldBack == nil
    case .afterHead, .broken: false
    }
  }

  /// Reads one line with its line end.
  mutating func read(_ line: [UInt8]) -> Progress {
    byteCount += line.count
    lineCount += 1
    if byteCount > Self.byteCountMax { return fail("its headers are longer than 256 KiB") }
    if lineCount > Self.lineCountMax { return fail("it has more than 500 header lines") }
    let text = Self.withoutLineEnd(line)
    switch state {
    case .beforeStatusLine: return begin(text)
    case .inHead(let status, var fields):
      if text.isEmpty { return end(status: status, fields: fields) }
      // Keep the fields uniquely referenced, or every line copies all earlier ones.
      state = .afterHead
      if let problem = Self.add(text, to: &fields) { return fail(problem) }
      state = .inHead(status: status, fields: fields)
      return .more
    case .afterHead: return .more
    case .broken(let problem): return .broken(problem)
    }
  }

  private mutating func begin(_ text: ArraySlice<UInt8>) -> Progress {
    guard text.starts(with: "HTTP/".utf8) else {
      return fail("it does not begin with a status line")
    }
    guard let status = Self.status(in: text) else { return fail("its status line is malformed") }
    state = .inHead(status: status, fields: [])
    return .more
  }

  private mutating func end(status: Int, fields: [Field]) -> Progress {
    let head = ResponseHead(
      status: status,
      headers: fields.map { HeaderField(received: $0.name, Self.text(of: $0.value)) })
    switch status {
    case 100...199:
      state = .beforeStatusLine(heldBack: nil)
      return status < 102 ? .more : .informational(head)
    case 401, 407: return holdBack(head)
    case 417 where mayAnswer417: return holdBack(head)
    default:
      state = .afterHead
      return .final(head)
    }
  }

  private mutating func holdBack(_ head: ResponseHead) -> Progress {
    state = .beforeStatusLine(heldBack: head)
    return .finalUnlessAnswered(head)
  }

  private mutating func fail(_ problem: String) -> Progress {
    state = .broken(problem)
    return .broken(problem)
  }
}

// MARK: - Lines

extension HeadReader {
  private static func withoutLineEnd(_ line: [UInt8]) -> ArraySlice<UInt8> {
    var text = line[...]
    if text.last == 10 { text.removeLast() }
    if text.last == 13 { text.removeLast() }
    return text
  }

  /// The three digits after the first space (RFC 9112, section 4).
  private static func status(in line: ArraySlice<UInt8>) -> Int? {
    guard let space = line.firstIndex(of: 32) else { return nil }
    let code = line[space...].dropFirst().prefix { $0 != 32 }
    guard code.count == 3, code.allSatisfy({ (48...57).contains($0) }) else { return nil }
    let status = code.reduce(0) { $0 * 10 + Int($1 - 48) }
    return status >= 100 ? status : nil
  }

  /// Returns what is wrong with the line, or nil.
  private static func add(_ line: ArraySlice<UInt8>, to fields: inout [Field]) -> String? {
    guard line.allSatisfy({ $0 == 9 || ($0 >= 32 && $0 != 127) }) else {
      return "a header contains a control character"
    }
    if line.first == 32 || line.first == 9 {
      // A folded line continues the previous value (RFC 9112, section 5.2).
      guard var last = fields.popLast() else { return "its first header line is folded" }
      last.value += [32] + trimmed(line)
      fields.append(last)
      return nil
    }
    // A line without `token:` is not a header to libcurl either and has no effect: skip it.
    guard let colon = line.firstIndex(of: 58) else { return nil }
    let name = String(decoding: line[..<colon], as: UTF8.self)
    guard HeaderField(name: name, value: "") != nil else { return nil }
    fields.append(Field(name: name, value: Array(trimmed(line[colon...].dropFirst()))))
    return nil
  }

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let isBlank: (UInt8) -> Bool = { $0 == 32 || $0 == 9 }
    let rest = bytes.drop(while: isBlank)
    guard let last = rest.lastIndex(where: { !isBlank($0) }) else { return [] }
    return rest[...last]
  }

  /// Decodes UTF-8 where valid, else one letter per byte (ISO 8859-1, HTTP's former charset), so
  /// that nothing is lost.
  private static func text(of value: [UInt8]) -> String {
    if let text = String(validating: value, as: UTF8.self) { return text }
    var text = ""
    for byte in value { text.unicodeScalars.append(Unicode.Scalar(byte)) }
    return text
  }
}

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
