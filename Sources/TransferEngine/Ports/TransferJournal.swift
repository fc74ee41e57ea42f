import TransferModel

/// What the store held when the service started.
package struct JournalContents: Sendable {
  /// By id.
  package var records: [TransferRecord]
  /// The largest id ever given, also of transfers that are gone.
  package var lastID: TransferID
  /// The largest task identifier ever given in each session.
  package var lastTaskIdentifiers: [SessionID: Int64]
  /// By name.
  package var sessions: [SessionRecord]
  /// Completed transfers up to this finish number are cleared from view; nil when none ever was.
  package var clearedUpTo: Int64?

  package init(
    records: [TransferRecord] = [], lastID: TransferID = TransferID(rawValue: 0),
    lastTaskIdentifiers: [SessionID: Int64] = [:], sessions: [SessionRecord] = [],
    clearedUpTo: Int64? = nil
  ) {
    self.records = records
    self.lastID = lastID
    self.lastTaskIdentifiers = lastTaskIdentifiers
    self.sessions = sessions
    self.clearedUpTo = clearedUpTo
  }
}

/// The durable record of all transfers. Called from one thread at a time, and may block.
package protocol TransferJournal: Sendable {
  func load() throws -> JournalContents
  /// Makes all changes or none. When it returns they survive a power cut.
  func commit(_ changes: [JournalChange]) throws
}
