/// A change to the store.
public enum JournalChange: Sendable, Hashable {
  /// Adds the record, or replaces the one with its id. A record is a kilobyte; lists of changes are
  /// copied and moved on their way to the store.
  indirect case put(TransferRecord)
  /// Sets the durable ranges of the record with this id, which has resume data. Everything else
  /// stays as it was last put.
  case progress(TransferID, ByteRangeSet)
  case remove(TransferID)
  /// Adds the session, or replaces the one with its name.
  case putSession(SessionRecord)
  /// Forgets a session; its number of task identifiers stays known.
  case removeSession(SessionID)
  /// Takes every completed transfer up to this finish number out of view; none comes back by it.
  case clearFinished(upTo: Int64)
}
