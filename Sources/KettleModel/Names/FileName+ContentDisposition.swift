extension FileName {
  /// The sanitized name from a `Content-Disposition` header; nil when it has none.
  ///
  /// `filename*` wins over `filename` (RFC 6266, section 4.3), and both over a name in pieces; of
  /// duplicates the first counts. A value that cannot be decoded is skipped, because the other one
  /// may be good.
  package static func fromContentDisposition(_ value: String) -> String? {
    let parameters = DispositionParameters(value)
    if let name = parameters.first("filename*").flatMap(ExtendedValue.decoded).flatMap(sanitized) {
      return name
    }
    if let name = parameters.first("filename") {
      return sanitized(EncodedWords.decoded(name) ?? unescaped(name))
    }
    return parameters.joined("filename").flatMap(sanitized)
  }

  /// Decodes a name with escapes like those of a URL, as browsers do: many servers send it in place
  /// of `filename*`. A name in which a percent sign stands for itself stays as it is.
  private static func unescaped(_ name: String) -> String {
    guard name.utf8.allSatisfy({ $0 < 128 }), let bytes = PercentEncoding.decoded(name.utf8) else {
      return name
    }
    return String(validating: bytes, as: UTF8.self) ?? name
  }
}

/// Parses `attachment; name="value"; name2=value2` (RFC 6266, section 4.1).
///
/// Servers omit the type, put blanks into unquoted values, forget the closing quote and end with a
/// semicolon; all of this is accepted and read as intended.
private struct DispositionParameters {
  private var all: [(name: String, value: String)] = []

  /// No name needs more.
  private static let characterCountMax = 8192

  init(_ text: String) {
    var rest = Array(text.unicodeScalars.prefix(Self.characterCountMax))[...]
    while !rest.isEmpty {
      let name = Self.takeToken(from: &rest)
      guard rest.first == "=" else {
        // The type, or something that is not a parameter.
        rest = rest.drop { $0 != ";" }.dropFirst()
        continue
      }
      rest.removeFirst()
      all.append((name, Self.takeValue(from: &rest)))
    }
  }

  func first(_ name: String) -> String? { all.first { $0.name == name }?.value }

  /// The value of a parameter that is sent in pieces, `name*0`, `name*1`, of which those with
  /// another asterisk are encoded (RFC 2231, sections 3 and 4); nil without the first piece.
  func joined(_ name: String) -> String? {
    var bytes: [UInt8] = []
    var isEncoded = false
    for number in 0..<all.count {
      if let plain = first("\(name)*\(number)") {
        bytes += isEncoded ? Array(plain.utf8.flatMap(Self.escaped)) : Array(plain.utf8)
      } else if let encoded = first("\(name)*\(number)*") {
        // Its character set would be in the first piece.
        if number == 0 { isEncoded = true } else if !isEncoded { break }
        bytes += Array(encoded.utf8)
      } else {
        break
      }
    }
    let text = String(decoding: bytes, as: UTF8.self)
    if text.isEmpty { return nil }
    return isEncoded ? ExtendedValue.decoded(text) : text
  }

  /// A byte of a piece that is not encoded, behind one that is.
  private static func escaped(_ byte: UInt8) -> [UInt8] {
    byte == UInt8(ascii: "%") ? PercentEncoding.escape(byte) : [byte]
  }

  private static func takeToken(from rest: inout ArraySlice<Unicode.Scalar>) -> String {
    let token = rest.prefix { $0 != "=" && $0 != ";" }
    rest = rest[token.endIndex...]
    return trimmed(token).lowercased()
  }

  private static func takeValue(from rest: inout ArraySlice<Unicode.Scalar>) -> String {
    rest = rest.drop { $0 == " " || $0 == "\t" }
    guard rest.first == "\"" else {
      let value = rest.prefix { $0 != ";" }
      rest = rest[value.endIndex...].dropFirst()
      return trimmed(value)
    }
    rest.removeFirst()
    let value = takeQuoted(from: &rest)
    rest = rest.drop { $0 != ";" }.dropFirst()
    return value
  }

  /// A quoted-string (RFC 9110, section 5.6.4): a backslash escapes the character after it.
  private static func takeQuoted(from rest: inout ArraySlice<Unicode.Scalar>) -> String {
    var value = ""
    while let scalar = rest.popFirst(), scalar != "\"" {
      if scalar == "\\", let escaped = rest.popFirst() {
        value.unicodeScalars.append(escaped)
      } else {
        value.unicodeScalars.append(scalar)
      }
    }
    return value
  }

  private static func trimmed(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
    let isBlank: (Unicode.Scalar) -> Bool = { $0 == " " || $0 == "\t" }
    let start = scalars.drop(while: isBlank)
    var text = String.UnicodeScalarView(start)
    while let last = text.last, isBlank(last) { text.removeLast() }
    return String(text)
  }
}

/// Reads `UTF-8'en'%e2%82%ac%20rates` (RFC 8187, section 3.2).
private enum ExtendedValue {
  /// Returns nil when the form, an escape or the character set is not supported.
  static func decoded(_ text: String) -> String? {
    let parts = text.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, let bytes = PercentEncoding.decoded(parts[2].utf8) else {
      return nil
    }
    switch parts[0].lowercased() {
    case "utf-8", "utf8", "iso-8859-1", "us-ascii":
      // Servers declare the wrong set. Bytes that are valid UTF-8 are UTF-8, because in Latin-1
      // they would be a row of accents; invalid ones are Latin-1, whatever is declared.
      return String(validating: bytes, as: UTF8.self) ?? latin1(bytes)
    default: return nil
    }
  }

  private static func latin1(_ bytes: [UInt8]) -> String {
    var text = ""
    for byte in bytes { text.unicodeScalars.append(Unicode.Scalar(byte)) }
    return text
  }
}

/// Reads `=?UTF-8?B?5paH?= =?utf-8?q?a_b?=`, the words of mail headers (RFC 2047, section 2).
private enum EncodedWords {
  /// Returns nil when the text is not made of such words, or one of them is malformed.
  static func decoded(_ text: String) -> String? {
    let words = text.split(whereSeparator: { $0 == " " || $0 == "\t" })
    guard !words.isEmpty else { return nil }
    var bytes: [UInt8] = []
    for word in words {
      guard let part = decoded(word: word) else { return nil }
      bytes += part
    }
    return String(validating: bytes, as: UTF8.self)
  }

  private static func decoded(word: Substring) -> [UInt8]? {
    let parts = word.split(separator: "?", omittingEmptySubsequences: false)
    guard parts.count == 5, parts[0] == "=", parts[4] == "=",
      ["utf-8", "us-ascii"].contains(parts[1].lowercased())
    else { return nil }
    switch parts[2].lowercased() {
    case "b": return Base64Bytes(String(parts[3]))?.bytes
    case "q":
      let escaped = parts[3].utf8.flatMap { byte -> [UInt8] in
        switch byte {
        case UInt8(ascii: "="): [UInt8(ascii: "%")]
        case UInt8(ascii: "_"): [UInt8(ascii: " ")]
        case UInt8(ascii: "%"): PercentEncoding.escape(byte)
        default: [byte]
        }
      }
      return PercentEncoding.decoded(escaped)
    default: return nil
    }
  }
}
