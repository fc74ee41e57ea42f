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
