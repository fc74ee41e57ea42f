extension TransferURL {
  /// Parses the form that nearly all URLs of a list have: ASCII in lower case up to the path, no
  /// login, no brackets, nothing to percent-encode and no blanks at the ends.
  ///
  /// Returns nil if the full parser must decide. Any other result equals that of the full parser,
  /// at a fraction of its cost.
  public init?(plain text: Span<UInt8>) {
    // One byte less, because a missing path becomes a slash.
    guard text.count < Self.byteCountMax, let scheme = Self.plainScheme(text) else { return nil }
    let hostStart = scheme.rawValue.utf8.count + 3
    guard let hostEnd = Self.plainHostEnd(text, from: hostStart) else { return nil }
    guard let (port, authorityEnd) = Self.plainPort(text, from: hostEnd, scheme) else {
      return nil
    }
    guard let (mark, end) = Self.plainPathAndQuery(text, from: authorityEnd) else { return nil }
    let pathEnd = mark ?? end
    self.init(
      scheme: scheme, host: Self.string(text, hostStart..<hostEnd), port: port,
      path: authorityEnd == pathEnd ? "/" : Self.string(text, authorityEnd..<pathEnd),
      query: mark.map { Self.string(text, ($0 + 1)..<end) })
  }

  private static func plainScheme(_ text: Span<UInt8>) -> Scheme? {
    if starts(text, with: "https://") { return .https }
    return starts(text, with: "http://") ? .http : nil
  }

  private static func starts(_ text: Span<UInt8>, with prefix: StaticString) -> Bool {
    guard text.count >= prefix.utf8CodeUnitCount else { return false }
    for index in 0..<prefix.utf8CodeUnitCount where text[index] != prefix.utf8Start[index] {
      return false
    }
    return true
  }

  /// Returns where the port or the path begins.
  private static func plainHostEnd(_ text: Span<UInt8>, from start: Int) -> Int? {
    var index = start
    var previous = UInt8(ascii: ".")
    while index < text.count {
      let byte = text[index]
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "-"), UInt8(ascii: "_"):
        break
      case UInt8(ascii: "."): if previous == UInt8(ascii: ".") { return nil }
      case UInt8(ascii: ":"), UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"):
        return index > start ? index : nil
      default: return nil
      }
      previous = byte
      index += 1
    }
    return index > start ? index : nil
  }

  private static func plainPort(
    _ text: Span<UInt8>, from start: Int, _ scheme: Scheme
  ) -> (port: Int, end: Int)? {
    guard start < text.count, text[start] == UInt8(ascii: ":") else {
      return (scheme.defaultPort, start)
    }
    var port = 0
    var index = start + 1
    while index < text.count, (48...57).contains(text[index]) {
      guard index - start <= 5 else { return nil }
      port = port * 10 + Int(text[index] - 48)
      index += 1
    }
    guard (1...65_535).contains(port) else { return nil }
    guard index < text.count else { return (port, index) }
    // Anything else belongs to a port or a login, which the full parser checks.
    return "/?#".utf8.contains(text[index]) ? (port, index) : nil
  }

  /// Returns the position of the question mark, and of the fragment or the end of the text.
  private static func plainPathAndQuery(
    _ text: Span<UInt8>, from start: Int
  ) -> (mark: Int?, end: Int)? {
    var mark: Int?
    var end: Int?
    for index in start..<text.count {
      let byte = text[index]
      guard isPlain(byte), byte != UInt8(ascii: "\\") else { return nil }
      if end != nil { continue }
      if byte == UInt8(ascii: "#") { end = index }
      if byte == UInt8(ascii: "?"), mark == nil { mark = index }
    }
    return (mark, end ?? text.count)
  }

  private static func string(_ text: Span<UInt8>, _ range: Range<Int>) -> String {
    text.extracting(range).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
  }
}
