import KettleModel

/// The hosts that are reached without a proxy.
///
/// A name matches itself and everything below it, with or without a leading dot; an address matches
/// itself, or a network with `/n`; `*` matches everything.
package struct ProxyExceptions: Sendable, Hashable {
  private enum Pattern: Sendable, Hashable {
    case everything
    case name(String)
    case network(IPAddress, bitCount: Int)
  }

  private let patterns: [Pattern]

  package init(_ texts: [String]) { patterns = texts.compactMap(Self.pattern) }

  /// Parses a list separated by commas or blanks.
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
        address?.isIn(other, bitCount: bitCount) ?? false
      }
    }
  }

  private static func pattern(_ text: String) -> Pattern? {
    if text == "*" { return .everything }
    let parts = text.lowercased().split(
      separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first else { return nil }
    if let address = address(first) {
      let bitCountMax = address.bitCount
      guard parts.count > 1 else { return .network(address, bitCount: bitCountMax) }
      guard let bitCount = Int(parts[1]), (0...bitCountMax).contains(bitCount) else { return nil }
      return .network(address, bitCount: bitCount)
    }
    let name = withoutDots(first)
    return parts.count > 1 || name.isEmpty ? nil : .name(name)
  }

  /// A leading dot and the trailing dot of the root have no meaning here.
  private static func withoutDots(_ text: Substring) -> String {
    let front = text.first == "." ? text.dropFirst() : text
    return String(front.last == "." ? front.dropLast() : front)
  }

  /// Returns nil for a name.
  private static func address(_ text: Substring) -> IPAddress? {
    let isBracketed = text.hasPrefix("[") && text.hasSuffix("]")
    return IPAddress(isBracketed ? text.dropFirst().dropLast() : text)
  }
}
