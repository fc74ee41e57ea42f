/// What the configuration file decides for downloads where their clients leave it open.
package struct TransferRules: Hashable, Sendable {
  /// In the order of the file: the first one that matches counts.
  package var rules: [TransferRule]
  package var defaults: TransferDefaults
  /// Where files go without a directory of their own. Absolute.
  package let documentsDirectory: String

  package init(
    _ rules: [TransferRule] = [], defaults: TransferDefaults = TransferDefaults(),
    documentsDirectory: String = ""
  ) {
    self.rules = rules
    self.defaults = defaults
    self.documentsDirectory = documentsDirectory
  }

  /// The outcome of a comparison with all rules.
  package struct Decision: Hashable, Sendable {
    /// The first rule that matches; nil if none does.
    package var match: Match?
    /// The numbers of the rules before it that may match when the response is known.
    package var open: [Int] = []
  }

  package struct Match: Hashable, Sendable {
    package var rule: TransferRule
    package var use: RuleUse
  }

  package func decision(on transfer: TransferRule.Circumstances) -> Decision {
    var decision = Decision()
    for rule in rules {
      switch rule.verdict(on: transfer) {
      case .matches(let use):
        decision.match = Match(rule: rule, use: use)
        return decision
      case .isOpen: decision.open.append(rule.number)
      case .doesNotMatch: break
      }
    }
    return decision
  }

  /// Returns a new transfer with its directory, the defaults, and what the first rule sets that
  /// matches without a response. A task of a program stays as it is.
  package func completed(_ spec: TransferSpec) -> TransferSpec {
    guard spec.task == nil else { return spec }
    var spec = spec
    spec.options.rule = nil
    if spec.directory == nil {
      spec.directory = documentsDirectory
    } else if spec.directory == documentsDirectory {
      spec.options.chosen.insert(.directory)
    }
    defaults.complete(&spec)
    guard !rules.isEmpty else { return spec }
    let transfer = TransferRule.Circumstances(
      host: spec.url.host, name: spec.name?.text ?? spec.url.lastSegment, type: .pending)
    apply(decision(on: transfer).match, to: &spec, name: transfer.name)
    return spec
  }

  /// Returns a transfer with what the first matching rule sets, in place of what another rule set
  /// before the response was known. A task of a program stays as it is.
  ///
  /// - Parameters:
  ///   - name: that of the file.
  ///   - type: that of the response; nil if it has none.
  package func adapted(
    _ spec: TransferSpec, toName name: String, type: String?
  ) -> TransferSpec {
    guard spec.task == nil, !rules.isEmpty || spec.options.rule != nil else { return spec }
    var spec = spec
    let transfer = TransferRule.Circumstances(
      host: spec.url.host, name: name, type: .known(type))
    apply(decision(on: transfer).match, to: &spec, name: name)
    return spec
  }

  /// - Parameter name: for a title.
  private func apply(_ match: Match?, to spec: inout TransferSpec, name: String?) {
    let standard = standard(for: spec.url)
    for setting in RuledSetting.all
    where spec.options.rule?.properties.contains(setting.property) == true {
      setting.reset(&spec, standard)
    }
    spec.options.rule = match?.use
    guard let match else { return }
    let effects = resolved(match.rule.effects, host: spec.url.host, name: name)
    for setting in RuledSetting.all
    where !spec.options.chosen.contains(setting.property) && setting.isStandard(spec, standard) {
      if setting.apply(effects, &spec) {
        spec.options.rule?.properties.insert(setting.property)
      }
    }
  }

  /// A transfer for which nothing was chosen.
  private func standard(for url: TransferURL) -> TransferSpec {
    var spec = TransferSpec(url: url)
    spec.directory = documentsDirectory
    return spec
  }

  /// Returns the effects with an absolute directory and the text of the title.
  package func resolved(
    _ effects: TransferRule.Effects, host: String, name: String?
  ) -> TransferRule.Effects {
    var effects = effects
    effects.directory = effects.directory.map {
      $0.hasPrefix("/") || ObjectPrefix($0) != nil ? $0 : "\(documentsDirectory)/\($0)"
    }
    effects.title = effects.title.flatMap { title in
      let needsName = title.contains("{name}")
      if needsName, name == nil { return nil }
      return title.replacing("{host}", with: host)
        .replacing("{name}", with: (name ?? "").sanitizedForDisplay(limit: 250))
    }
    return effects
  }
}

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

/// What a new transfer gets in place of the built-in behavior.
package struct TransferDefaults: Hashable, Sendable {
  package var onConflict = ConflictPolicy.rename
  /// Whether files get the modification time that the server gives.
  package var keepsServerTime = false
  /// Whether compressed responses are unpacked.
  package var unpacks = false

  package init() {}

  fileprivate func complete(_ spec: inout TransferSpec) {
    if spec.onConflict == .rename, !spec.options.chosen.contains(.onConflict) {
      spec.onConflict = onConflict
    }
    if keepsServerTime, !spec.options.chosen.contains(.serverTime) {
      spec.options.keepsServerTime = true
    }
    if unpacks, !spec.options.chosen.contains(.unpacking) { spec.options.unpacks = true }
  }
}

extension TransferURL {
  /// The last segment of the path, decoded; nil if the path ends in a slash.
  package var lastSegment: String? {
    let segment = path[path.index(after: path.lastIndex(of: "/") ?? path.startIndex)...]
    if segment.isEmpty { return nil }
    return String(decoding: PercentEncoding.decodedLeniently(segment.utf8), as: UTF8.self)
  }
}
