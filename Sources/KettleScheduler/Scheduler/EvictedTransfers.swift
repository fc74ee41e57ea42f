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
