/// A numeric IPv4 or IPv6 address.
public enum IPAddress: Hashable, Sendable {
  case v4(UInt32)
  /// The first and the last eight bytes.
  case v6(UInt64, UInt64)

  /// Decodes 4 or 16 bytes in network order; returns nil for any other count.
  public init?(bytes: some Collection<UInt8>) {
    switch bytes.count {
    case 4: self = .v4(bytes.reduce(0) { $0 << 8 | UInt32($1) })
    case 16:
      self = .v6(
        bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) },
        bytes.dropFirst(8).reduce(0) { $0 << 8 | UInt64($1) })
    default: return nil
    }
  }

  /// Parses the standard text form: four decimal numbers without leading zeros, or the IPv6 form of
  /// RFC 4291, section 2.2, without brackets and zone.
  public init?(_ text: some StringProtocol) {
    if let address = Self.ipv4(Substring(text)) {
      self = .v4(address)
    } else if let groups = Self.ipv6(Substring(text)) {
      self = .v6(
        groups.prefix(4).reduce(0) { $0 << 16 | UInt64($1) },
        groups.dropFirst(4).reduce(0) { $0 << 16 | UInt64($1) })
    } else {
      return nil
    }
  }

  public var bitCount: Int {
    switch self {
    case .v4: 32
    case .v6: 128
    }
  }

  /// Whether both are of the same family and equal in the first `bitCount` bits.
  public func isIn(_ network: IPAddress, bitCount: Int) -> Bool {
    switch (self, network) {
    case (.v4(let address), .v4(let network)):
      (address ^ network) >> UInt32(clamping: 32 - bitCount) == 0
    case (.v6(let high, let low), .v6(let networkHigh, let networkLow)):
      (high ^ networkHigh) >> UInt64(clamping: 64 - bitCount) == 0
        && (low ^ networkLow) >> UInt64(clamping: 128 - bitCount) == 0
    case (.v4, .v6), (.v6, .v4): false
    }
  }

  // MARK: - Parsing

  private static func ipv4(_ text: Substring) -> UInt32? {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    var address: UInt32 = 0
    for part in parts {
      guard part.allSatisfy({ (48...57).contains($0) }), let number = UInt8(Substring(part)),
        part.count == 1 || part.first != 48
      else { return nil }
      address = address << 8 | UInt32(number)
    }
    return address
  }

  /// Returns eight groups.
  private static func ipv6(_ text: Substring) -> [UInt16]? {
    let halves = separated(atDoubleColon: text)
    guard halves.count <= 2, let first = halves.first, let last = halves.last,
      let front = groups(first, mayEndInIPv4: halves.count == 1)
    else { return nil }
    guard halves.count == 2 else { return front.count == 8 ? front : nil }
    guard let back = groups(last, mayEndInIPv4: true), front.count + back.count < 8 else {
      return nil
    }
    return front + [UInt16](repeating: 0, count: 8 - front.count - back.count) + back
  }

  private static func groups(_ text: Substring, mayEndInIPv4: Bool) -> [UInt16]? {
    if text.isEmpty { return [] }
    var groups: [UInt16] = []
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      if mayEndInIPv4, index == parts.count - 1, let address = ipv4(part) {
        groups += [UInt16(truncatingIfNeeded: address >> 16), UInt16(truncatingIfNeeded: address)]
      } else {
        guard (1...4).contains(part.utf8.count), part.allSatisfy(\.isHexDigit),
          let group = UInt16(part, radix: 16)
        else { return nil }
        groups.append(group)
      }
    }
    return groups
  }

  /// Returns the text before and after each `::`.
  private static func separated(atDoubleColon text: Substring) -> [Substring] {
    var parts: [Substring] = []
    var rest = text
    while let colons = rest.firstRange(of: "::") {
      parts.append(rest[..<colons.lowerBound])
      rest = rest[colons.upperBound...]
    }
    return parts + [rest]
  }
}

extension IPAddress: CustomStringConvertible {
  /// Dots for IPv4; for IPv6 the form of RFC 5952 with hexadecimal groups throughout.
  public var description: String {
    switch self {
    case .v4(let address):
      return stride(from: 24, through: 0, by: -8).map { "\(address >> UInt32($0) & 0xFF)" }
        .joined(separator: ".")
    case .v6(let high, let low):
      let groups = [high, low].flatMap { half in
        stride(from: 48, through: 0, by: -16).map { half >> UInt64($0) & 0xFFFF }
      }
      let zeros = Self.longestZeros(in: groups)
      let texts = groups.map { String($0, radix: 16) }
      guard zeros.count > 1 else { return texts.joined(separator: ":") }
      return texts[..<zeros.lowerBound].joined(separator: ":") + "::"
        + texts[zeros.upperBound...].joined(separator: ":")
    }
  }

