import KettleModel
import KettleScheduler

/// The events for the engine's observer, in the order in which they became true.
package enum EngineEvent: Sendable, Hashable {
  /// The first event: the tally of the transfers that no other event covers, and the finish number
  /// up to which transfers were cleared before. `members` are the tallies of those of them that
  /// belong to collections.
  case recovered(
    EvictedTally, members: [TransferID: MemberTally] = [:], clearedUpTo: Int64?)
  case added(TransferSnapshot)
  /// New transfers that only the store has from the start; none is a task of a program.
  case listed(ListedTransfers)
  case changed(TransferSnapshot)
  /// `bytesWritten` counts since this transfer's previous progress event.
  case progress(TransferSnapshot, bytesWritten: Int64)
  /// The snapshot from before the removal.
  case removed(TransferSnapshot)
  /// An existing transfer that only the store had until now.
  case loaded(TransferSnapshot)
  /// Evicted transfers: from now on only the store has them, as in their latest events.
  case evicted([TransferID])
  /// Completed transfers up to this finish number are hidden from now on.
  case cleared(upTo: Int64)
  /// Cleared transfers are visible again, except those up to this finish number: `count` in all,
  /// and of those in memory the ones with these ids.
  case uncovered(clearedUpTo: Int64?, clearedCount: Int, residents: Set<TransferID>)
  /// The limit for all transfers together, and until when it applies.
  case limited(TotalLimit.Effective)
  /// The user's queues, in their order; before the first such event, only `default`.
  case queues([QueueName])
  /// Hooks that are due, and that the store has as pending.
  case hooksDue([HookRunID])
}

/// Reports to the engine's observer: the limit and the queues only when they have changed.
struct EventReporter: Sendable {
  private let observer: @Sendable (EngineEvent) -> Void
  /// The limit for all transfers together that the observer knows.
  private(set) var limit = TotalLimit.Effective()
  private var queues: [QueueName] = [.standard]

  init(_ observer: @escaping @Sendable (EngineEvent) -> Void) { self.observer = observer }

  func callAsFunction(_ event: EngineEvent) { observer(event) }

  mutating func report(_ limit: TotalLimit.Effective) {
    guard limit != self.limit else { return }
    self.limit = limit
    observer(.limited(limit))
  }

  mutating func report(_ queues: [QueueName]) {
    guard queues != self.queues else { return }
    self.queues = queues
    observer(.queues(queues))
  }
}

/// How often progress is reported.
package enum ProgressCadence: Sendable, Hashable {
  /// A screen is open: ten times a second.
  case live
  /// No screen is open: often enough for correct speeds, which also divide files.
  case quiet

  var milliseconds: Int64 {
    switch self {
    case .live: 100
    case .quiet: 250
    }
  }
}

/// One connection of a running transfer.
package struct LiveConnection: Sendable, Hashable {
  /// The byte range that it fetches; `upper` is nil while the size is unknown.
  package struct Range: Sendable, Hashable {
    package var lower: Int64
    package var upper: Int64?
  }

  package var attempt: AttemptID
  /// nil until the server has responded.
  package var range: Range?
  package var receivedUpTo: Int64
  package var bytesPerSecond: Int64
  package var url: TransferURL
}

/// Everything about one transfer.
package struct EngineDetails: Sendable, Hashable {
  package var snapshot: TransferSnapshot
  package var record: TransferRecord
  /// The directory for its file.
  package var directory: String
  package var currentURL: TransferURL?
  /// The redirect targets of the last run, in order.
  package var redirects: [TransferURL]
  package var connections: [LiveConnection]
  /// Bytes per second for the last seconds in which it ran, the newest last.
  package var recentSpeeds: [Int64]
  /// The durable bytes that the present run continued from, or that the next one will.
  package var resumedFromByteCount: Int64
  /// Whether it runs with durable bytes, and the server has not answered yet whether it continues
  /// them.
  package var awaitsAnswer: Bool
  package var head: ResponseHead?
  /// Since the service started.
  package var history: [HistoryEntry]
}

/// Why the engine rejected a request.
package enum EngineError: Error, Sendable, Hashable {
  /// The store cannot be written; nothing was queued.
  case cannotKeep(String)
  case stopping
}
