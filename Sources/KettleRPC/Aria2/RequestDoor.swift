import KettleModel

/// Which requests reach the methods at all.
///
/// A page of any site can make the user's browser send requests to this machine. It cannot choose
/// the headers `Host` and `Origin` (Fetch Standard, section 3.2).
package struct RequestDoor: Hashable, Sendable {
  /// Origins of pages that may use the interface, such as `http://ariang.example`; `*` allows all.
  package let allowedOrigins: Set<String>

  package init(allowedOrigins: Set<String>) { self.allowedOrigins = allowedOrigins }

  /// Whether the request was sent to this machine under a name that no foreign name server can
  /// give it (DNS rebinding).
  package func admits(host: String?) -> Bool {
    guard let host, let name = Self.name(in: host) else { return false }
    return Self.isLocalhost(name) || IPAddress(name) != nil
  }

  /// The host of `HOST[:PORT]` in lower case, without the brackets of an IPv6 address. Returns nil
  /// for another text.
  private static func name(in text: String) -> String? {
    var name = text.lowercased()[...]
    if let colon = name.lastIndex(of: ":"), !name[colon...].contains("]") {
      guard UInt16(name[name.index(after: colon)...]) != nil else { return nil }
      name = name[..<colon]
    }
    guard name.hasPrefix("[") else { return name.contains(":") ? nil : String(name) }
    guard name.hasSuffix("]") else { return nil }
    return String(name.dropFirst().dropLast())
  }

  private static func isLocalhost(_ name: String) -> Bool {
    name == "localhost" || name.hasSuffix(".localhost")
  }

  /// Whether a page with this host was sent by this machine. Any other numeric address is that of
  /// another machine, or of a network where a stranger could have it.
  private static func isThisMachine(_ host: String) -> Bool {
    guard let name = name(in: host) else { return false }
    return isLocalhost(name) || IPAddress(name).map { AddressScope(of: $0) == .loopback } ?? false
  }

  /// Whether a page of this origin may use the interface; programs send none. A page that was
  /// opened from a file has the origin `null`, and so has any site in a sandboxed frame.
  package func admits(origin: String?) -> Bool {
    guard let origin, !allowedOrigins.contains("*") else { return true }
    if allowedOrigins.contains(origin) { return true }
    let isExtension = ["moz-extension://", "chrome-extension://", "safari-web-extension://"]
      .contains { origin.hasPrefix($0) }
    if isExtension { return true }
    guard let start = origin.firstRange(of: "://") else { return false }
    return Self.isThisMachine(String(origin[start.upperBound...]))
  }
}

/// Compares the secrets that the calls of one message present.
///
/// A batch or a multicall may contain thousands of calls. After a wrong secret nothing of the
/// message is compared, so that a message is one guess; all wrong secrets in it are counted.
package struct SecretCheck: Sendable {
  private let secret: RPCSecret
  private var wrong: Set<String> = []

  /// A higher count makes no difference: `FailureThrottle` does not answer such a message.
  private static let countMax = FailureThrottle.delayedCountMax + 1

  package init(_ secret: RPCSecret) { self.secret = secret }

  /// How many different wrong secrets were presented.
  package var wrongCount: Int { wrong.count }

  /// Whether a call with this secret may be performed.
  package mutating func admits(_ given: String?) -> Bool {
    guard let given else { return false }
    if wrong.isEmpty, secret.matches(given) { return true }
    if wrong.count < Self.countMax { wrong.insert(given) }
    return false
  }
}

/// The secret that clients present.
package struct RPCSecret: Hashable, Sendable {
  private let bytes: [UInt8]

  /// Returns nil for a text that is too short to be one.
  package init?(_ text: String) {
    guard (Self.byteCountMin...Self.byteCountMax).contains(text.utf8.count) else { return nil }
    bytes = Array(text.utf8)
  }

  package static let byteCountMin = 8
  package static let byteCountMax = 256

  /// Compares in a time that depends only on the length of the given text, so that the time does
  /// not reveal how many characters are right.
  package func matches(_ given: String?) -> Bool {
    guard let given else { return false }
    var difference: UInt8 = 0
    var count = 0
    for byte in given.utf8.prefix(Self.byteCountMax + 1) {
      difference |= byte ^ bytes[count % bytes.count]
      count += 1
    }
    return difference == 0 && count == bytes.count
  }
}

/// Slows down peers that present wrong secrets.
package struct FailureThrottle: Sendable {
  /// How many answers a peer may be waiting for.
  package static let delayedCountMax = 8
  package static let delayMilliseconds: Int64 = 1000
  private static let peerCountMax = 1024

  package enum Verdict: Hashable, Sendable {
    /// Answer after this time.
    case later(milliseconds: Int64)
    /// Close the connection: too many answers are pending.
    case tooMany
  }

  private var delayed: [String: Int] = [:]

  package init() {}

  /// Decides about the answer to a message with wrong secrets.
  ///
  /// - Parameters:
  ///   - peer: the address without the port.
  ///   - secretCount: how many different ones the message has; 0 for one without a secret.
  package mutating func noteFailure(of peer: String, secretCount: Int = 1) -> Verdict {
    let count = delayed[peer] ?? 0
    guard secretCount <= Self.delayedCountMax, count < Self.delayedCountMax,
      count > 0 || delayed.count < Self.peerCountMax
    else { return .tooMany }
    delayed[peer] = count + 1
    return .later(milliseconds: Self.delayMilliseconds * Int64(max(1, secretCount)))
  }

  /// The answer was sent, or its connection is gone.
  package mutating func noteAnswer(to peer: String) {
    guard let count = delayed[peer] else { return }
    delayed[peer] = count > 1 ? count - 1 : nil
  }
}
