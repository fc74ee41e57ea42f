import KettleModel

/// Problems with the configuration.
extension Strings {
  static func sentence(on problem: KeyMappingProblem, path: String) -> String {
    let action = problem.action.sanitizedForDisplay(limit: 60)
    let location = "on line \(problem.line) of \"" + path.sanitizedForDisplay(limit: 4096) + "\""
    let start = "The keys of \"\(action)\" \(location) are ignored: "
    return switch problem.what {
    case .unknownAction:
      "Unknown action \"\(action)\" \(location); the help screen lists all actions"
    case .unknownKey(let name):
      start + "there is no key \"" + name.sanitizedForDisplay(limit: 30) + "\""
    case .letterInText(let key): start + "\(key.name) types text there"
    case .bound(let key, let other): start + "\(key.name) is already bound to \"\(other)\""
    case .needsKey: start + "it needs at least one key"
    }
  }

  static func sentence(on problem: ThemeProblem, path: String) -> String {
    func quoted(_ text: String, limit: Int = 4096) -> String {
      "\"" + text.sanitizedForDisplay(limit: limit) + "\""
    }
    let location = "on line \(problem.line) of " + quoted(path)
    switch problem.what {
    case .unknownColor(let name):
      let names = ThemeColor.allCases.map(\.rawValue).joined(separator: ", ")
      return "Unknown colour \(quoted(name, limit: 60)) \(location); the colours are \(names)"
    case .unknownTheme(let name, let file):
      return "Unknown theme \(quoted(name, limit: 60)) \(location); \(quoted(file)) does not "
        + "exist, and the built-in themes are \(BuiltInTheme.names)"
    case .unknownBase(let name):
      return "Unknown theme \(quoted(name, limit: 60)) \(location); "
        + "the built-in themes are \(BuiltInTheme.names)"
    }
  }

  /// Returns the text of the message line: the first problem, and where the rest can be read when
  /// there are more or the line is too short.
  static func problems(_ sentences: [String], helpKey: String?, width: Int) -> String? {
    guard let first = sentences.first else { return nil }
    if sentences.count == 1, first.count <= width { return first }
    let all = helpKey.map { "; \($0) shows all" } ?? ""
    let count = sentences.count == 1 ? "1 problem" : "\(sentences.count) problems"
    return count + all + ": " + first
  }

  static let headingService = "Service notices"
  static let headingConfiguration = "Configuration problems"
}

extension KeyMappingProblem {
  /// What is wrong, and where.
  package func sentence(path: String) -> String { Strings.sentence(on: self, path: path) }
}
