import KettleModel

/// What the store held when the service started.
package struct JournalContents: Sendable {
  /// Those that are not dormant, by id.
  package var records: [TransferRecord]
  /// What the others come to.
  package var dormant: DormantTally
  /// From the first to the last place in the list; nil when it is empty.
  package var positions: ClosedRange<Int64>?
  /// The largest finish number of all.
  package var lastFinishNumber: Int64
  /// The largest id ever given, also of transfers that are gone.
  package var lastID: TransferID
  /// The largest task identifier ever given in each session.
  package var lastTaskIdentifiers: [SessionID: Int64]
  /// By name.
  package var sessions: [SessionRecord]
  /// Completed transfers up to this finish number are cleared from view; nil when none ever was.
  package var clearedUpTo: Int64?

  package init(
    records: [TransferRecord] = [], dormant: DormantTally = DormantTally(),
    positions: ClosedRange<Int64>? = nil, lastFinishNumber: Int64 = 0,
    lastID: TransferID = TransferID(rawValue: 0),
    lastTaskIdentifiers: [SessionID: Int64] = [:], sessions: [SessionRecord] = [],
    clearedUpTo: Int64? = nil
  ) {
    self.records = records
    self.dormant = dormant
    self.positions = positions
    self.lastFinishNumber = lastFinishNumber
    self.lastID = lastID
    self.lastTaskIdentifiers = lastTaskIdentifiers
    self.sessions = sessions
    self.clearedUpTo = clearedUpTo
  }
}

/// The durable record of all transfers. Called from one thread at a time but for `put`, and may
/// block.
package protocol TransferJournal: Sendable {
  func load() throws -> JournalContents
  /// Makes all changes or none. When it returns they survive a power cut.
  func commit(_ changes: [JournalChange]) throws
  /// Under which it can be noted how far a transfer is, beyond what is committed of it; nil when
  /// that has to be a commit.
  func progressStamp(of id: TransferID) -> ProgressStamp?
  /// Puts on record how much is held; when it answers true, that survives a power cut. Called from
  /// any thread, also beside a commit; it may be called after a further change of the transfer was
  /// committed, and then means nothing.
  func put(_ held: HeldRanges, _ stamp: ProgressStamp) -> Bool
}

/// Belongs to one row of how far a transfer is, and counts at most until a change of the transfer
/// is committed. No two rows ever have the same.
package struct ProgressStamp: Hashable, Sendable {
  package var rawValue: Int64

  package init(rawValue: Int64) { self.rawValue = rawValue }

  package static func new() -> ProgressStamp {
    ProgressStamp(rawValue: .random(in: .min ... .max))
  }
}
