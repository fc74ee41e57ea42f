/// Marks for controls over many transfers.
package enum MarkCommand: Hashable, Sendable, CaseIterable {
  /// Marks or unmarks the row under the cursor, and moves to the next one.
  case toggle
  /// Marks all that match the filter, including rows that are not visible.
  case all
  case none, invert
}
