/// A rule of the user's for downloads: what must hold, and what it then sets.
package struct TransferRule: Hashable, Sendable {
  /// Counted from 1, in the order of the file.
  package var number: Int
  package var conditions = Conditions()
  package var effects = Effects()

  package init(number: Int) { self.number = number }

  /// All that have values must hold; of several values, one must.
  package struct Conditions: Hashable, Sendable {
    /// Names of hosts, each with those below it, as `HostName.plain` returns them.
    package var hosts: [String] = []
    /// Without the dot, in lower case.
    package var fileExtensions: [String] = []
    package var types: [MediaTypePattern] = []
    package var names: [NamePattern] = []

    package init() {}

    package var isEmpty: Bool {
      hosts.isEmpty && fileExtensions.isEmpty && types.isEmpty && names.isEmpty
    }
  }

  /// nil leaves the property as it is.
  package struct Effects: Hashable, Sendable {
    /// Absolute, or relative to the downloads directory.
    package var directory: String?
    /// May contain `{name}` and `{host}`.
    package var title: String?
    package var limitBytesPerSecond: Int64?
    package var priority: TransferPriority?
    package var connections: Int?
    /// A queue of the user's that the configuration file has.
    package var queue: QueueName?

    package init() {}
  }

  /// What is known of a transfer when rules are compared with it.
  package struct Circumstances: Hashable, Sendable {
    package var host: String
    /// nil if it is not known yet.
    package var name: String?
    package var type: KnownType

    package init(host: String, name: String?, type: KnownType) {
      self.host = host
      self.name = name
      self.type = type
    }
  }

  package enum KnownType: Hashable, Sendable {
    /// No response has arrived.
    case pending
    /// As the server says, without parameters; nil if it says nothing.
    case known(String?)
  }

  package enum Verdict: Hashable, Sendable {
    case matches(RuleUse)
    case doesNotMatch
    /// It depends on the name or the type, which are not known yet.
    case isOpen
  }

  /// Compares the conditions with a transfer. A rule without conditions never matches.
  package func verdict(on transfer: Circumstances) -> Verdict {
    if conditions.isEmpty { return .doesNotMatch }
    var use = RuleUse(number: number)
    var isOpen = false
    if !conditions.hosts.isEmpty {
      use.host = conditions.hosts.first { HostName.isHost(transfer.host, atOrBelow: $0) }
      if use.host == nil { return .doesNotMatch }
    }
    if let name = transfer.name {
      if !conditions.fileExtensions.isEmpty {
        let lower = name.lowercased()
        use.fileExtension = conditions.fileExtensions.first { lower.hasSuffix("." + $0) }
        if use.fileExtension == nil { return .doesNotMatch }
      }
      if !conditions.names.isEmpty {
        use.name = conditions.names.first { $0.matches(name) }?.text
        if use.name == nil { return .doesNotMatch }
      }
    } else if !conditions.fileExtensions.isEmpty || !conditions.names.isEmpty {
      isOpen = true
    }
    if !conditions.types.isEmpty {
      switch transfer.type {
      case .pending: isOpen = true
      case .known(let type):
        use.type = type.flatMap { type in conditions.types.first { $0.matches(type) }?.text }
        if use.type == nil { return .doesNotMatch }
      }
    }
    return isOpen ? .isOpen : .matches(use)
  }
}

/// A MIME type such as `application/pdf`, or all of a kind: `video/*`.
package struct MediaTypePattern: Hashable, Sendable {
  /// In lower case.
  package let text: String
  /// The type with its slash, for a pattern that ends in `/*`.
  private let kind: String?

  /// Returns nil if the text is not a type and a subtype, each a token (RFC 9110, section 8.3.1).
  package init?(_ text: String) {
    let parts = text.lowercased().split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let type = parts.first, let subtype = parts.last,
      Self.isToken(type), !type.contains("*"),
      subtype == "*" || Self.isToken(subtype) && !subtype.contains("*")
    else { return nil }
    self.text = text.lowercased()
    kind = subtype == "*" ? type + "/" : nil
  }

  /// - Parameter type: without parameters, in any case.
  package func matches(_ type: String) -> Bool {
    let type = type.lowercased()
    return kind.map(type.hasPrefix) ?? (type == text)
  }

  private static func isToken(_ text: Substring) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy(HeaderField.isTokenByte)
  }
}

