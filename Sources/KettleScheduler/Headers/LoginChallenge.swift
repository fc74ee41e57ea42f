import KettleModel

/// One login scheme that a server offers in `WWW-Authenticate`.
package struct LoginChallenge: Sendable, Hashable {
  /// In lower case, like all names here.
  package var scheme: String
  package var parameters: [String: String]

  package init(scheme: String, parameters: [String: String]) {
    self.scheme = scheme
    self.parameters = parameters
  }

  package var realm: String? { parameters["realm"] }

  /// The schemes offered in all headers of a reply, in order. In each header, everything after a
  /// syntax error is ignored: half a challenge must not be answered.
  package static func all(in head: ResponseHead) -> [LoginChallenge] {
    head.values(of: "WWW-Authenticate").flatMap { text in
      var reader = ChallengeReader(text)
      return reader.challenges()
    }
  }

  /// The best supported scheme; nil when none is offered. A password is sent in clear only if
  /// digest is not offered, and domain schemes are used only if nothing else is.
  package static func best(in head: ResponseHead) -> LoginChallenge? {
    let all = all(in: head)
    return ServerChallenge.Kind.loginPreference.lazy
      .compactMap { kind in all.first { $0.kind == kind } }
      .first
  }

  /// nil for an unsupported scheme, and for one that lacks what its response is computed from.
  package var kind: ServerChallenge.Kind? {
    switch scheme {
    case "basic": .basic
    // RFC 7616, section 3.3: without a nonce no response is possible.
    case "digest": parameters["nonce"] == nil ? nil : .digest
    case "ntlm": .ntlm
    case "negotiate": .negotiate
    default: nil
    }
  }
}

extension ServerChallenge.Kind {
  static let loginPreference: [ServerChallenge.Kind] = [.digest, .basic, .negotiate, .ntlm]
}

/// Reads `#challenge` (RFC 9110, section 11.6.1). A comma separates challenges as well as
/// parameters; what follows decides: a parameter has an equals sign after its name.
struct ChallengeReader {
  private let bytes: [UInt8]
  private var index = 0

  init(_ text: String) { bytes = Array(text.utf8) }

  mutating func challenges() -> [LoginChallenge] {
    var challenges: [LoginChallenge] = []
    while true {
      skipCommas()
      guard let scheme = token(), let next = challenge(scheme.lowercased()) else {
        return challenges
      }
      challenges.append(next)
    }
  }

  /// The rest of one challenge; nil when it violates the RFC's grammar.
  private mutating func challenge(_ scheme: String) -> LoginChallenge? {
    var parameters: [String: String] = [:]
    guard isAtEnd || peek == Byte.comma || isBlank(peek) else { return nil }
    skipBlanks()
    let start = index
    var isFirst = true
    while true {
      let before = index
      if !isFirst { skipCommas() }
      guard let parameter = parameter() else {
        index = isFirst ? start : before
        break
      }
      // A duplicate name indicates that one was injected.
      guard parameters.updateValue(parameter.value, forKey: parameter.name) == nil else {
        return nil
      }
      isFirst = false
      skipBlanks()
      guard isAtEnd || peek == Byte.comma else { return nil }
    }
    if isFirst { skipToken68() }
    skipBlanks()
    guard isAtEnd || peek == Byte.comma else { return nil }
    return LoginChallenge(scheme: scheme, parameters: parameters)
  }

  /// `name = value`; nil when there is none, and then the position is unspecified.
  private mutating func parameter() -> (name: String, value: String)? {
    guard let name = token() else { return nil }
    skipBlanks()
    guard peek == Byte.equals else { return nil }
    index += 1
    skipBlanks()
    guard let value = peek == Byte.quote ? quoted() : token() else { return nil }
    return (name.lowercased(), value)
  }

  private mutating func quoted() -> String? {
    index += 1
    var text: [UInt8] = []
    while let byte = peek {
      index += 1
      switch byte {
      case Byte.quote: return String(decoding: text, as: UTF8.self)
      case Byte.backslash:
        guard let escaped = peek else { return nil }
        index += 1
        text.append(escaped)
      default: text.append(byte)
      }
    }
    return nil
  }

  private mutating func token() -> String? {
    let start = index
    while let byte = peek, HeaderField.isTokenByte(byte) { index += 1 }
    guard index > start else { return nil }
    return String(decoding: bytes[start..<index], as: UTF8.self)
  }

  /// The data of one handshake step (RFC 9110, section 11.2); libcurl interprets it.
  private mutating func skipToken68() {
    while let byte = peek, HeaderField.isTokenByte(byte) || byte == Byte.slash { index += 1 }
    while peek == Byte.equals { index += 1 }
  }

  // MARK: Bytes

  private enum Byte {
    static let comma = UInt8(ascii: ",")
    static let equals = UInt8(ascii: "=")
    static let quote = UInt8(ascii: "\"")
    static let backslash = UInt8(ascii: "\\")
    static let slash = UInt8(ascii: "/")
  }

  private var peek: UInt8? { index < bytes.count ? bytes[index] : nil }
  private var isAtEnd: Bool { index >= bytes.count }

  private func isBlank(_ byte: UInt8?) -> Bool { byte == 32 || byte == 9 }

  private mutating func skipBlanks() { while isBlank(peek) { index += 1 } }

  /// Empty list elements are ignored (RFC 9110, section 5.6.1.2).
  private mutating func skipCommas() {
    while isBlank(peek) || peek == Byte.comma { index += 1 }
  }
}
