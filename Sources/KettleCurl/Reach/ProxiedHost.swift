import KettleModel

/// The reach of the host in a URL, as far as it is known before a proxy connects to it.
///
/// The proxy looks names up, so there is no address to judge. Literal addresses and names that only
/// local networks use are recognised. Any other name may still lead the proxy anywhere, which only
/// the proxy's own rules can prevent.
enum ProxiedHost: Equatable {
  case address(AddressScope)
  case nameOfThisMachine
  case localName
  /// Written with characters that are equivalent to others (UTS 46), such as full-width letters.
  case disguisedName
  case publicName

  /// - Parameter host: In lower case; an IPv6 address in brackets.
  init(_ host: String) {
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
    if isBracketed {
      // An invalid address is not public either.
      let address = IPAddress(host.dropFirst().dropLast())
      self = .address(address.map { AddressScope(of: $0) } ?? .reserved)
    } else if let address = Self.looseIPv4(host) {
      self = .address(AddressScope(of: .v4(address)))
    } else if host.unicodeScalars.contains(where: Self.isDisguise) {
      self = .disguisedName
    } else {
      self = Self.name(host)
    }
  }

  /// The reach of the host that the proxy would connect to.
  var reach: NetworkReach {
    switch self {
    case .address(let scope): scope.reach
    case .nameOfThisMachine, .disguisedName: .machine
    case .localName: .network
    case .publicName: .world
    }
  }

  /// The reach of the host that sent a reply through the proxy.
  var serverReach: NetworkReach { self == .disguisedName ? .world : reach }

  /// A description for the sentence about a refused URL.
  var phrase: String {
    switch self {
    case .address(let scope): scope.phrase
    case .nameOfThisMachine: "a name of this machine"
    case .localName: "a name of local networks"
    case .disguisedName: "a name with look-alike characters"
    case .publicName: "a public name"
    }
  }

  // MARK: - Names

  /// RFC 6761.
  private static let suffixesOfThisMachine: [[Substring]] = [
    ["localhost"], ["localhost", "localdomain"],
  ]

  /// RFC 6762 and RFC 8375; the others are used by routers and companies and are not delegated.
  private static let localSuffixes: [[Substring]] = [
    ["local"], ["home", "arpa"], ["internal"], ["localdomain"], ["lan"], ["intranet"], ["home"],
    ["corp"], ["private"],
  ]

  /// Ignores a trailing dot, which denotes the root.
  private static func name(_ name: String) -> ProxiedHost {
    let labels = name.split(separator: ".")
    func ends(in suffixes: [[Substring]]) -> Bool {
      suffixes.contains { labels.suffix($0.count).elementsEqual($0) }
    }
    if ends(in: suffixesOfThisMachine) { return .nameOfThisMachine }
    return labels.count < 2 || ends(in: localSuffixes) ? .localName : .publicName
  }

  private static func isDisguise(_ scalar: Unicode.Scalar) -> Bool {
    // An ideographic full stop separates labels.
    scalar.value > 127 && (scalar.properties.changesWhenNFKCCaseFolded || scalar == "\u{3002}")
  }

  // MARK: - Addresses

  /// Parses one to four numbers, each decimal, octal or hexadecimal, as inet_aton(3) does: many
  /// resolvers accept `127.1` and `0x7f000001` as addresses.
  private static func looseIPv4(_ text: String) -> UInt32? {
    let bare = text.hasSuffix(".") ? text.dropLast() : text[...]
    let parts = bare.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...4).contains(parts.count) else { return nil }
    var address: UInt64 = 0
    for (index, part) in parts.enumerated() {
      guard let number = number(part) else { return nil }
      // The last number fills all remaining bytes.
      let bitCount = index == parts.count - 1 ? UInt64(8 * (5 - parts.count)) : 8
      guard number >> bitCount == 0 else { return nil }
      address = address << bitCount | number
    }
    return UInt32(truncatingIfNeeded: address)
  }

  private static func number(_ text: Substring) -> UInt64? {
    guard text.first?.isNumber == true, text.allSatisfy(\.isASCII) else { return nil }
    if text.hasPrefix("0x") {
      return text.count == 2 ? 0 : UInt64(text.dropFirst(2), radix: 16)
    }
    return UInt64(text, radix: text.hasPrefix("0") ? 8 : 10)
  }
}
