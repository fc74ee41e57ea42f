import KettleModel

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
    let place = line.map { "line \($0) of \(file)" } ?? file
    let change = "correct it and " + reader.restart
    switch what {
    case .unreadable(let detail):
      let words = detail.sanitizedForDisplay(limit: 200)
      let start = place.prefix(1).uppercased() + place.dropFirst()
      return "\(start) cannot be read (\(words)), so nothing in the file holds; \(change)"
    case .unknownKey(let key):
      let name = key.sanitizedForDisplay(limit: 100)
      return "The key \"\(name)\" in \(place) means nothing; \(change)"
    case .unquoted(let key):
      return "The value of \"\(key)\" in \(place) has no quotes; put it in quotes "
        + "and restart the service with \"kettle daemon stop\""
    case .wrongValue(let key, let expectation):
      return "The value of \"\(key)\" in \(place) must be \(expectation); \(change)"
    }
  }
}
