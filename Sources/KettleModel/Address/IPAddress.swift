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
