import KettleModel

/// The life of one transfer: an event and its time go in, the next action comes out.
///
/// It knows no other transfers: whether a slot is free is decided by `TransferScheduler`.
/// docs/states.md shows the states and their transitions.
package struct TransferMachine: Sendable {
  /// The durable part. `enter` keeps its `state`, `reason`, `goesOnAt` and `failure` in line with
  /// `state`; they are not read for decisions.
  package internal(set) var record: TransferRecord
  package internal(set) var state: State
  /// Consecutive range replies that could not be used.
  var wrongRangeReplyCount = 0
  /// Versions abandoned since the service or the user started it.
  var freshStartCount = 0
  /// How often a refusal of this transfer was attributed to the host.
  var teachingCount = 0

  static let wrongRangeReplyCountMax = 2
  static let freshStartCountMax = 5
  static let teachingCountMax = 3

  package enum State: Sendable, Hashable {
    /// Exits: queued, removed; discarding if a crash left bytes.
    case idle
    /// Exits: queued on its date, paused, idle.
    case scheduled(until: WallTime)
    /// Exits: running when a slot is free; verifying or placing when nothing is left to fetch.
    case queued
    /// Attempts are in progress. Exits: ending only.
    case running(Fetch)
    /// The attempts ended or were cancelled, and their bytes are being stored; `next` follows. A
    /// control that arrives meanwhile only changes `next`.
    case ending(EndingPhase, next: AfterEnding)
    /// Exits: queued, paused, idle.
    case waiting(Waiting)
    /// Exits: queued, idle.
    case paused
    /// The digest is being computed. Exits: placing, failed, paused, idle.
    case verifying(OperationID)
    /// The partial file, or a finished file private to its program, is being deleted. It stays
    /// recorded until it is gone, so that a crash leaves neither bytes without a record nor a
    /// record without bytes. Exits: idle, queued, failed, removed.
    case discarding(OperationID, next: AfterDiscarding)
    /// The rename is in progress and cannot be undone. Exits: completed, failed, removed; queued if
    /// the partial file was replaced meanwhile.
    case placing(OperationID, next: AfterPlacing)
    /// Final until reset.
    case completed
    /// Exits: queued, idle.
    case failed(TransferFailure)
    /// No longer on the list.
    case removed
  }

  package enum EndingPhase: Sendable, Hashable {
    /// Attempts whose end is pending.
    case attempts(Set<AttemptID>)
    /// The partial file is being synced and closed.
    case body(OperationID)
  }

  package struct Waiting: Sendable, Hashable {
    package var reason: WaitingReason
    /// nil: only the user or an event makes it continue.
    package var until: MonotonicTime?
    /// The same time, for people and for the store.
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
    /// Stopped and started again: to the user, the durable bytes were discarded.
    case queuedFromZero
    case waiting(Waiting)
    case failed(TransferFailure)
    /// Failed on request, with nothing kept.
    case cancelled(TransferFailure)
    /// Another attempt in the same slot.
    case askAgain(AskAgain)
    /// Nothing is left to fetch.
    case whole
    /// The file already existed and the user wants it left alone.
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

  /// The only place where the state changes; the record follows it.
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
      // Earlier failures are in the history; the row shows the present.
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

  /// The state as people and clients see it. An ending attempt is already shown in its next state,
  /// because that is what the user requested.
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

  /// What the store keeps. Running is stored as queued: after a crash both continue, and a start
  /// then needs no write of its own. A transfer whose partial file is being deleted for a restart
  /// is stored as idle, so that a crash still deletes it.
  package var durableRecord: TransferRecord {
    var durable = record
    if durable.state == .running || durable.state == .verifying { durable.state = .queued }
    if case .discarding(_, next: .queued) = state { durable.state = .idle }
    if isTask, case .discarding(_, let next) = state { keepEnd(before: next, in: &durable) }
    return durable
  }

  /// A connection is open, or its last bytes are still being stored.
  package var occupiesSlot: Bool {
    switch state {
    case .running, .ending: true
    case .idle, .scheduled, .queued, .waiting, .paused, .verifying, .discarding, .placing,
      .completed, .failed, .removed:
      false
    }
  }

  /// The user's last request is complete, as far as it can be done at once.
  package var isAtRest: Bool {
    switch state {
    case .ending, .discarding, .placing(_, next: .removed): false
    case .idle, .scheduled, .queued, .running, .waiting, .paused, .verifying, .completed, .failed,
      .removed, .placing(_, next: .completed):
      true
    }
  }

  /// Attempts are in progress, or their end is pending.
  var hasAttempts: Bool {
    switch state {
    case .running(let fetch): !fetch.lanes.isEmpty
    case .ending(.attempts, _): true
    case .idle, .scheduled, .queued, .ending(.body, _), .waiting, .paused, .verifying,
      .discarding, .placing, .completed, .failed, .removed:
      false
    }
  }

  /// Everything was fetched: it needs no connection any more.
  var isFetched: Bool {
    if case .ending(.body, next: .whole) = state { true } else { false }
  }

  package var fetch: Fetch? {
    if case .running(let fetch) = state { fetch } else { nil }
  }

  mutating func change(_ body: (inout TransferRecord) -> Void) { body(&record) }
}

extension TransferMachine.State {
  /// It waits for a login, or will when the pending operation ends.
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

/// Identifies one digest, rename, close or deletion, so that the result of an abandoned one is
/// recognized.
package struct OperationID: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt64

  package init(rawValue: UInt64) { self.rawValue = rawValue }
}
