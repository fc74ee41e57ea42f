extension TransferURL {
  /// A URL and the user and password from its text, separated from the start.
  public struct Parsed: Hashable, Sendable {
    public let url: TransferURL
    public let login: Login?

    public init(url: TransferURL, login: Login? = nil) {
      self.url = url
      self.login = login
    }
  }

  public static let byteCountMax = 16 * 1024

  /// Parses an absolute URL, ignoring spaces and line ends around it.
  public static func parse(_ text: String) -> Result<Parsed, TransferURLProblem> {
    if let url = TransferURL(plain: text.utf8.span) {
      return .success(Parsed(url: url, login: nil))
    }
    return parseClosely(text)
  }

  /// Parses a URL as people type it: `example.org/file` means https, and `localhost:8000/file`
  /// http, because hardly anybody has a certificate for an address.
  package static func parse(typed text: String) -> Result<Parsed, TransferURLProblem> {
    let parsed = parse(text)
    let trimmed = text.trimmingBlanks()
    guard parsed == .failure(.schemeMissing), let slash = trimmed.firstIndex(of: "/"),
      isHostAsTyped(trimmed[..<slash])
    else { return parsed }
    return parse((isAddressAsTyped(trimmed[..<slash]) ? "http://" : "https://") + trimmed)
  }

  private static func isAddressAsTyped(_ text: Substring) -> Bool {
    let host = text.prefix { $0 != ":" }
    return host == "localhost" || host.utf8.allSatisfy { "0123456789.".utf8.contains($0) }
  }

  /// Whether the text before the first slash is a host rather than a directory or an address of
  /// mail.
  private static func isHostAsTyped(_ text: Substring) -> Bool {
    let host = text.prefix { $0 != ":" }
    let hasDot = host.contains(".") && !host.hasPrefix(".") && !host.hasSuffix(".")
    return (hasDot || host == "localhost") && !text.contains("@")
  }

  /// Parses every form of URL.
  static func parseClosely(_ text: String) -> Result<Parsed, TransferURLProblem> {
    let trimmed = text.trimmingBlanks()
    if let problem = problemOfCharacters(in: trimmed) { return .failure(problem) }
    guard let (schemeText, rest) = splitScheme(trimmed) else { return .failure(.schemeMissing) }
    guard let scheme = Scheme(rawValue: schemeText) else {
      return .failure(.schemeUnsupported(schemeText))
    }
    guard let rest else { return .failure(.schemeMissing) }
    let authorityEnd = rest.utf8.firstIndex { "/?#\\".utf8.contains($0) } ?? rest.endIndex
    return authority(rest[..<authorityEnd], scheme: scheme).flatMap { authority in
      let (path, query) = split(encoded(rest[authorityEnd...]))
      let url = TransferURL(
        scheme: scheme, host: authority.host, port: authority.port,
        path: path.isEmpty ? "/" : path, query: query)
      return url.asFile().flatMap { checked($0, login: authority.login) }
    }
  }

  /// Resolves a `Location` header against this URL (RFC 3986, section 5.2). An empty one is
  /// refused, because a redirect to the same place would loop. Servers send spaces and backslashes,
  /// which are read as browsers do (WHATWG URL, section 4.4).
  public func resolving(_ reference: String) -> Result<Parsed, TransferURLProblem> {
    let trimmed = Self.repaired(reference.trimmingBlanks())
    if let problem = Self.problemOfCharacters(in: trimmed) { return .failure(problem) }
    if Self.hasScheme(trimmed) { return Self.parse(trimmed) }
    if trimmed.utf8.starts(with: "//".utf8) {
      return Self.parse(scheme.rawValue + ":" + trimmed)
    }
    let (newPath, newQuery) = Self.split(Self.encoded(trimmed[...]))
    let merged: String
    if newPath.isEmpty {
      merged = path
    } else if newPath.hasPrefix("/") {
      merged = Self.removingDotSegments(newPath)
    } else {
      let base = path[...(path.lastIndex(of: "/") ?? path.startIndex)]
      merged = Self.removingDotSegments(base + newPath)
    }
    return Self.checked(
      TransferURL(
        scheme: scheme, host: host, port: port, path: merged,
        query: newPath.isEmpty && newQuery == nil ? query : newQuery),
      login: nil)
  }

  /// Turns a backslash before the query into a slash, and a space into `%20`.
  private static func repaired(_ reference: String) -> String {
    guard reference.utf8.contains(where: { $0 == 32 || $0 == UInt8(ascii: "\\") }) else {
      return reference
    }
    let queryStart = reference.firstIndex { $0 == "?" || $0 == "#" } ?? reference.endIndex
    let path = reference[..<queryStart].replacing("\\", with: "/")
    let query = reference[queryStart...].replacing("\\", with: "%5C")
    return String(path + query).replacing(" ", with: "%20")
  }

  /// Encoding lengthens a text; a result that the parser would refuse must not be kept.
  private static func checked(
    _ url: TransferURL, login: Login?
  ) -> Result<Parsed, TransferURLProblem> {
    url.text.utf8.count <= byteCountMax
      ? .success(Parsed(url: url, login: login)) : .failure(.tooLong)
  }

  /// The scheme in lower case and what follows `://`, which is nil for a scheme of another form
  /// (`magnet:`). Nothing when there is no scheme: in `example.org:8080` the colon is a port's.
  private static func splitScheme(_ text: String) -> (scheme: String, rest: Substring?)? {
    guard hasScheme(text), let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else {
      return nil
    }
    let scheme = text[..<colon].lowercased()
    let rest = text[colon...]
    if rest.utf8.starts(with: "://".utf8) {
      return (scheme, rest[rest.utf8.index(rest.startIndex, offsetBy: 3)...])
    }
    let next = rest.utf8.dropFirst().first
    let isPort = next.map { (48...57).contains($0) } ?? true
    return isPort || scheme.utf8.contains(UInt8(ascii: ".")) ? nil : (scheme, nil)
  }

  private static func hasScheme(_ text: String) -> Bool {
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return false }
    let scheme = text[..<colon]
    guard let first = scheme.utf8.first, (65...90).contains(first) || (97...122).contains(first)
    else { return false }
    return scheme.utf8.allSatisfy {
      (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0)
        || $0 == 43 || $0 == 45 || $0 == 46
    }
  }

  private static func problemOfCharacters(in text: String) -> TransferURLProblem? {
    if text.isEmpty { return .empty }
    if text.utf8.count > byteCountMax { return .tooLong }
    for scalar in text.unicodeScalars {
      if scalar.isControl { return .controlCharacter }
      // Browsers read a backslash as a slash, others as a letter: refused, not guessed.
      if scalar == " " || scalar == "\\" { return .characterForbidden(Character(scalar)) }
    }
    return nil
  }

  /// Splits an encoded text, in which every character is one byte.
  private static func split(_ rest: String) -> (path: String, query: String?) {
    let withoutFragment = rest[..<(rest.firstIndex(of: "#") ?? rest.endIndex)]
    guard let mark = withoutFragment.firstIndex(of: "?") else {
      return (String(withoutFragment), nil)
    }
    return (
      String(withoutFragment[..<mark]),
      String(withoutFragment[withoutFragment.index(after: mark)...])
    )
  }

  /// Percent-encodes characters that a path or query must not contain. `%` is left alone, because
  /// encoded text must not be encoded twice. The result is ASCII, so from here on a character is a
  /// byte: a combining mark after a slash would hide it from `Character`.
  private static func encoded(_ text: Substring) -> String {
    var result: [UInt8] = []
    for byte in text.utf8 {
      if isPlain(byte) { result.append(byte) } else { result += PercentEncoding.escape(byte) }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Whether a path or query may contain the byte unencoded.
  static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "^"),
      UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"):
      false
    default: byte > 32 && byte < 127
    }
  }

  /// RFC 3986, section 5.2.4, on whole segments.
  private static func removingDotSegments(_ path: String) -> String {
    var kept: [Substring] = []
    let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    for (offset, segment) in segments.enumerated() {
      let isLast = offset == segments.count - 1
      switch segment {
      case ".": if isLast { kept.append("") }
      case "..":
        _ = kept.popLast()
        if isLast { kept.append("") }
      default: kept.append(segment)
      }
    }
    return "/" + kept.joined(separator: "/")
  }
}

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

extension TransferURL {
  /// The URL of a path below this one, which counts as a directory whether it ends with a slash or
  /// not. Unlike a reference, the path may begin with a slash or have empty components.
  ///
  /// - Parameter path: percent-encoded; a query may follow.
  package func below(_ path: String) -> TransferURL? {
    let directory = self.path.hasSuffix("/") ? self.path : self.path + "/"
    guard case .success(let parsed) = TransferURL.parse(origin.text + directory + path) else {
      return nil
    }
    return parsed.url
  }
}
