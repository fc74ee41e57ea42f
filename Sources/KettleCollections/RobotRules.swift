import KettleModel

/// What a server asks of programs that follow links by themselves (RFC 9309).
///
/// Paths are compared by their bytes without percent-encoding. What is taken from any bytes: at
/// most `ruleCountMax` rules of at most `ruleByteCountMax` bytes. RFC 9309 (section 2.5) lets a
/// reader stop after 500 KiB; longer rules and more rules than these are ignored.
package struct RobotRules: Hashable, Sendable {
  static let ruleCountMax = 1000
  static let ruleByteCountMax = 512
  static let byteCountMax = 500 << 10

  private struct Rule: Hashable, Sendable {
    var permits: Bool
    /// What a path must have, in this order: the first part at its beginning, others anywhere
    /// behind it.
    var parts: [[UInt8]]
    /// Whether the last part must be the end of the path.
    var isAnchored: Bool
    /// The longest rule that matches decides (RFC 9309, section 2.2.2).
    var byteCount: Int
  }

  /// The longest one first, and of equal ones that which permits.
  private let rules: [Rule]

  /// Reads the rules for `kettle`; without any, those for all programs.
  package init(_ bytes: [UInt8]) {
    var own: [Rule] = []
    var general: [Rule] = []
    var isFor = (own: false, all: false)
    var hasOwn = false
    var isInRules = true
    for line in bytes.prefix(Self.byteCountMax).split(whereSeparator: { $0 == 10 || $0 == 13 }) {
      guard let (name, value) = Self.field(line) else { continue }
      switch name {
      case "user-agent":
        if isInRules { isFor = (false, false) }
        isInRules = false
        let agent = String(decoding: value, as: UTF8.self).lowercased()
        if agent == "*" { isFor.all = true }
        // A version may follow the name.
        if agent.prefix(while: \.isLetter) == "kettle" { (isFor.own, hasOwn) = (true, true) }
      case "allow", "disallow":
        isInRules = true
        guard let rule = Self.rule(value, permits: name == "allow") else { continue }
        if isFor.own, own.count < Self.ruleCountMax { own.append(rule) }
        if isFor.all, general.count < Self.ruleCountMax { general.append(rule) }
      default: break
      }
    }
    rules = (hasOwn ? own : general)
      .sorted { ($0.byteCount, $0.permits ? 1 : 0) > ($1.byteCount, $1.permits ? 1 : 0) }
  }

  /// The rules that can concern what is below a directory.
  private init(_ rules: [Rule], below directory: [UInt8]) {
    self.rules = rules.filter { rule in
      zip(rule.parts.first ?? [], directory).allSatisfy { $0 == $1 }
    }
  }

  /// A name in lower case, and its value without a comment and blanks.
  private static func field(
    _ line: ArraySlice<UInt8>
  ) -> (name: String, value: ArraySlice<UInt8>)? {
    let isBlank: (UInt8) -> Bool = { $0 == 32 || $0 == 9 }
    let content = line.prefix { $0 != UInt8(ascii: "#") }
    guard let colon = content.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    var value = content[colon...].dropFirst().drop(while: isBlank)
    while let last = value.last, isBlank(last) { value.removeLast() }
    let name = String(decoding: content[..<colon], as: UTF8.self).trimmingBlanks().lowercased()
    return (name, value)
  }

  /// Returns nil for a rule without a path, which matches nothing.
  private static func rule(_ value: ArraySlice<UInt8>, permits: Bool) -> Rule? {
    guard !value.isEmpty, value.count <= ruleByteCountMax else { return nil }
    let isAnchored = value.last == UInt8(ascii: "$")
    let parts = (isAnchored ? value.dropLast() : value)
      .split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false)
      .map { PercentEncoding.decodedLeniently($0) }
    return Rule(permits: permits, parts: parts, isAnchored: isAnchored, byteCount: value.count)
  }

  /// Takes out of a page what its server asks programs not to fetch.
  package func restrict(_ page: inout ListingPage, of answer: ListingAnswer) {
    let relevant = RobotRules(rules, below: Self.directory(of: answer.url))
    guard !relevant.rules.isEmpty else { return }
    let count = page.members.count + page.further.count
    page.members.removeAll { !relevant.permits($0.url) && $0.url.origin == answer.url.origin }
    page.further.removeAll { !relevant.permits($0.url) && $0.url.origin == answer.url.origin }
    page.refusedCount += count - page.members.count - page.further.count
  }

  private static func directory(of url: TransferURL) -> [UInt8] {
    let path = PercentEncoding.decodedLeniently(url.path.utf8)
    return Array(path[..<(path.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex)])
  }

  func permits(_ url: TransferURL) -> Bool {
    let path = PercentEncoding.decodedLeniently(url.path.utf8)
    return rules.first { Self.matches($0, path) }?.permits ?? true
  }

  /// Compares the first place of each part, which is enough: what follows then has the most bytes
  /// left.
  private static func matches(_ rule: Rule, _ path: [UInt8]) -> Bool {
    guard let first = rule.parts.first, path.starts(with: first) else { return false }
    var rest = path[first.count...]
    let others = rule.parts.dropFirst()
    for (index, part) in zip(others.indices, others) where !part.isEmpty {
      if rule.isAnchored, index == others.indices.last {
        return rest.count >= part.count && rest.suffix(part.count).elementsEqual(part)
      }
      guard let found = place(of: part, in: rest) else { return false }
      rest = rest[(found + part.count)...]
    }
    return !rule.isAnchored || rest.isEmpty || (others.last?.isEmpty ?? false)
  }

  private static func place(of part: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
    guard let first = part.first, part.count <= bytes.count else { return nil }
    return (bytes.startIndex...(bytes.endIndex - part.count)).first { start in
      bytes[start] == first && bytes[start...].starts(with: part)
    }
  }
}
