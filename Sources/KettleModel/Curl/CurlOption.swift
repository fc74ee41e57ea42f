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
