/// What the user wants the keys of one action to be, and where that was said.
package struct KeyMapping: Hashable, Sendable {
  package var action: String
  /// The names of keys; none takes the action's keys away.
  package var keys: [String]
  /// Of the configuration file.
  package var line: Int

  package init(action: String, keys: [String], line: Int) {
    self.action = action
    self.keys = keys
    self.line = line
  }
}

/// A mapping that does not hold: the action keeps the keys that it has without it.
package struct KeyMappingProblem: Hashable, Sendable {
  package enum What: Hashable, Sendable {
    case unknownAction
    case unknownKey(String)
    /// A letter cannot be a command where letters are text.
    case letterInText(Key)
    /// The other action that has the key in the same place.
    case taken(Key, by: String)
    /// Without a key for it nobody would find the way out.
    case needsKey
  }

  package var what: What
  package var action: String
  package var line: Int
}