  /// The first of the longest runs of zeros.
  private static func longestZeros(in groups: [UInt64]) -> Range<Int> {
    var longest = 0..<0
    var start = 0
    for (index, group) in groups.enumerated() {
      if group != 0 {
        start = index + 1
      } else if index + 1 - start > longest.count {
        longest = start..<index + 1
      }
    }
    return longest
  }
}

/// The purpose of an address according to the IANA registries of special-purpose addresses (RFC
/// 6890).
public enum AddressScope: Sendable, Hashable, CaseIterable {
  /// "This network"; Linux connects such an address to the machine itself.
  case unspecified
  case loopback
  case linkLocal
  case privateUse
  case uniqueLocal
  /// Behind a provider's address translation.
  case shared
  case multicast
  case broadcast
  /// For documentation, benchmarks and protocols, or unassigned.
  case reserved
  /// Routed on the public internet.
  case global

  public init(of address: IPAddress) {
    let block = Self.blocks.first { address.isIn($0.network, bitCount: $0.bitCount) }
    switch (address, block?.meaning) {
    case (_, .scope(let scope)?): self = scope
    case (.v6(let high, let low), .embeds(let bitCount)?):
      let bits = bitCount == 16 ? high >> 16 : low
      self = AddressScope(of: .v4(UInt32(truncatingIfNeeded: bits)))
    case (.v4, .embeds?), (.v4, nil): self = .global
    case (.v6, nil): self = .reserved
    }
  }

  /// The networks from which such an address can be reached.
  public var reach: NetworkReach {
    switch self {
    case .unspecified, .loopback: .machine
    case .linkLocal, .privateUse, .uniqueLocal, .shared, .multicast, .broadcast, .reserved: .network
    case .global: .world
    }
  }

  // MARK: - Registries

  private enum Meaning {
    case scope(AddressScope)
    /// Classified by the IPv4 address that follows this many bits.
    case embeds(behindBitCount: Int)
  }

  private struct Block {
    var network: IPAddress
    var bitCount: Int
    var meaning: Meaning

    private init(_ network: IPAddress, bitCount: Int, meaning: Meaning) {
      self.network = network
      self.bitCount = bitCount
      self.meaning = meaning
    }

    static func v4(_ network: UInt32, bitCount: Int, _ scope: AddressScope) -> Block {
      Block(.v4(network), bitCount: bitCount, meaning: .scope(scope))
    }

    /// A block given by its first eight bytes.
    static func v6(_ start: UInt64, bitCount: Int, _ scope: AddressScope) -> Block {
      Block(.v6(start, 0), bitCount: bitCount, meaning: .scope(scope))
    }

    static func single(_ address: IPAddress, _ scope: AddressScope) -> Block {
      Block(address, bitCount: address.bitCount, meaning: .scope(scope))
    }

    /// A block whose addresses contain an IPv4 address after the first `bitCount` bits.
    static func embedding(_ network: IPAddress, bitCount: Int) -> Block {
      Block(network, bitCount: bitCount, meaning: .embeds(behindBitCount: bitCount))
    }
  }

  /// The first matching block decides. An address in no block is public in IPv4; in IPv6 only
  /// 2000::/3 is in use (RFC 4291, section 2.4).
  private static let blocks: [Block] = ipv4Blocks + ipv6Blocks

