import KettleModel

/// A setting in the file that has no effect.
package struct ConfigurationProblem: Hashable, Sendable {
  package enum What: Hashable, Sendable {
    /// The whole file cannot be read, for the given reason.
    case unreadable(String)
    case unknownKey(String)
    /// The value of the key is unquoted text.
    case unquoted(String)
    /// The key, and the values that it accepts.
    case wrongValue(String, mustBe: String)
  }

  package var what: What
  /// nil if the problem has no line.
  package var line: Int?

  package init(_ what: What, line: Int? = nil) {
    self.what = what
    self.line = line
  }
}

/// The reader of the file, which must be restarted after a change.
package enum ConfigurationReader: Hashable, Sendable {
  case service, dashboard

  fileprivate var restart: String {
    switch self {
    case .service: "restart the service with \"kettle daemon stop\""
    case .dashboard: "start the dashboard again"
    }
  }
}

extension ConfigurationProblem {
  /// States the problem, its location and the remedy. Omits values: one may be a password.
  package func sentence(path: String, for reader: ConfigurationReader = .service) -> String {
    let file = "\"" + path.sanitizedForDisplay(limit: 4096) + "\""
    let location = line.map { "line \($0) of \(file)" } ?? file
    let remedy = "correct it and " + reader.restart
    switch what {
    case .unreadable(let detail):
      let reason = detail.sanitizedForDisplay(limit: 200)
      let start = location.prefix(1).uppercased() + location.dropFirst()
      return "\(start) cannot be read (\(reason)), so the file is ignored; \(remedy)"
    case .unknownKey(let key):
      let name = key.sanitizedForDisplay(limit: 100)
      return "The key \"\(name)\" in \(location) is unknown; \(remedy)"
    case .unquoted(let key):
      return "The value of \"\(key)\" in \(location) is not quoted; put it in quotes "
        + "and restart the service with \"kettle daemon stop\""
    case .wrongValue(let key, let expectation):
      return "The value of \"\(key)\" in \(location) must be \(expectation); \(remedy)"
    }
  }
}
