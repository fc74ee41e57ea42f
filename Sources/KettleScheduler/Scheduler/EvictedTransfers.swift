import KettleModel

/// The transfers that exist only in the store, as far as memory must know them: how many there are,
/// and what limits those in memory.
struct EvictedTransfers: Sendable {
  var limits = ResidentLimits()
  /// How many transfers were in memory after the last eviction.
  var loadedCountAfterEviction = 0
  /// The pending read of the queue.
  var pendingRead: QueueRead?
  private var counts: [TransferState: Int]
  /// How many completed ones are cleared from view.
  private(set) var clearedCount: Int

  init(_ tally: EvictedTally = EvictedTally()) {
    counts = tally.states.mapValues(\.count)
    clearedCount = tally.clearedCount
  }

  var queuedCount: Int { counts[.queued] ?? 0 }

  /// How many completed ones are in view.
  var completedInViewCount: Int { (counts[.completed] ?? 0) - clearedCount }

  /// Records that a transfer is only in the store from now on.
  mutating func insert(_ record: TransferRecord, isCleared: Bool) {
    count(record.state, isCleared, by: 1)
  }

  /// Records that a transfer is in memory again.
  mutating func remove(_ record: TransferRecord, isCleared: Bool) {
    count(record.state, isCleared, by: -1)
  }

  /// Records that all completed transfers are cleared from view.
  mutating func clearCompleted() { clearedCount = counts[.completed] ?? 0 }

  /// Records how many of them are cleared from view.
  mutating func setCleared(count: Int) { clearedCount = count }

  private mutating func count(_ state: TransferState, _ isCleared: Bool, by step: Int) {
    counts[state, default: 0] += step
    if isCleared { clearedCount += step }
  }

  /// Whether memory contains enough transfers for an eviction to be worthwhile. There is none while
  /// the queue is being read, because the read may predate it.
  func isWorthwhile(loadedCount: Int) -> Bool {
    pendingRead == nil && loadedCount > loadedCountAfterEviction + limits.evictableCountMax
  }
}

/// How many transfers may stay in memory without need.
package struct ResidentLimits: Sendable, Hashable {
  /// Eviction starts when memory has this many more transfers than after the last eviction.
  package var evictableCountMax = 512
  /// How many queued transfers of each host stay in memory; more while there are few hosts.
  package var queuedPerHostCount = 64
  /// The limit for all hosts together.
  package var queuedCountMax = 2048
  /// Hosts with running transfers are read ahead when fewer queued ones are in memory.
  package var readAheadCount = 16

  package init() {}
}

/// The order in which transfers completed, and up to which of them they are cleared from view.
struct FinishedTransfers: Sendable {
  /// Completed transfers up to this finish number are cleared from view; nil: none ever was.
  private(set) var clearedUpTo: Int64?
  private(set) var lastNumber: Int64

  init(clearedUpTo: Int64? = nil, lastNumber: Int64 = 0) {
    self.clearedUpTo = clearedUpTo
    self.lastNumber = max(clearedUpTo ?? 0, lastNumber)
  }

  func isCleared(_ record: TransferRecord) -> Bool { record.isCleared(upTo: clearedUpTo) }

  /// Assigns a finish number to a transfer that has just completed; removes it when the transfer no
  /// longer is completed.
  mutating func number(_ machine: inout TransferMachine, before: TransferState) {
    if machine.numberFinish(lastNumber + 1, before: before) { lastNumber += 1 }
  }

  /// Clears all completed transfers. Records a single number, however many there are.
  mutating func clear() -> JournalChange {
    clearedUpTo = lastNumber
    return .clearFinished(upTo: lastNumber)
  }

  /// Brings transfers back into view that were cleared since `clearedUpTo` was `earlier`.
  mutating func uncover(clearedUpTo earlier: Int64?) -> JournalChange {
    clearedUpTo = earlier.flatMap { earlier in clearedUpTo.map { min($0, earlier) } }
    return .uncover(clearedUpTo: clearedUpTo)
  }
}

/// Maps each transfer to the time at which it wants to be woken, on the clock that it chose.
struct AlarmList: Sendable {
  private var monotonic: [TransferID: MonotonicTime] = [:]
  private var wall: [TransferID: WallTime] = [:]
  /// The deadlines of tasks. Nearly every task has one and most never expire, so the list is
  /// scanned only when one may be due.
  private var deadlines: [TransferID: WallTime] = [:]
  /// A lower bound of all deadlines.
  private var earliestDeadline: WallTime?

  /// The wall clock can be set at any time, so its alarms are checked at this interval.
  static let wallCheckMilliseconds: Int64 = 60_000

  mutating func set(
    _ id: TransferID, _ wakeUp: TransferMachine.WakeUp?, deadline: WallTime? = nil
  ) {
    remove(id)
    if let deadline {
      deadlines[id] = deadline
      earliestDeadline = min(earliestDeadline ?? deadline, deadline)
    }
    switch wakeUp {
    case .monotonic(let time): monotonic[id] = time
    case .wall(let time): wall[id] = time
    case nil: break
    }
  }

  mutating func remove(_ id: TransferID) {
    monotonic[id] = nil
    wall[id] = nil
    deadlines[id] = nil
    if deadlines.isEmpty { earliestDeadline = nil }
  }

  /// Removes the transfers whose alarms are due and returns them, sorted by id.
  mutating func due(at now: Moment) -> [TransferID] {
    var rung = Set(monotonic.filter { $0.value <= now.monotonic }.keys)
    rung.formUnion(wall.filter { $0.value <= now.wall }.keys)
    let mayBeOver = earliestDeadline.map { $0 <= now.wall } ?? false
    if mayBeOver { rung.formUnion(deadlines.filter { $0.value <= now.wall }.keys) }
    for id in rung { remove(id) }
    if mayBeOver { earliestDeadline = deadlines.values.min() }
    return rung.sorted()
  }

  func next(at now: Moment) -> MonotonicTime? {
    let date = [wall.values.min(), earliestDeadline].compactMap { $0 }.min()
    let time = date.map { Self.time(of: $0, at: now) }
    return [monotonic.values.min(), time].compactMap { $0 }.min()
  }

  /// Returns when to check the wall clock for a date.
  static func time(of date: WallTime, at now: Moment) -> MonotonicTime {
    let (distance, overflow) = date.millisecondsSince1970.subtractingReportingOverflow(
      now.wall.millisecondsSince1970)
    let milliseconds =
      overflow ? wallCheckMilliseconds : min(max(distance, 0), wallCheckMilliseconds)
    return now.monotonic.advanced(byMilliseconds: milliseconds)
  }
}
