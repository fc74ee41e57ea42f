/// A change to what the store keeps.
public enum JournalChange: Sendable, Hashable {
  /// Adds the record, or replaces the one with its id.
  case put(TransferRecord)
  case remove(TransferID)
  /// Adds the session, or replaces the one with its name.
  case putSession(SessionRecord)
  /// Forgets a session; its number of task identifiers stays known.
  case removeSession(SessionID)
  /// Takes every completed transfer up to this finish number out of view; none comes back by it.
  case clearFinished(upTo: Int64)
}
