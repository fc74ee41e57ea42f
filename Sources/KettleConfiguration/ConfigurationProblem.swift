import KettleModel

/// A setting in the file that has no effect.
package struct ConfigurationProblem: Error, Hashable, Sendable {
  package enum What: Hashable, Sendable {
    /// The whole file cannot be read, for the given reason.
    case unreadable(String)
    case unknownKey(String)
    /// The value of the key is unquoted text.
    case unquoted(String)
    /// A key of an element that an array of tables does not have yet; the array, and the number of
    /// the element that can be added.
    case missingElement(String, of: String, next: Int)
    /// An element of an array of tables lacks a key that it needs.
    case incomplete(String, lacks: String)
    /// A key that belongs below the header of an array of tables.
    case notInArray(String, of: String)
    /// A rule that would hold for every download.
    case withoutCondition(String)
    /// A key that another one gives too; this one counts.
    case givenTwice(String, insteadOf: String)
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

extension ConfigurationProblem {
  /// Whether the file as a whole cannot be read, so that it may forbid something unknown.
  package var hidesTheFile: Bool {
    switch what {
    case .unreadable: true
    case .unknownKey, .unquoted, .missingElement, .incomplete, .notInArray, .withoutCondition,
      .givenTwice, .wrongValue:
      false
    }
  }

  /// Whether a setting that was meant has no effect, so that less may be forbidden than before.
  package var loosens: Bool {
    switch what {
    case .unreadable, .unquoted, .missingElement, .notInArray, .withoutCondition, .wrongValue: true
    // Another version may know the key; the keys of an element are set one by one; and of two
    // values, one counts.
    case .unknownKey, .incomplete, .givenTwice: false
    }
  }
}

/// The reader of the file, which has to read it again after a change.
package enum ConfigurationReader: Hashable, Sendable {
  /// A command that checks the file for the service.
  case service
  /// The service before it has any settings.
  case startingService
  /// The service that has settings already.
  case runningService
  case dashboard

  fileprivate var remedy: String {
    switch self {
    case .service, .startingService, .runningService: "run \"kettle config reload\""
    case .dashboard: "start the dashboard again"
    }
  }

  /// What follows from a problem of the whole file.
  fileprivate var consequence: String {
    switch self {
    case .service: "so none of its settings is known"
    case .startingService: "so nothing is sent that it may forbid"
    case .runningService: "so the settings in use stay in effect"
    case .dashboard: "so the file is ignored"
    }
  }

  /// What can be done in place of correcting the file.
  fileprivate var wayOut: String {
    switch self {
    case .startingService:
      ", or go on without it with \"kettle config reload --without-file\""
    case .service, .runningService, .dashboard: ""
    }
  }
}

extension ConfigurationProblem {
  /// Says why `kettle config set` does not set a key.
  package func refusal(path: String) -> String {
    switch what {
    case .unknownKey(let key):
      let question = Self.nearestKey(to: key).map { " (did you mean \"\($0)\"?)" } ?? ""
      return "There is no key \"\(key.sanitizedForDisplay(limit: 100))\"\(question); "
        + "\"man kettle-config\" lists the keys"
    case .wrongValue(let key, let expectation):
      return "The value of \"\(key)\" must be \(expectation); nothing was changed"
    case .unreadable, .unquoted, .missingElement, .incomplete, .notInArray, .withoutCondition,
      .givenTwice:
      return sentence(path: path)
    }
  }

  /// States the problem, its location and the remedy. Omits values: one may be a password.
  package func sentence(path: String, for reader: ConfigurationReader = .service) -> String {
    let file = "\"" + path.sanitizedForDisplay(limit: 4096) + "\""
    let location = line.map { "line \($0) of \(file)" } ?? file
    let remedy = "correct it and " + reader.remedy
    switch what {
    case .unreadable(let detail):
      let reason = detail.sanitizedForDisplay(limit: 200)
      let start = location.prefix(1).uppercased() + location.dropFirst()
      return "\(start) cannot be read (\(reason)), \(reader.consequence); \(remedy)"
        + reader.wayOut
    case .unknownKey(let key):
      let name = key.sanitizedForDisplay(limit: 100)
      let question = Self.nearestKey(to: key).map { " (did you mean \"\($0)\"?)" } ?? ""
      return "The key \"\(name)\" in \(location) is unknown\(question); \(remedy)"
    case .unquoted(let key):
      return "The value of \"\(key)\" in \(location) is not quoted; put it in quotes "
        + "and run \"kettle config reload\""
    case .missingElement(let key, let array, let next):
      return "\"\(key.sanitizedForDisplay(limit: 100))\" belongs to no [[\(array)]] in "
        + "\(location); the next one that can be added is \"\(array).\(next)\""
    case .incomplete(let element, let key):
      return "\"\(element)\" in \(location) has no \"\(key)\", so it has no effect; \(remedy)"
    case .notInArray(let key, let array):
      return "\"\(key.sanitizedForDisplay(limit: 100))\" in \(location) has no effect, because "
        + "each element of \"\(array)\" begins with [[\(array)]]; \(remedy)"
    case .withoutCondition(let rule):
      return "\"\(rule)\" in \(location) has no effect, because it has no host, extension, type or "
        + "name; \(remedy)"
    case .givenTwice(let key, let other):
      return "\"\(key.sanitizedForDisplay(limit: 100))\" in \(location) counts in place of "
        + "\"\(other.sanitizedForDisplay(limit: 100))\"; remove one of them and \(reader.remedy)"
    case .wrongValue(let key, let expectation):
      return "The value of \"\(key)\" in \(location) must be \(expectation); \(remedy)"
    }
  }
}