/// A pattern for names, such as `*.iso`: `*` stands for any text and `?` for one character. Case
/// does not matter.
package struct NamePattern: Hashable, Sendable {
  /// As written.
  package let text: String
  private let characters: [Character]

  package static let byteCountMax = 200

  /// Returns nil if the text is empty, too long, or has a slash or a control character in it.
  package init?(_ text: String) {
    guard (1...Self.byteCountMax).contains(text.utf8.count), !text.contains("/"),
      !text.unicodeScalars.contains(where: \.isControl)
    else { return nil }
    self.text = text
    characters = Array(text.lowercased())
  }

  /// Whether the pattern stands for the whole name. The time is at most proportional to the product
  /// of both lengths.
  package func matches(_ name: String) -> Bool {
    let name = Array(name.lowercased())
    var position = 0
    var nameIndex = 0
    // The last star, and where the text that it stands for ends so far.
    var star: (position: Int, end: Int)?
    while nameIndex < name.count {
      let character = position < characters.count ? characters[position] : nil
      if character == "*" {
        star = (position, nameIndex)
        position += 1
      } else if character == "?" || character == name[nameIndex] {
        position += 1
        nameIndex += 1
      } else if let last = star {
        star = (last.position, last.end + 1)
        position = last.position + 1
        nameIndex = last.end + 1
      } else {
        return false
      }
    }
    return characters[position...].allSatisfy { $0 == "*" }
  }
}

/// A property of a transfer that a rule can set.
struct RuledSetting: Sendable {
  let property: ConfiguredProperty
  /// Whether the property still has its default.
  ///
  /// - Parameter standard: a transfer for which nothing was chosen.
  let isStandard: @Sendable (_ spec: TransferSpec, _ standard: TransferSpec) -> Bool
  let reset: @Sendable (inout TransferSpec, _ standard: TransferSpec) -> Void
  /// Sets the property. Returns whether the rule has a value for it.
  let apply: @Sendable (TransferRule.Effects, inout TransferSpec) -> Bool

  /// All of them. Another effect of rules needs a line here and one in `ConfiguredProperty`,
  /// `TransferRule.Effects` and `ConfigurationKeys.rules`.
  static let all = [
    RuledSetting(.directory, \.directory, to: \.directory),
    RuledSetting(.title, \.title, to: \.title),
    RuledSetting(.limit, \.limitBytesPerSecond, to: \.limitBytesPerSecond),
    RuledSetting(.priority, \.priority, to: \.priority),
    RuledSetting(.connections, \.connections, to: \.connections),
    // A transfer in the standard queue has no name of a queue.
    RuledSetting(.queue, \.queue, to: \.options.queue) { $0 == .standard ? nil : $0 },
  ]

  private init<Value: Equatable & Sendable>(
    _ property: ConfiguredProperty,
    _ effect: any KeyPath<TransferRule.Effects, Value?> & Sendable,
    to target: any WritableKeyPath<TransferSpec, Value?> & Sendable,
    stored: @escaping @Sendable (Value) -> Value? = { $0 }
  ) {
    self.property = property
    isStandard = { $0[keyPath: target] == $1[keyPath: target] }
    reset = { $0[keyPath: target] = $1[keyPath: target] }
    apply = { effects, spec in
      guard let value = effects[keyPath: effect] else { return false }
      spec[keyPath: target] = stored(value)
      return true
    }
  }

  private init<Value: Equatable & Sendable>(
    _ property: ConfiguredProperty,
    _ effect: any KeyPath<TransferRule.Effects, Value?> & Sendable,
    to target: any WritableKeyPath<TransferSpec, Value> & Sendable
  ) {
    self.property = property
    isStandard = { $0[keyPath: target] == $1[keyPath: target] }
    reset = { $0[keyPath: target] = $1[keyPath: target] }
    apply = { effects, spec in
      guard let value = effects[keyPath: effect] else { return false }
      spec[keyPath: target] = value
      return true
    }
  }
}
