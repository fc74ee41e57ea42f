import KettleEngine
import KettleModel
import KettleScheduler
import KettleSystem
import TestSupport

/// An archive over a journal in memory whose reads can be delayed and fail, and whose orders can
/// come from the test.
final class ArchiveStandIn: TransferArchive {
  struct Failure: Error {}

  private struct State {
    var order: (@Sendable (RowFilter, RowSort) -> StoredOrder)?
    var whenAsked: @Sendable () -> Void = {}
    var hasFailed = false
    var recordCounts: [Int] = []
    var orderCount = 0
  }

  private let base: InMemoryJournal
  private let state = Mutex(State())

  init(_ base: InMemoryJournal = InMemoryJournal()) { self.base = base }

  /// Sets the function that makes every order from now on.
  func order(by order: @escaping @Sendable (RowFilter, RowSort) -> StoredOrder) {
    state.withLock { $0.order = order }
  }

  /// Sets the function that is called on the reading thread before each read.
  func whenAsked(_ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.whenAsked = body }
  }

  func fail(_ hasFailed: Bool) { state.withLock { $0.hasFailed = hasFailed } }

  /// The number of records of each read.
  var recordCounts: [Int] { state.withLock { $0.recordCounts } }
  var orderCount: Int { state.withLock { $0.orderCount } }

  private func ask() throws {
    let (whenAsked, hasFailed) = state.withLock { ($0.whenAsked, $0.hasFailed) }
    whenAsked()
    if hasFailed { throw Failure() }
  }

  func records(_ ids: [TransferID]) throws -> [TransferRecord] {
    state.withLock { $0.recordCounts.append(ids.count) }
    try ask()
    return try base.records(ids)
  }

  func digests(of id: TransferID) throws -> BlockDigests { try base.digests(of: id) }

  func hookRuns(of id: TransferID) throws -> [HookRun] { try base.hookRuns(of: id) }

  func pieces(of id: TransferID) throws -> PieceHashes? { try base.pieces(of: id) }

  func hook(_ id: HookRunID) throws -> (run: HookRun, occasion: HookOccasion)? {
    try base.hook(id)
  }

  func members(
    of id: TransferID, from first: Int64, countMax: Int
  ) throws -> [NumberedMember] {
    try base.members(of: id, from: first, countMax: countMax)
  }

  func missingMembers(
    of id: TransferID, after last: NumberedMember?, in order: MemberOrder, countMax: Int
  ) throws -> [NumberedMember] {
    try base.missingMembers(of: id, after: last, in: order, countMax: countMax)
  }

  func transfers(ofMembersOf ids: [TransferID]) throws -> [TransferID] {
    try base.transfers(ofMembersOf: ids)
  }

  func memberSum(of id: TransferID) throws -> MemberSum { try base.memberSum(of: id) }

  func sum(
    of kind: MemberChange, of id: TransferID, in list: TransferID
  ) throws -> MemberSum {
    try base.sum(of: kind, of: id, in: list)
  }

  func changed(
    _ kind: MemberChange, of id: TransferID, in list: TransferID, from first: Int64, countMax: Int
  ) throws -> [ChangedMember] {
    try base.changed(kind, of: id, in: list, from: first, countMax: countMax)
  }

  func endOfMembers(of id: TransferID, from first: Int64) throws -> MembersEnd {
    try base.endOfMembers(of: id, from: first)
  }

  func line(_ wanted: QueueRead) throws -> [TransferRecord] { try base.line(wanted) }

  func queue(countMax: Int) throws -> [QueueEntry] { try base.queue(countMax: countMax) }

  func queuedCount(before priority: TransferPriority, _ place: QueuePosition) throws -> Int {
    try base.queuedCount(before: priority, place)
  }

  func neighbours(
    of places: [QueuePosition], _ side: ListSide,
    where isWanted: (TransferID, TransferState) -> Bool
  ) throws -> [TransferRecord] {
    if state.withLock({ $0.hasFailed }) { throw Failure() }
    return try base.neighbours(of: places, side, where: isWanted)
  }

  func dormant(
    in states: Set<TransferState>, after: TransferID?, countMax: Int
  ) throws -> [TransferRecord] {
    try base.dormant(in: states, after: after, countMax: countMax)
  }

  func order(_ filter: RowFilter, _ sort: RowSort, rows: RowMaker) throws -> StoredOrder {
    state.withLock { $0.orderCount += 1 }
    try ask()
    if let order = state.withLock({ $0.order }) { return order(filter, sort) }
    return try base.order(filter, sort, rows: rows)
  }

  func find(urls: Set<String>) throws -> [TransferRecord] {
    try ask()
    return try base.find(urls: urls)
  }

  func binEntries(of action: Int64, after: TransferID?, countMax: Int) throws -> [BinEntry] {
    try base.binEntries(of: action, after: after, countMax: countMax)
  }

  func binEntries(of ids: [TransferID], in actions: [Int64]) throws -> [BinEntry] {
    try base.binEntries(of: ids, in: actions)
  }

  func binContents(of action: Int64?) throws -> [Int64: BinContents] {
    try base.binContents(of: action)
  }

  func clearedCount(upTo finishNumber: Int64?) throws -> Int {
    try base.clearedCount(upTo: finishNumber)
  }

  func news(since time: WallTime) throws -> TransferNews {
    try ask()
    return try base.news(since: time)
  }

  func chosenGIDs() throws -> [TransferID: GID] {
    try ask()
    return try base.chosenGIDs()
  }
}
