import KettleModel

/// The contents of the store when the service started.
package struct JournalContents: Sendable {
  /// The records that are not dormant, by id.
  package var records: [TransferRecord]
  /// The tally of the dormant ones.
  package var dormant: EvictedTally
  /// The positions from the first to the last in the list; nil when it is empty.
  package var positions: ClosedRange<Int64>?
  /// The largest finish number of all transfers.
  package var lastFinishNumber: Int64
  /// The largest id ever assigned, also of removed transfers.
  package var lastID: TransferID
  /// The largest task identifier ever assigned in each session.
  package var lastTaskIdentifiers: [SessionID: Int64]
  /// By name.
  package var sessions: [SessionRecord]
  /// Completed transfers up to this finish number are hidden; nil when none was ever cleared.
  package var clearedUpTo: Int64?
  /// The last recorded response of each host.
  package var servedHosts: [Origin: WallTime] = [:]
  /// What the user has decided for every transfer from a host.
  package var rememberedHosts: [Origin: RememberedHost] = [:]
  /// What can be undone.
  package var binActions: [BinAction] = []
  package var hooks = UnfinishedHooks()

  package init(
    records: [TransferRecord] = [], dormant: EvictedTally = EvictedTally(),
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

/// The hooks that were not over when the service ended.
package struct UnfinishedHooks: Sendable, Hashable {
  /// In the order of their events.
  package var pending: [HookRunID] = []
  /// The ones whose programs were started.
  package var started: [HookRun] = []
  /// The largest number of all runs in the store.
  package var lastID: Int64 = 0

  package init() {}
}

/// The durable record of all transfers, called from one thread at a time. Calls may block.
package protocol TransferJournal: Sendable {
  func load() throws -> JournalContents
  /// Makes all changes or none. When it returns, they survive a power cut.
  func commit(_ changes: [JournalChange]) throws
}
