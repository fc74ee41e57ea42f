/// A download given as a command line of curl(1), as browsers put it on the clipboard ("copy as
/// cURL"). The command is parsed and never executed.
package struct CurlCommandLine: Hashable, Sendable {
  package internal(set) var url: TransferURL.Parsed
  package internal(set) var headers: [HeaderField] = []
  package internal(set) var login: Login?
  /// As written; may be relative.
  package internal(set) var directory: String?
  package internal(set) var name: String?
  package internal(set) var limitBytesPerSecond: Int64?
  /// Whether a file that curl has begun is continued. curl's offset is not used: the length of the
  /// file that is there decides, and its end is compared with the server's.
  package internal(set) var continues = false

  /// The parsed command and the ranges of characters that must not be displayed.
  package struct Parsed: Hashable, Sendable {
    package var result: Result<CurlCommandLine, CurlProblem>
    package var secrets: [Range<Int>]
  }

  /// Whether a line is a curl command, valid or not.
  package static func isCommand(_ characters: some Collection<Character>) -> Bool {
    var rest = characters.drop { $0 == " " || $0 == "\t" }
    if rest.first == "$" { rest = rest.dropFirst().drop { $0 == " " } }
    guard rest.prefix(4).elementsEqual("curl") else { return false }
    rest = rest.dropFirst(4)
    if rest.prefix(4).elementsEqual(".exe") { rest = rest.dropFirst(4) }
    guard let next = rest.first else { return true }
    return next == " " || next == "\t" || next == "\\" || next == "^" || next.isNewline
  }

  package static func parse(_ text: String) -> Parsed {
    let characters = Array(text)
    let words = CurlWords(characters)
    var reader = CurlReader(characters)
    reader.read(words.words)
    let problem = words.problem ?? reader.problem
    let result = problem.map { .failure($0) } ?? reader.result
    return Parsed(result: result, secrets: reader.secrets)
  }

  init(_ url: TransferURL.Parsed) {
    self.url = url
    login = url.login
  }
}

extension CurlCommandLine {
  /// Replaces a line break inside quotes when a command is displayed on one line.
  package static let breakSign: Character = "\u{240A}"

  /// Splits a text into lines. A curl command that spans several lines becomes one line, and
  /// several commands on one line become one line each.
  package static func lines(of text: String) -> [String] {
    guard text.contains("curl") else {
      return text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        .map(String.init)
    }
    let characters = Array(text)
    var lines: [String] = []
    var start = 0
    // False after an unclosed quote, which would otherwise be searched again from every line.
    var joins = true
    while start < characters.count {
      let lineEnd = characters[start...].firstIndex(where: \.isNewline) ?? characters.count
      let line = characters[start..<lineEnd]
      guard isCommand(line), joins else {
        lines.append(String(line))
        start = lineEnd + 1
        continue
      }
      let words = CurlWords(characters, from: start)
      guard words.isClosed else {
        joins = false
        continue
      }
      lines.append(Self.line(words, in: characters[start..<words.end]))
      start = words.end
      // Skip blanks and the line end after the command's terminator.
      let next = characters[start...].firstIndex { $0 != " " && $0 != "\t" } ?? characters.count
      if !words.endsWithLine(characters), next < characters.count, characters[next].isNewline {
        start = next + 1
      }
    }
    if text.last?.isNewline == true { lines.append("") }
    return lines
  }

  /// Joins the lines of one command.
  private static func line(_ words: CurlWords, in command: ArraySlice<Character>) -> String {
    var line = Array(command)
    for index in words.quotedBreaks where command.indices.contains(index) {
      line[index - command.startIndex] = breakSign
    }
    // From the end, so that the earlier indices stay valid.
    let joints =
      words.continuations.map { ($0, " ") } + words.quotedContinuations.map { ($0, "") }
    for (joint, text) in joints.sorted(by: { $0.0.lowerBound > $1.0.lowerBound }) {
      let start = joint.lowerBound - command.startIndex
      var end = min(joint.upperBound - command.startIndex, line.count)
      // Drop the indentation of the next line.
      while !text.isEmpty, end < line.count, line[end] == " " || line[end] == "\t" { end += 1 }
      let isSeparated = start > 0 && (line[start - 1] == " " || line[start - 1] == "\t")
      line.replaceSubrange(start..<end, with: isSeparated ? "" : text)
    }
    while let last = line.last, last.isNewline || " \t;&".contains(last) { line.removeLast() }
    return String(line.drop { $0 == " " || $0 == "\t" })
  }
}

extension CurlWords {
  fileprivate func endsWithLine(_ characters: [Character]) -> Bool {
    end > 0 && end <= characters.count && characters[end - 1].isNewline
  }
}

