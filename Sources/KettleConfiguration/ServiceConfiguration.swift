/// What the user set in the configuration file; nil and empty is the built-in behaviour.
package struct ServiceConfiguration: Hashable, Sendable {
  /// As it stands in the file: absolute, or beginning with `~/`.
  package var downloadsDirectory: String?
  package var transfersMax: Int?
  package var connectionsPerHostMax: Int?
  package var connectionsMax: Int?
  /// Of everything together.
  package var limitBytesPerSecond: Int64?
  package var proxy = Proxy.asInEnvironment
  /// Hosts that are reached without the proxy.
  package var noProxy: [String] = []
  /// Whether the machine counts as running from the mains, for transfers that want it.
  package var mains = Condition.auto
  /// Whether traffic counts as free of charge.
  package var unmetered = Condition.auto
  package var notify = Notify()

  package init() {}

  package enum Proxy: Hashable, Sendable {
    case asInEnvironment
    case through(String)
    /// What was given is no proxy. Going out without one would show what it was to hide.
    case unusable
  }

  package enum Condition: String, Hashable, Sendable {
    /// As the machine says.
    case auto
    case always
    case never
  }

  /// Of what the user is told when no dashboard is open.
  package struct Notify: Hashable, Sendable {
    /// Whether anything is said on the desktop at all.
    package var desktop = true
    package var failures = true
    package var finished = true
  }

  /// The downloads directory as an absolute path.
  package func downloadsDirectory(home: String) -> String? {
    downloadsDirectory.map { $0.hasPrefix("~") ? home + $0.dropFirst() : $0 }
  }
}

/// Something in the file that does not hold.
package struct ConfigurationProblem: Hashable, Sendable {
  package enum What: Hashable, Sendable {
    /// The file as a whole, in a few words.
    case unreadable(String)
    case unknownKey(String)
    /// Text that stands there without quotes.
    case unquoted(String)
    /// The key and what its value must be.
    case wrongValue(String, mustBe: String)
  }

  package var what: What
  /// nil when it is not in a line.
  package var line: Int?

  package init(_ what: What, line: Int? = nil) {
    self.what = what
    self.line = line
  }
}
