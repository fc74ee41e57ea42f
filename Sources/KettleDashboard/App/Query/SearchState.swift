import KettleModel

/// What was searched for last, and what the service is being asked.
package struct SearchState: Hashable, Sendable {
  /// As it was typed; empty when nothing is searched for. `n` and `N` look for it.
  package internal(set) var text = ""
  var history = InputHistory()
  /// The question that was not answered yet: one at a time, however fast somebody types.
  var asked: RowSearch?

  package var isOn: Bool { !words.isEmpty }

  package var words: [String] { RowFilter.words(of: text) }
}
