import TransferModel

/// How near a host is, as far as its name or address tells: a server out in the world must not send
/// a downloader to machines that only the user's network reaches.
///
/// What a name resolves to is not known here, so a name of the world may still lead inside; the
/// bytes of such a reply go into a file of the user's and nowhere else.
package enum HostScope: Int, Sendable, Comparable {
  /// This machine.
  case machine
  /// The own network: private, link-local and shared addresses (RFC 1918, 3927, 4193, 6598), names
  /// without a dot or of zones that are never public (RFC 6762, 8375).
  case network
  case world

  package static func < (left: HostScope, right: HostScope) -> Bool {
    left.rawValue < right.rawValue
  }

  package init(of host: String) {
    let name = host.lowercased()
    if name.hasPrefix("[") || name.contains(":") {
      self = Self.ofIPv6(name.filter { $0 != "[" && $0 != "]" })
    } else if let address = Self.ipv4(name) {
      self = Self.ofIPv4(address)
    } else if Self.isNumeric(name) {
      // 127.1, 0x7f000001 and 2130706433 are this machine to some and nothing to others.
      self = .machine
    } else {
      self = Self.ofName(name)
    }
  }

  private static func ofName(_ name: String) -> HostScope {
    let labels = name.split(separator: ".")
    guard let last = labels.last else { return .machine }
    if last == "localhost" { return .machine }
    if labels.count == 1 { return .network }
    let inner: Set<Substring> = ["local", "lan", "internal", "intranet", "home", "corp", "private"]
    return inner.contains(last) || name.hasSuffix(".home.arpa") ? .network : .world
  }

  // MARK: Addresses

  private static func ipv4(_ text: String) -> UInt32? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    var address: UInt32 = 0
    for part in parts {
      guard let number = UInt8(part), part.count == 1 || part.first != "0" else { return nil }
      address = address << 8 | UInt32(number)
    }
    return address
  }

  private static func isNumeric(_ text: String) -> Bool {
    text.split(separator: ".").allSatisfy { part in
      part.allSatisfy(\.isNumber)
        || (part.hasPrefix("0x") && part.dropFirst(2).allSatisfy(\.isHexDigit))
    }
  }

  private static func ofIPv4(_ address: UInt32) -> HostScope {
    func isIn(_ network: UInt32, _ bits: UInt32) -> Bool { (address ^ network) >> (32 - bits) == 0 }
    if isIn(0x7F00_0000, 8) || isIn(0, 8) { return .machine }
    let isInner =
      isIn(0x0A00_0000, 8) || isIn(0xAC10_0000, 12) || isIn(0xC0A8_0000, 16)
      || isIn(0xA9FE_0000, 16) || isIn(0x6440_0000, 10)
    return isInner ? .network : .world
  }

  private static func ofIPv6(_ text: String) -> HostScope {
    // A zone (`%eth0`) is only for link-local addresses.
    guard !text.contains("%"), let groups = ipv6(text) else { return .network }
    let isMapped = groups[..<5].allSatisfy { $0 == 0 } && (groups[5] == 0xFFFF || groups[5] == 0)
    if isMapped { return ofIPv4(UInt32(groups[6]) << 16 | UInt32(groups[7])) }
    // Link-local fe80::/10, unique local fc00::/7.
    let isInner = groups[0] & 0xFFC0 == 0xFE80 || groups[0] & 0xFE00 == 0xFC00
    return isInner ? .network : .world
  }

  /// Eight groups; nil for what is no address.
  private static func ipv6(_ text: String) -> [UInt16]? {
    let halves = text.components(separatedByDoubleColon: ())
    guard halves.count <= 2 else { return nil }
    let parts = halves.map(groups)
    guard let front = parts[0] else { return nil }
    if halves.count == 1 { return front.count == 8 ? front : nil }
    guard let back = parts[1], front.count + back.count < 8 else { return nil }
    return front + [UInt16](repeating: 0, count: 8 - front.count - back.count) + back
  }

  private static func groups(_ text: Substring) -> [UInt16]? {
    if text.isEmpty { return [] }
    var groups: [UInt16] = []
    for part in text.split(separator: ":", omittingEmptySubsequences: false) {
      if let address = ipv4(String(part)) {
        groups += [UInt16(truncatingIfNeeded: address >> 16), UInt16(truncatingIfNeeded: address)]
      } else {
        guard part.count <= 4, let group = UInt16(part, radix: 16) else { return nil }
        groups.append(group)
      }
    }
    return groups
  }
}

extension String {
  /// What stands before and behind each `::`.
  fileprivate func components(separatedByDoubleColon: Void) -> [Substring] {
    var parts: [Substring] = []
    var start = startIndex
    var index = startIndex
    while index < endIndex {
      let next = self.index(after: index)
      if self[index] == ":", next < endIndex, self[next] == ":" {
        parts.append(self[start..<index])
        start = self.index(after: next)
        index = start
      } else {
        index = next
      }
    }
    return parts + [self[start...]]
  }
}
