/// Combines a user's mappings with the table of bindings.
struct KeymapPlan {
  private let table: [Binding]
  /// The mappings accepted so far, by action.
  private var chosen: [String: Choice] = [:]
  private(set) var problems: [KeyMappingProblem] = []

  private struct Choice {
    var keys: [Key]
    var line: Int
  }

  init(_ table: [Binding], _ mappings: [KeyMapping]) {
    self.table = table
    for mapping in mappings { add(mapping) }
  }

  var bindings: [Binding] {
    table.map { binding in
      guard let choice = chosen[binding.action] else { return binding }
      var binding = binding
      // A paste cannot be mapped to another key.
      binding.keys = choice.keys + binding.keys.filter { $0 == .paste("") }
      return binding
    }
  }

  private mutating func add(_ mapping: KeyMapping) {
    func refuse(_ what: KeyMappingProblem.What) {
      problems.append(
        KeyMappingProblem(what: what, action: mapping.action, line: mapping.line))
    }
    let bound = table.filter { $0.action == mapping.action }
    guard !bound.isEmpty else { return refuse(.unknownAction) }
    var keys: [Key] = []
    for name in mapping.keys {
      guard let key = Key(name: name) else { return refuse(.unknownKey(name)) }
      if !keys.contains(key) { keys.append(key) }
    }
    if keys.isEmpty, bound.contains(where: \.isRequired) { return refuse(.needsKey) }
    let isInText = bound.contains { $0.contexts.contains(where: \.takesText) }
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
    for binding in bindings {
      for context in binding.contexts {
        for key in binding.keys {
          let owner = owners[context, default: [:]].updateValue(binding.action, forKey: key)
          guard let owner, owner != binding.action else { continue }
          consider(binding.action, key: key, against: owner)
          consider(owner, key: key, against: binding.action)
        }
      }
    }
    return last
  }
}
