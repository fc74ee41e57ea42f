/// Marks for a control over many transfers.
package enum MarkCommand: Hashable, Sendable, CaseIterable {
  /// Marks the row under the cursor, or takes its mark away, and goes on to the next.
  case toggle
  /// All that pass the filter, also those that are not seen.
  case all
  case none, invert
}
