import TransferModel

/// What is wrong with the keys of the configuration.
extension Strings {
  static func sentence(on problem: KeyMappingProblem, path: String) -> String {
    let action = problem.action.sanitizedForDisplay(limit: 60)
    let place = "in line \(problem.line) of \"" + path.sanitizedForDisplay(limit: 4096) + "\""
    let start = "The keys of \"\(action)\" \(place) do not hold: "
    return switch problem.what {
    case .unknownAction:
      "The action \"\(action)\" \(place) means nothing; the help screen names them all"
    case .unknownKey(let name):
      start + "no key is called \"" + name.sanitizedForDisplay(limit: 30) + "\""
    case .letterInText(let key): start + "\(key.name) is text there"
    case .taken(let key, let other): start + "\(key.name) is a key of \"\(other)\""
    case .needsKey: start + "it must have a key"
    }
  }

  /// For the message line at the start: the first, and how many there are.
  static func configurationProblems(_ sentences: [String], helpKey: String?) -> String? {
    guard let first = sentences.first else { return nil }
    guard sentences.count > 1 else { return first }
    let all = helpKey.map { "; \($0) shows all" } ?? ""
    return "\(sentences.count) problems\(all): " + first
  }

  static let headingConfiguration = "What is wrong with the configuration"
}

extension KeyMappingProblem {
  /// What is wrong, and where.
  package func sentence(path: String) -> String { Strings.sentence(on: self, path: path) }
}
