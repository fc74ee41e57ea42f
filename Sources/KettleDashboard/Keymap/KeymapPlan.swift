/// Combines a user's mappings with the table of actions.
struct KeymapPlan {
  private let table: [Action]
  /// The mappings accepted so far, by action.
  private var chosen: [String: Choice] = [:]
  private(set) var problems: [KeyMappingProblem] = []

  private struct Choice {
    var keys: [Key]
    var line: Int
  }

  init(_ table: [Action], _ mappings: [KeyMapping]) {
    self.table = table
    for mapping in mappings { add(mapping) }
  }

  var actions: [Action] {
    table.map { action in
      guard let choice = chosen[action.name] else { return action }
      var action = action
      // A paste cannot be mapped to another key.
      action.keys = choice.keys + action.keys.filter { $0 == .paste("") }
      return action
    }
  }

  private mutating func add(_ mapping: KeyMapping) {
    func refuse(_ what: KeyMappingProblem.What) {
      problems.append(
        KeyMappingProblem(what: what, action: mapping.action, line: mapping.line))
    }
    guard let action = table.first(where: { $0.name == mapping.action }) else {
      return refuse(.unknownAction)
    }
    var keys: [Key] = []
    for name in mapping.keys {
      guard let key = Key(name: name) else { return refuse(.unknownKey(name)) }
      if !keys.contains(key) { keys.append(key) }
    }
    if keys.isEmpty, action.isRequired { return refuse(.needsKey) }
    let isInText = action.contexts.contains(where: \.takesText)
    if isInText, let letter = keys.first(where: { $0.typedText != nil }) {
      return refuse(.letterInText(letter))
    }
    chosen[mapping.action] = Choice(keys: keys, line: mapping.line)
  }

  /// Rejects mappings, the last line first, until no key has two meanings in one context. A
  /// rejected action gets its default keys back, which may conflict with another mapping.
  mutating func resolveConflicts() {
    while let conflict = lastConflict() {
      chosen[conflict.action] = nil
      problems.append(conflict)
    }
  }

  private func lastConflict() -> KeyMappingProblem? {
    var owners: [KeyContext: [Key: String]] = [:]
    var last: KeyMappingProblem?
    func consider(_ action: String, key: Key, against other: String) {
      guard let choice = chosen[action], choice.line > last?.line ?? .min else { return }
      last = KeyMappingProblem(what: .bound(key, by: other), action: action, line: choice.line)
    }
    for action in actions {
      for context in action.contexts {
        for key in action.keys {
          let owner = owners[context, default: [:]].updateValue(action.name, forKey: key)
          guard let owner, owner != action.name else { continue }
          consider(action.name, key: key, against: owner)
          consider(owner, key: key, against: action.name)
        }
      }
    }
    return last
  }
}
