extension TransferURL {
  struct Authority {
    var host: String
    var port: Int
    var login: Login?
  }

  /// Splits `user:password@host:port` (RFC 3986, section 3.2).
  static func authority(
    _ text: Substring, scheme: Scheme
  ) -> Result<Authority, TransferURLProblem> {
    var hostAndPort = text
    var login: Login?
    if let at = text.utf8.lastIndex(of: UInt8(ascii: "@")) {
      guard let decoded = self.login(in: text[..<at]) else { return .failure(.loginMalformed) }
      if at > text.startIndex { login = decoded }
      hostAndPort = text[text.utf8.index(after: at)...]
    }
    let (host, portText) = splitPort(hostAndPort)
    guard !host.isEmpty else { return .failure(.hostMissing) }
    let lowered = loweredHost(host)
    guard isHost(lowered) else { return .failure(.hostMalformed) }
    guard let portText, !portText.isEmpty else {
      return .success(Authority(host: lowered, port: scheme.defaultPort, login: login))
    }
    guard portText.utf8.allSatisfy({ (48...57).contains($0) }), let port = Int(portText),
      (1...65_535).contains(port)
    else { return .failure(.portMalformed) }
    return .success(Authority(host: lowered, port: port, login: login))
  }

  private static func splitPort(_ text: Substring) -> (host: Substring, port: Substring?) {
    let afterBracket = text.utf8.lastIndex(of: UInt8(ascii: "]")) ?? text.startIndex
    guard let colon = text[afterBracket...].utf8.firstIndex(of: UInt8(ascii: ":")) else {
      return (text, nil)
    }
    return (text[..<colon], text[text.utf8.index(after: colon)...])
  }

  private static func login(in text: Substring) -> Login? {
    let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) ?? text.endIndex
    guard let user = percentDecoded(text[..<colon]),
      let password = percentDecoded(Substring(text[colon...].utf8.dropFirst()))
    else { return nil }
    return Login(user: user, password: password)
  }

  /// Lowers the host. The zone of an IPv6 address is the name of an interface, in which upper and
  /// lower case differ.
  private static func loweredHost(_ host: Substring) -> String {
    let zoneStart =
      host.hasPrefix("[")
      ? host.firstRange(of: zoneMark)?.lowerBound ?? host.endIndex : host.endIndex
    return host[..<zoneStart].lowercased() + host[zoneStart...]
  }

  /// An escaped percent sign (RFC 6874, section 2).
  private static let zoneMark = "%25"

  /// A name, an IPv4 address, or an IPv6 address in brackets; nothing that another parser could
  /// read as a separator.
  private static func isHost(_ host: String) -> Bool {
    if host.hasPrefix("[") { return host.hasSuffix("]") && isIPv6(host.dropFirst().dropLast()) }
    var previous: Unicode.Scalar = "."
    for scalar in host.unicodeScalars {
      guard isAllowed(scalar, after: previous) else { return false }
      previous = scalar
    }
    return true
  }

  /// An IPv6 address; one that is valid on a single link (`fe80::/10`) may have a zone.
  private static func isIPv6(_ text: Substring) -> Bool {
    let mark = text.firstRange(of: zoneMark)
    let address = text[..<(mark?.lowerBound ?? text.endIndex)]
    let isAddress =
      address.contains(":")
      && address.utf8.allSatisfy {
        (48...57).contains($0) || (97...102).contains($0) || $0 == 58 || $0 == 46
      }
    guard let mark else { return isAddress }
    let zone = text[mark.upperBound...].utf8
    let isLinkLocal = ["fe8", "fe9", "fea", "feb"].contains { address.hasPrefix($0) }
    // IF_NAMESIZE of Linux (net/if.h) includes the final NUL.
    return isAddress && isLinkLocal && (1...15).contains(zone.count)
      && zone.allSatisfy {
        (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0)
          || [45, 46, 95, 126].contains($0)
      }
  }

  /// Accepts letters and digits in any script, and marks that follow one. Punctuation and symbols
  /// beyond ASCII are refused: the mapping to punycode turns U+FF0F into a slash and U+2100 into
  /// `a/c` (UTS 46).
  private static func isAllowed(_ scalar: Unicode.Scalar, after previous: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .lowercaseLetter, .otherLetter, .modifierLetter, .decimalNumber: true
    case .nonspacingMark, .spacingMark: previous != "." && previous != "-"
    default: scalar == "-" || scalar == "_" || (scalar == "." && previous != ".")
    }
  }

  /// Decodes escapes such as `%41`. Returns nil if one is malformed, or if the result contains a
  /// control byte or is not UTF-8.
  public static func percentDecoded(_ text: Substring) -> String? {
    guard let bytes = PercentEncoding.decoded(text.utf8),
      bytes.allSatisfy({ $0 >= 32 && $0 != 127 })
    else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }
}
