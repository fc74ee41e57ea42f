import KettleModel

/// The life of one transfer: given what happened and when, says what to do next.
///
/// It knows nothing of the other transfers: whether there is a free slot is the brain's business.
/// The cases and what leads from one to the other are drawn in docs/architecture.md.
package struct TransferMachine: Sendable {
  /// The durable part. Its `state`, `reason`, `goesOnAt` and `failure` are kept in step with
  /// `state` by `enter`, and are not read for decisions.
  package internal(set) var record: TransferRecord
  package internal(set) var state: State
  /// Range replies that could not be used, one after the other.
  var wrongRangeReplyCount = 0
  /// Versions that were given up since the service or the user started it.
  var freshStartCount = 0
  /// How often a refusal of this transfer was taken to be about the host.
  var teachingCount = 0

  static let wrongRangeReplyCountMax = 2
  static let freshStartCountMax = 5
  static let teachingCountMax = 3

  package enum State: Sendable, Hashable {
    /// Exits: queued, removed; discarding where a crash left bytes.
    case idle
    /// Exits: queued when the date comes, paused, idle.
    case scheduled(until: WallTime)
    /// Exits: running when there is a slot; verifying or placing when nothing is left to fetch.
    case queued
    /// Attempts are under way. Exits: ending only.
    case running(Fetch)
    /// The attempts were cancelled or are over, and what they brought is being kept; then comes
    /// `next`. A control that arrives meanwhile only changes `next`.
    case ending(EndingPhase, next: AfterEnding)
    /// Exits: queued, paused, idle.
    case waiting(Waiting)
    /// Exits: queued, idle.
    case paused
    /// The digest is being computed. Exits: placing, failed, paused, idle.
    case verifying(OperationID)
    /// The partial file is being deleted, or the held one that its program took. What was on record
    /// of it stays there until it is gone, so that a crash leaves neither bytes without a record
    /// nor a record without bytes.
    /// Exits: idle, queued, failed, removed.
    case discarding(OperationID, next: AfterDiscarding)
    /// The rename is under way and cannot be taken back. Exits: completed, failed, removed; queued
    /// when the partial file is another by now.
    case placing(OperationID, next: AfterPlacing)
    /// Final until reset.
    case completed
    /// Exits: queued, idle.
    case failed(TransferFailure)
    /// Gone from the list.
    case removed
  }

  package enum EndingPhase: Sendable, Hashable {
    /// Of these the end is still to come.
    case attempts(Set<AttemptID>)
    /// The partial file is being synced and closed.
    case body(OperationID)
  }

  package struct Waiting: Sendable, Hashable {
    package var reason: WaitingReason
    /// nil: only the user, or an event, makes it go on.
    package var until: MonotonicTime?
    /// The same, for people and for the store.
    package var goesOnAt: WallTime?
    package var failure: TransferFailure

    package init(
      reason: WaitingReason, until: MonotonicTime?, goesOnAt: WallTime?, failure: TransferFailure
    ) {
      self.reason = reason
      self.until = until
      self.goesOnAt = goesOnAt
      self.failure = failure
    }
  }

  package enum AfterEnding: Sendable, Hashable {
    case queued
    case paused
    case idle
    case removed
    /// Stopped and started again: what is held was thrown away in the user's eyes.
    case queuedFromZero
    case waiting(Waiting)
    case failed(TransferFailure)
    /// Failed as decided, with nothing kept.
    case cancelled(TransferFailure)
    /// Another attempt in the same slot.
    case askAgain(AskAgain)
    /// Nothing is left to fetch.
    case whole
    /// The file was there before and the user wants it left alone.
    case alreadyThere(path: String)
  }

  package enum AfterDiscarding: Sendable, Hashable {
    case idle
    case queued
    case failed(TransferFailure)
    case removed
  }

  package struct AskAgain: Sendable, Hashable {
    package var url: TransferURL
    package var redirects: RedirectChain
    package var asking: Asking
    package var content: RequestContent?
  }

  package enum AfterPlacing: Sendable, Hashable {
    case completed
    case removed(withFile: FileFate)
  }

  package enum FileFate: Sendable, Hashable {
    case stays, goes
  }

  package init(_ record: TransferRecord, state: State) {
    self.record = record
    self.state = state
    enter(state)
  }

  /// The one place where the state changes; the record follows it.
  mutating func enter(_ next: State) {
    state = next
    record.state = visibleState
    if !next.asksForLogin { record.task?.challenge = nil }
    record.reason = nil
    record.goesOnAt = nil
    switch next {
    case .waiting(let waiting), .ending(_, next: .waiting(let waiting)):
      record.reason = waiting.reason
      record.goesOnAt = waiting.goesOnAt
      record.failure = waiting.failure
    case .scheduled(let date):
      record.goesOnAt = date
      record.failure = nil
    case .failed(let failure), .ending(_, next: .failed(let failure)),
      .ending(_, next: .cancelled(let failure)), .discarding(_, next: .failed(let failure)):
      record.failure = failure
    case .running:
      // What went wrong before is told in the history; the row says what is.
      record.failure = nil
    case .idle, .paused, .completed, .ending(_, next: .idle), .ending(_, next: .paused),
      .discarding(_, next: .idle):
      record.failure = nil
    case .queued, .verifying, .placing, .removed, .discarding(_, next: .queued),
      .discarding(_, next: .removed), .ending(_, next: .queued), .ending(_, next: .removed),
      .ending(_, next: .queuedFromZero), .ending(_, next: .askAgain),
      .ending(_, next: .whole), .ending(_, next: .alreadyThere):
      break
    }
  }

  /// The word of the contract for the state. An attempt that is ending is already shown as what it
  /// will be, because that is what the user asked for.
  package var visibleState: TransferState {
    switch state {
    case .idle, .ending(_, next: .idle), .ending(_, next: .removed), .removed,
      .discarding(_, next: .idle), .discarding(_, next: .removed):
      .idle
    case .scheduled: .scheduled
    case .queued, .ending(_, next: .queued), .ending(_, next: .queuedFromZero),
      .discarding(_, next: .queued):
      .queued
    case .running, .ending(_, next: .askAgain), .ending(_, next: .whole),
      .ending(_, next: .alreadyThere):
      .running
    case .waiting, .ending(_, next: .waiting): .waiting
    case .paused, .ending(_, next: .paused): .paused
    case .verifying, .placing: .verifying
    case .completed: .completed
    case .failed, .ending(_, next: .failed), .ending(_, next: .cancelled),
      .discarding(_, next: .failed):
      .failed
    }
  }

  /// What the store keeps. Running is kept as queued: after a crash both mean "go on", and a start
  /// then needs no write of its own. A transfer whose partial file is being deleted is kept as
  /// idle, so that a crash deletes it all the same.
  package var durableRecord: TransferRecord {
    var durable = record
    if durable.state == .running || durable.state == .verifying { durable.state = .queued }
    if case .discarding(_, next: .queued) = state { durable.state = .idle }
    if isTask, case .discarding(_, let next) = state { keepEnd(before: next, in: &durable) }
    return durable
  }

  /// A connection is open, or its last bytes are still being kept.
  package var occupiesSlot: Bool {
    switch state {
    case .running, .ending: true
    case .idle, .scheduled, .queued, .waiting, .paused, .verifying, .discarding, .placing,
      .completed, .failed, .removed:
      false
    }
  }

  /// What the user asked for last has been done, as far as it can be done at once.
  package var isAtRest: Bool {
    switch state {
    case .ending, .discarding, .placing(_, next: .removed): false
    case .idle, .scheduled, .queued, .running, .waiting, .paused, .verifying, .completed, .failed,
      .removed, .placing(_, next: .completed):
      true
    }
  }

  /// Attempts are under way, or their end is still to come.
  var hasAttempts: Bool {
    switch state {
    case .running(let fetch): !fetch.lanes.isEmpty
    case .ending(.attempts, _): true
    case .idle, .scheduled, .queued, .ending(.body, _), .waiting, .paused, .verifying,
      .discarding, .placing, .completed, .failed, .removed:
      false
    }
  }

  /// All that was to be fetched has come: it needs no connection any more.
  var isFetched: Bool {
    if case .ending(.body, next: .whole) = state { true } else { false }
  }

  package var fetch: Fetch? {
    if case .running(let fetch) = state { fetch } else { nil }
  }

  mutating func change(_ body: (inout TransferRecord) -> Void) { body(&record) }
}

extension TransferMachine.State {
  /// It waits for an answer, or will when what is under way is over.
  fileprivate var asksForLogin: Bool {
    switch self {
    case .waiting(let waiting), .ending(_, next: .waiting(let waiting)):
      waiting.reason == .needsLogin
    case .idle, .scheduled, .queued, .running, .ending, .paused, .verifying, .discarding, .placing,
      .completed, .failed, .removed:
      false
    }
  }
}

/// Names one digest, rename, closing or deletion, so that the answer of one that was given up is
/// told apart.
package struct OperationID: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt64

  package init(rawValue: UInt64) { self.rawValue = rawValue }
}
