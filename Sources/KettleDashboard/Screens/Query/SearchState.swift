import KettleModel

/// The last search, and the pending request to the service.
package struct SearchState: Hashable, Sendable {
  /// The text as typed; empty when no search is active. `n` and `N` search for it.
  package internal(set) var text = ""
  var history = InputHistory()
  /// The pending request: only one at a time, however fast the user types.
  var pending: RowSearch?

  package var isOn: Bool { !words.isEmpty }

  package var words: [String] { RowFilter.words(of: text) }
}
