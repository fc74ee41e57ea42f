/// A reply with an unambiguous body, parsed strictly by RFC 9112.
struct StrictReply {
  var status: Int
  private var headers: [(name: String, value: String)] = []
  var body: [UInt8] = []

  /// - Parameter isReset: whether the connection ends with a reset, which does not delimit a body.
  /// - Returns: nil if anything about the form of the reply is ambiguous.
  init?(_ bytes: [UInt8], isReset: Bool) {
    var rest = bytes[...]
    repeat {
      guard let (status, headers) = Self.head(&rest) else { return nil }
      (self.status, self.headers) = (status, headers)
    } while (100..<200).contains(status)
    guard let body = readBody(rest, isReset: isReset) else { return nil }
    self.body = body
  }

  func values(of name: String) -> [String] {
    headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
  }

  /// The only ETag, if it is strong.
  var strongTag: String? {
    let tags = values(of: "ETag")
    return tags.count == 1 && tags[0].hasPrefix("\"") && tags[0].count > 2 ? tags[0] : nil
  }

  private static func head(
    _ rest: inout ArraySlice<UInt8>
  ) -> (Int, [(name: String, value: String)])? {
    guard let first = headLine(&rest) else { return nil }
    let words = first.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count >= 2, words[0] == "HTTP/1.1", words[1].count == 3,
      let status = Int(words[1]), status >= 100
    else { return nil }
    var headers: [(name: String, value: String)] = []
    while let text = headLine(&rest) {
      if text.isEmpty { return (status, headers) }
      // A line that begins with a blank continues the one before (RFC 9112, section 5.2).
      if text.first == " " {
        guard !headers.isEmpty else { return nil }
        headers[headers.count - 1].value += text
        continue
      }
      guard let colon = text.firstIndex(of: ":"), colon > text.startIndex else { return nil }
      let name = String(text[..<colon])
      let value = text[text.index(after: colon)...].drop { $0 == " " }
      headers.append((name, String(value)))
    }
    return nil
  }

  /// The lines of a head may end with only LF (RFC 9112, section 2.2).
  private static func headLine(_ rest: inout ArraySlice<UInt8>) -> String? {
    guard let feed = rest.firstIndex(of: 10) else { return nil }
    var text = rest[..<feed]
    if text.last == 13 { text.removeLast() }
    guard text.allSatisfy({ (32..<127).contains($0) }) else { return nil }
    rest = rest[(feed + 1)...]
    return String(decoding: text, as: UTF8.self)
  }

  /// A line of visible ASCII that ends with CR LF.
  private static func line(_ rest: inout ArraySlice<UInt8>) -> String? {
    guard let feed = rest.firstIndex(of: 10), feed > rest.startIndex, rest[feed - 1] == 13 else {
      return nil
    }
    let text = rest[rest.startIndex..<feed - 1]
    guard text.allSatisfy({ (32..<127).contains($0) }) else { return nil }
    rest = rest[(feed + 1)...]
    return String(decoding: text, as: UTF8.self)
  }

  private func readBody(_ rest: ArraySlice<UInt8>, isReset: Bool) -> [UInt8]? {
    // Repeated equal lengths count as one (RFC 9110, section 8.6).
    let lengths = Set(
      values(of: "Content-Length").flatMap { value in
        value.split(separator: ",", omittingEmptySubsequences: false)
          .map { $0.drop { $0 == " " } }
      })
    // For older servers, identity means no transfer coding.
    let codings = values(of: "Transfer-Encoding").filter { $0 != "identity" }
    switch (lengths.count, codings) {
    case (0, ["chunked"]): return Self.chunkedBody(rest)
    case (0, []): return isReset ? nil : Array(rest)
    case (1, []):
      guard let text = lengths.first, let count = Int(text), text.allSatisfy(\.isNumber),
        count <= rest.count
      else { return nil }
      return Array(rest.prefix(count))
    default: return nil
    }
  }

  private static func chunkedBody(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
    var (rest, body) = (bytes, [UInt8]())
    while let text = line(&rest) {
      let digits = text.prefix { $0.isHexDigit }
      guard let size = Int(digits, radix: 16), digits.count == text.count || text.contains(";")
      else { return nil }
      if size == 0 {
        while let trailer = line(&rest) { if trailer.isEmpty { return body } }
        return nil
      }
      guard size <= rest.count - 2 else { return nil }
      body += rest.prefix(size)
      rest = rest.dropFirst(size)
      guard rest.starts(with: [13, 10]) else { return nil }
      rest = rest.dropFirst(2)
    }
    return nil
  }
}