/// Why a curl command line cannot be converted to a download.
package enum CurlProblem: Error, Hashable, Sendable {
  case noURL
  case severalURLs(count: Int)
  case url(String, TransferURLProblem)
  /// The option makes it a request with a body, not a download.
  case sendsData(option: String)
  case method(String)
  case headersOnly(option: String)
  /// Certificates are always checked.
  case insecure(option: String)
  /// The service chooses the proxy.
  case proxy(option: String)
  /// An option of curl that Kettle does not support.
  case unsupportedOption(String)
  case unknownOption(String)
  case valueMissing(option: String)
  case valueUnusable(option: String)
  /// `-b NAME` and `-H @NAME` read a file.
  case valueFromFile(option: String)
  case unclosedQuote
  /// Only a shell can expand this.
  case needsShell(String)
}

/// The meaning of a curl(1) option for a download.
enum CurlOption: Hashable, Sendable {
  case header, cookie, user, bearer, userAgent, referer, url, output, outputDirectory, rate
  case method, continueAt
  /// Has no meaning here or is the default here.
  case ignored, ignoredWithValue
  case sendsData, headersOnly, insecure, proxy
  case unsupported, unsupportedWithValue

  var takesValue: Bool {
    switch self {
    case .header, .cookie, .user, .bearer, .userAgent, .referer, .url, .output, .outputDirectory,
      .rate, .method, .continueAt, .ignoredWithValue, .sendsData, .proxy, .unsupportedWithValue:
      true
    case .ignored, .headersOnly, .insecure, .unsupported: false
    }
  }

  /// Returns nil for an unknown option.
  static func long(_ name: String) -> CurlOption? { long[name] }
  static func short(_ letter: Character) -> CurlOption? { short[letter].flatMap { long[$0] } }

  private static let long: [String: CurlOption] = {
    var table: [String: CurlOption] = [
      "header": .header, "cookie": .cookie, "user": .user, "oauth2-bearer": .bearer,
      "user-agent": .userAgent, "referer": .referer, "url": .url, "output": .output,
      "output-dir": .outputDirectory, "limit-rate": .rate, "request": .method,
      "head": .headersOnly, "insecure": .insecure, "continue-at": .continueAt,
    ]
    func add(_ meaning: CurlOption, _ names: String) {
      for name in names.split(separator: " ") { table[String(name)] = meaning }
    }
    add(
      .ignored,
      """
      compressed location silent show-error fail fail-with-body verbose globoff progress-bar \
      remote-name remote-header-name no-buffer create-dirs http1.0 http1.1 http2 \
      http2-prior-knowledge http3 http3-only ipv4 ipv6 get remove-on-error no-clobber \
      no-progress-meter path-as-is retry-all-errors retry-connrefused tlsv1 tlsv1.2 tlsv1.3 \
      tcp-nodelay tcp-fastopen no-keepalive basic anyauth digest styled-output no-styled-output
      """)
    add(
      .ignoredWithValue,
      """
      retry retry-delay retry-max-time connect-timeout max-time speed-limit speed-time max-redirs \
      keepalive-time write-out stderr
      """)
    add(
      .sendsData,
      """
      data data-raw data-binary data-ascii data-urlencode json form form-string upload-file
      """)
    add(.proxy, "proxy proxy-user proxy-header preproxy socks4 socks4a socks5 socks5-hostname")
    add(
      .unsupported,
      """
      location-trusted include netrc netrc-optional parallel ntlm negotiate proxy-basic \
      remote-time append list-only use-ascii junk-session-cookies next remote-name-all
      """)
    add(
      .unsupportedWithValue,
      """
      config cacert capath cert key pass cert-type key-type cookie-jar netrc-file range resolve \
      connect-to interface dns-servers ciphers tls13-ciphers time-cond unix-socket \
      abstract-unix-socket aws-sigv4 dump-header trace trace-ascii noproxy max-filesize \
      pinnedpubkey etag-compare etag-save variable expand-url url-query tls-max
      """)
    return table
  }()

  private static let short: [Character: String] = [
    "H": "header", "b": "cookie", "u": "user", "A": "user-agent", "e": "referer", "o": "output",
    "X": "request", "I": "head", "k": "insecure", "L": "location", "s": "silent",
    "S": "show-error", "f": "fail", "v": "verbose", "g": "globoff", "#": "progress-bar",
    "O": "remote-name", "J": "remote-header-name", "N": "no-buffer", "0": "http1.0", "4": "ipv4",
    "6": "ipv6", "G": "get", "1": "tlsv1", "m": "max-time", "C": "continue-at", "Y": "speed-limit",
    "y": "speed-time", "w": "write-out", "d": "data", "F": "form", "T": "upload-file",
    "x": "proxy", "U": "proxy-user", "i": "include", "n": "netrc", "Z": "parallel",
    "R": "remote-time", "K": "config", "E": "cert", "c": "cookie-jar", "r": "range",
    "z": "time-cond", "D": "dump-header", "a": "append", "l": "list-only", "B": "use-ascii",
    "j": "junk-session-cookies", ":": "next",
  ]
}