  private static let ipv4Blocks: [Block] = [
    .v4(0x0000_0000, bitCount: 8, .unspecified),  // 0.0.0.0/8, RFC 1122, section 3.2.1.3
    .v4(0x7F00_0000, bitCount: 8, .loopback),  // 127.0.0.0/8, RFC 1122, section 3.2.1.3
    .v4(0x0A00_0000, bitCount: 8, .privateUse),  // 10.0.0.0/8, RFC 1918
    .v4(0xAC10_0000, bitCount: 12, .privateUse),  // 172.16.0.0/12, RFC 1918
    .v4(0xC0A8_0000, bitCount: 16, .privateUse),  // 192.168.0.0/16, RFC 1918
    .v4(0xA9FE_0000, bitCount: 16, .linkLocal),  // 169.254.0.0/16, RFC 3927
    .v4(0x6440_0000, bitCount: 10, .shared),  // 100.64.0.0/10, RFC 6598
    .v4(0xC000_0000, bitCount: 24, .reserved),  // 192.0.0.0/24, RFC 6890
    .v4(0xC000_0200, bitCount: 24, .reserved),  // 192.0.2.0/24, RFC 5737
    .v4(0xC633_6400, bitCount: 24, .reserved),  // 198.51.100.0/24, RFC 5737
    .v4(0xCB00_7100, bitCount: 24, .reserved),  // 203.0.113.0/24, RFC 5737
    .v4(0xC058_6300, bitCount: 24, .reserved),  // 192.88.99.0/24, RFC 7526
    .v4(0xC612_0000, bitCount: 15, .reserved),  // 198.18.0.0/15, RFC 2544
    .v4(0xE000_0000, bitCount: 4, .multicast),  // 224.0.0.0/4, RFC 5771
    .v4(0xFFFF_FFFF, bitCount: 32, .broadcast),  // 255.255.255.255, RFC 919
    .v4(0xF000_0000, bitCount: 4, .reserved),  // 240.0.0.0/4, RFC 1112
  ]

  private static let ipv6Blocks: [Block] = [
    .single(.v6(0, 0), .unspecified),  // ::, RFC 4291
    .single(.v6(0, 1), .loopback),  // ::1, RFC 4291
    .embedding(.v6(0, 0), bitCount: 96),  // IPv4-compatible, RFC 4291
    .embedding(.v6(0, 0xFFFF_0000_0000), bitCount: 96),  // IPv4-mapped, RFC 4291
    // ::ffff:0:0:0/96, IPv4-translated, RFC 2765
    .embedding(.v6(0, 0xFFFF_0000_0000_0000), bitCount: 96),
    // 64:ff9b::/96, NAT64, RFC 6052
    .embedding(.v6(0x0064_FF9B_0000_0000, 0), bitCount: 96),
    .v6(0x0064_FF9B_0001_0000, bitCount: 48, .privateUse),  // 64:ff9b:1::/48, local NAT64, RFC 8215
    .embedding(.v6(0x2002_0000_0000_0000, 0), bitCount: 16),  // 6to4, RFC 3056
    // 2001::/23, protocols such as Teredo, RFC 2928; no files are served there.
    .v6(0x2001_0000_0000_0000, bitCount: 23, .reserved),
    .v6(0x2001_0DB8_0000_0000, bitCount: 32, .reserved),  // 2001:db8::/32, RFC 3849
    .v6(0x3FFF_0000_0000_0000, bitCount: 20, .reserved),  // 3fff::/20, RFC 9637
    .v6(0x2000_0000_0000_0000, bitCount: 3, .global),  // 2000::/3, RFC 4291
    .v6(0xFC00_0000_0000_0000, bitCount: 7, .uniqueLocal),  // fc00::/7, RFC 4193
    .v6(0xFE80_0000_0000_0000, bitCount: 10, .linkLocal),  // fe80::/10, RFC 4291
    .v6(0xFEC0_0000_0000_0000, bitCount: 10, .privateUse),  // fec0::/10, site-local, RFC 3879
    .v6(0xFF00_0000_0000_0000, bitCount: 8, .multicast),  // ff00::/8, RFC 4291
  ]
}

extension AddressScope {
  /// Its name in a sentence, with the article.
  public var phrase: String {
    switch self {
    case .unspecified: "an unspecified address"
    case .loopback: "a loopback address"
    case .linkLocal: "a link-local address"
    case .privateUse: "a private address"
    case .uniqueLocal: "a unique local address"
    case .shared: "a shared address"
    case .multicast: "a multicast address"
    case .broadcast: "a broadcast address"
    case .reserved: "a reserved address"
    case .global: "a public address"
    }
  }
}

/// The networks from which a host can be reached. A redirect must not lead to a host with a
/// narrower reach than its sender: the client would fetch what the redirecting server cannot.
public enum NetworkReach: Int, Sendable, Hashable, Comparable, CaseIterable, Codable {
  /// Only from this machine.
  case machine
  /// Only from networks that this machine is attached to.
  case network
  case world

  public static func < (left: NetworkReach, right: NetworkReach) -> Bool {
    left.rawValue < right.rawValue
  }
}
