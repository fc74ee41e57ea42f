/// A property of a transfer that the configuration file may give where its client leaves it open.
public enum ConfiguredProperty: String, Hashable, Comparable, Sendable, Codable, CaseIterable {
  case directory, title, limit, priority, connections, queue
  case onConflict, serverTime, unpacking

  public static func < (left: ConfiguredProperty, right: ConfiguredProperty) -> Bool {
    left.rawValue < right.rawValue
  }
}

/// A rule of the configuration file that applies to a transfer, why, and what it has set.
public struct RuleUse: Hashable, Sendable, Codable {
  /// Counted from 1, in the order of the file when it was read.
  public var number: Int
  /// The conditions that hold, as in the file.
  public var host: String?
  public var fileExtension: String?
  public var type: String?
  public var name: String?
  /// What the rule has set; nothing of what the client chose.
  @EncodedInOrder public var properties: Set<ConfiguredProperty> = []

  public init(number: Int) { self.number = number }

  /// The rule and why it applies: `rule 2 (host example.org)`.
  package var words: String {
    let conditions = [
      host.map { "host \($0)" }, fileExtension.map { "extension \($0)" }, type.map { "type \($0)" },
      name.map { "name \($0)" },
    ].compactMap(\.self)
    return "rule \(number) (\(conditions.joined(separator: ", ")))".sanitizedForDisplay(limit: 500)
  }

  /// What it has set, for people: `directory, limit`.
  package var propertyWords: String {
    properties.sorted().map(\.rawValue).joined(separator: ", ")
  }
}

extension TransferOptions {
  /// Records that the user has chosen a property after the transfer was added. Rules do not change
  /// it any more.
  ///
  /// - Parameter isStandard: whether the value is also what a transfer has without a choice.
  package mutating func recordChoice(_ property: ConfiguredProperty, isStandard: Bool) {
    rule?.properties.remove(property)
    if isStandard { chosen.insert(property) }
  }
}
