import KettleModel
import KettleScheduler

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
  /// The sums of the dormant members of each collection.
  package var members: [TransferID: MemberTally] = [:]

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

/// The hooks that were not over when the service ended, and what is to be reported of the others.
package struct UnfinishedHooks: Sendable, Hashable {
  /// In the order of their events.
  package var pending: [HookRunID] = []
  /// The ones whose programs were started.
  package var started: [HookRun] = []
  /// The latest ended run of each transfer, where it failed.
  package var failed: [HookRun] = []
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

/// Reads from the store while the service runs: only the store has the dormant transfers
/// (`TransferRecord.isDormant`).
///
/// Called from any thread, concurrently with commits. Each result is a consistent view that
/// contains everything committed before the call.
package protocol TransferArchive: Sendable {
  /// Returns the existing records, in the order of the ids.
  func records(_ ids: [TransferID]) throws -> [TransferRecord]

  /// Returns dormant queued transfers in queue order: by priority, then by position, then by id.
  func line(_ wanted: QueueRead) throws -> [TransferRecord]

  /// Returns the first queued transfers of all hosts, in queue order. Includes those that are in
  /// memory as well, whether they run or not.
  func queue(countMax: Int) throws -> [QueueEntry]

  /// Returns how many queued transfers are before this place of the queue, counted like those of
  /// `queue(countMax:)`.
  func queuedCount(before priority: TransferPriority, _ place: QueuePosition) throws -> Int

  /// Returns, for each position, the nearest transfer before or after it in the list that is wanted
  /// by its id and its state in the store; none at the ends.
  func neighbours(
    of places: [QueuePosition], _ side: ListSide,
    where isWanted: (TransferID, TransferState) -> Bool
  ) throws -> [TransferRecord]

  /// Returns dormant transfers in these states, by id, starting after `after`.
  func dormant(
    in states: Set<TransferState>, after: TransferID?, countMax: Int
  ) throws -> [TransferRecord]

  /// Returns the ids of all transfers that match a filter, in the order of a sort, with their sort
  /// keys. A running transfer has no speed here.
  ///
  /// - Parameter rows: makes what clients see of a record, which a text search uses.
  func order(_ filter: RowFilter, _ sort: RowSort, rows: RowMaker) throws -> StoredOrder

  /// Returns the digests of the pieces of a transfer; nil if the store has none. They are not part
  /// of its record, whose `DescribedPieces` says that they are here.
  func pieces(of id: TransferID) throws -> PieceHashes?

  /// Returns transfers with these URLs; for each URL the first.
  func find(urls: Set<String>) throws -> [TransferRecord]

  /// Returns the transfers that an action put into the bin, by id, starting after `after`.
  func binEntries(of action: Int64, after: TransferID?, countMax: Int) throws -> [BinEntry]

  /// Returns what these actions put into the bin of these transfers.
  func binEntries(of ids: [TransferID], in actions: [Int64]) throws -> [BinEntry]

  /// Summarizes what is in the bin, by the number of the action.
  ///
  /// - Parameter action: leaves only this one; nil leaves all.
  func binContents(of action: Int64?) throws -> [Int64: BinContents]

  /// Returns how many dormant completed transfers are cleared up to this finish number.
  func clearedCount(upTo finishNumber: Int64?) throws -> Int

  /// Counts the transfers that completed or failed at this time or later, cleared ones included.
  /// The counts of those that need the user stay 0.
  func news(since time: WallTime) throws -> TransferNews

  /// Returns the digests of the bytes of a transfer's file.
  func digests(of id: TransferID) throws -> BlockDigests

  /// Returns files of a collection in the order of its list, from a number on.
  func members(
    of id: TransferID, from first: Int64, countMax: Int
  ) throws -> [NumberedMember]

  /// Returns files of a collection that have no transfer, in an order.
  ///
  /// - Parameter last: the last one of the page before; nil for the first page.
  func missingMembers(
    of id: TransferID, after last: NumberedMember?, in order: MemberOrder, countMax: Int
  ) throws -> [NumberedMember]

  /// Returns the transfers of the members of collections, in the order in which they were added.
  func transfers(ofMembersOf ids: [TransferID]) throws -> [TransferID]

  /// Returns whether the transfers of all members of a collection have ended.
  ///
  /// - Parameter first: where to begin, because those before had ended. They are looked at again
  ///   before the answer is that all have.
  func endOfMembers(of id: TransferID, from first: Int64) throws -> MembersEnd

  /// Returns the sum of the files of a collection that are not left out.
  func memberSum(of id: TransferID) throws -> MemberSum

  /// Returns how a collection differs from a later list of its source, in sum.
  func sum(
    of kind: MemberChange, of id: TransferID, in list: TransferID
  ) throws -> MemberSum

  /// Returns the files of one kind of change, in the order of their numbers.
  ///
  /// - Parameter first: the lowest number.
  func changed(
    _ kind: MemberChange, of id: TransferID, in list: TransferID, from first: Int64, countMax: Int
  ) throws -> [ChangedMember]

  /// Returns the last runs of a transfer's hooks, the oldest first; at most
  /// `HookRun.shownCountMax`.
  func hookRuns(of id: TransferID) throws -> [HookRun]

  /// Returns an unfinished run and the data for its program; nil if there is none.
  func hook(_ id: HookRunID) throws -> (run: HookRun, occasion: HookOccasion)?

  /// Returns the GIDs that clients of the RPC chose for their transfers.
  func chosenGIDs() throws -> [TransferID: GID]
}

/// Whether the members of a collection have ended.
package enum MembersEnd: Sendable, Hashable {
  /// This one has not, by its number.
  case unfinished(Int64)
  case ended(failedCount: Int)
}

/// What an action put into the bin.
package struct BinContents: Sendable, Hashable {
  package var transferCount: Int
  /// The bytes of unfinished files; those of finished ones too if the action discarded them.
  package var byteCount: Int64
  /// Of the first transfer.
  package var title: String?

  package init(transferCount: Int = 0, byteCount: Int64 = 0, title: String? = nil) {
    self.transferCount = transferCount
    self.byteCount = byteCount
    self.title = title
  }
}

package enum ListSide: Sendable, Hashable {
  case before, after
}

/// The rows of a view in order, as the store had them at one moment.
package struct StoredOrder: Sendable {
  /// The sort keys, as in `RowKey.Value`.
  package enum Keys: Sendable {
    case numbers([Int64])
    case reals([Double])
    case texts(TextList)
  }

  /// The rows of one section, as in `RowKey.section`.
  package struct Section: Sendable {
    package var section: RowSection
    package var isDescending: Bool
    /// In view order, which is reversed for a descending sort.
    package var ids: [TransferID]
    /// The keys of the first rows. The rows with an unknown key follow, ordered by id.
    package var keys: Keys

    package init(
      _ section: RowSection = RowSection(), isDescending: Bool, ids: [TransferID] = [],
      keys: Keys = .numbers([])
    ) {
      self.section = section
      self.isDescending = isDescending
      self.ids = ids
      self.keys = keys
    }
  }

  /// In order; a flat list has at most one.
  package var sections: [Section]

  package init(_ sections: [Section]) { self.sections = sections }

  package var ids: [TransferID] {
    sections.count == 1 ? sections[0].ids : sections.flatMap(\.ids)
  }

  /// - Parameter keys: in sort order, so that the unknown ones of each section come last.
  package init(_ keys: some Sequence<RowKey>) {
    var sections: [SectionBuilder] = []
    for key in keys {
      if sections.last?.section != key.section { sections.append(SectionBuilder(key)) }
      sections[sections.count - 1].append(key)
    }
    self.init(sections.map(\.finished))
  }
}

/// Collects the keys of a section, which are in order.
private struct SectionBuilder {
  let section: RowSection
  private let isDescending: Bool
  private var ids: [TransferID] = []
  private var numbers: [Int64] = []
  private var reals: [Double] = []
  private var texts = TextList()

  init(_ first: RowKey) {
    section = first.section
    isDescending = first.isDescending
  }

  mutating func append(_ key: RowKey) {
    ids.append(key.id)
    switch key.value {
    case .number(let number): numbers.append(number)
    case .real(let real): reals.append(real)
    case .text(let text): texts.append(text)
    case .unknown: break
    }
  }

  var finished: StoredOrder.Section {
    let keys: StoredOrder.Keys =
      texts.count > 0 ? .texts(texts) : reals.isEmpty ? .numbers(numbers) : .reals(reals)
    return StoredOrder.Section(section, isDescending: isDescending, ids: ids, keys: keys)
  }
}

/// Many texts in one piece of memory.
package struct TextList: Sendable {
  private var bytes: [UInt8] = []
  /// The end of each text.
  private var ends: [Int] = []

  package init() {}

  package var count: Int { ends.count }

  package mutating func append(_ text: String) {
    bytes += text.utf8
    ends.append(bytes.count)
  }

  package subscript(index: Int) -> String {
    let start = index > 0 ? ends[index - 1] : 0
    return String(decoding: bytes[start..<ends[index]], as: UTF8.self)
  }
}

/// Reads both clocks; the engine's only source of time, so that a test can control it.
package protocol EngineClock: Sendable {
  func now() -> Moment
  /// Calls `wake` once, not before `deadline`. A later call replaces an earlier one; nil cancels
  /// it.
  func wake(at deadline: MonotonicTime?, _ wake: @escaping @Sendable () -> Void)
}
