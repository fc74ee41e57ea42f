import Glibc

/// The hosts that are reached without a proxy.
///
/// A name stands for itself and for everything below it, with or without a dot in front; an address
/// stands for itself, with `/n` for a network; `*` stands for all.
package struct ProxyExceptions: Sendable, Hashable {
  private enum Pattern: Sendable, Hashable {
    case everything
    case name(String)
    case network([UInt8], bitCount: Int)
  }

  private let patterns: [Pattern]

  package init(_ texts: [String]) { patterns = texts.compactMap(Self.pattern) }

  /// Reads them from one text, with commas or blanks between them.
  package init(list: String) {
    self.init(list.split { $0 == "," || $0 == " " || $0 == "\t" }.map(String.init))
  }

  /// `host` is in lower case, an IPv6 address in brackets.
  func contain(_ host: String) -> Bool {
    let address = Self.address(host[...])
    let name = Self.withoutDots(host[...])
    return patterns.contains { pattern in
      switch pattern {
      case .everything: true
      case .name(let other): address == nil && (name == other || name.hasSuffix("." + other))
      case .network(let other, let bitCount):
        address.map { Self.begins($0, with: other, bitCount: bitCount) } ?? false
      }
    }
  }

  private static func pattern(_ text: String) -> Pattern? {
    if text == "*" { return .everything }
    let parts = text.lowercased().split(
      separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first else { return nil }
    if let address = address(first) {
      guard parts.count > 1 else { return .network(address, bitCount: address.count * 8) }
      guard let bitCount = Int(parts[1]), (0...address.count * 8).contains(bitCount) else {
        return nil
      }
      return .network(address, bitCount: bitCount)
    }
    let name = withoutDots(first)
    return parts.count > 1 || name.isEmpty ? nil : .name(name)
  }

  /// A dot in front and the one of the root behind mean nothing here.
  private static func withoutDots(_ text: Substring) -> String {
    let front = text.first == "." ? text.dropFirst() : text
    return String(front.last == "." ? front.dropLast() : front)
  }

  /// The 4 or 16 bytes of an address; nil for a name.
  private static func address(_ text: Substring) -> [UInt8]? {
    let bare = text.hasPrefix("[") && text.hasSuffix("]") ? text.dropFirst().dropLast() : text
    for (family, byteCount) in [(AF_INET, 4), (AF_INET6, 16)] {
      var bytes = [UInt8](repeating: 0, count: byteCount)
      if inet_pton(family, String(bare), &bytes) == 1 { return bytes }
    }
    return nil
  }

  private static func begins(_ address: [UInt8], with other: [UInt8], bitCount: Int) -> Bool {
    guard address.count == other.count else { return false }
    return zip(address, other).enumerated().allSatisfy { index, pair in
      let bits = min(max(bitCount - index * 8, 0), 8)
      let mask = bits == 0 ? 0 : UInt8.max << UInt8(8 - bits)
      return pair.0 & mask == pair.1 & mask
    }
  }
}
