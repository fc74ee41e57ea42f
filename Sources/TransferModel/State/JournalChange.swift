/// A change to what the store keeps.
public enum JournalChange: Sendable, Hashable {
  /// Adds the record, or replaces the one with its id.
  case put(TransferRecord)
  case remove(TransferID)
}
