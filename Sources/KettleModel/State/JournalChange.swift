/// A change to the store.
public enum JournalChange: Sendable, Hashable {
  /// Inserts the record or replaces the one with the same id. Indirect, because a record is about a
  /// kilobyte and lists of changes are copied on their way to the store.
  indirect case put(TransferRecord)
  /// Sets the durable ranges in the resume data of a record and changes nothing else.
  case progress(TransferID, ByteRangeSet)
  case remove(TransferID)
  /// Inserts the session or replaces the one with the same name.
  case putSession(SessionRecord)
  /// Removes a session but keeps its counter of task identifiers.
  case removeSession(SessionID)
  /// Clears every completed transfer up to this finish number from view. A lower number than before
  /// has no effect.
  case clearFinished(upTo: Int64)
  /// Brings completed transfers back into view, except those up to this finish number; nil brings
  /// back all.
  case uncover(clearedUpTo: Int64?)
  /// Changes what can be undone. Indirect, like `put`.
  indirect case bin(BinChange)
  /// Records that a host responded at this time.
  case hostServed(Origin, at: WallTime)
  /// Records what the user has decided for a host; an empty value removes it.
  case rememberHost(Origin, RememberedHost)
  /// Changes the runs of hooks. Indirect, like `put`.
  indirect case hook(HookChange)
}
