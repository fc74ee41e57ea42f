/// The user's keys for one action, and where they are configured.
package struct KeyMapping: Hashable, Sendable {
  package var action: String
  /// The names of keys; an empty list unbinds the action.
  package var keys: [String]
  /// The line in the configuration file.
  package var line: Int

  package init(action: String, keys: [String], line: Int) {
    self.action = action
    self.keys = keys
    self.line = line
  }
}

/// A mapping that is rejected: the action keeps its default keys.
package struct KeyMappingProblem: Hashable, Sendable {
  package enum What: Hashable, Sendable {
    case unknownAction
    case unknownKey(String)
    /// A letter cannot be a command where letters are text.
    case letterInText(Key)
    /// Another action has the key in the same context.
    case bound(Key, by: String)
    /// The action must have a key, or the user could not leave the screen.
    case needsKey
  }

  package var what: What
  package var action: String
  package var line: Int
}
