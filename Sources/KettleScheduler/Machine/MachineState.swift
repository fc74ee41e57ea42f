import KettleModel

extension TransferMachine {
  /// The legal exits of each state are in `MachineState+Exits.swift`. It is indirect because a
  /// running download is large, and machines are copied all the time.
  package indirect enum State: Sendable, Hashable {
    case idle
    case scheduled(until: WallTime)
    case queued
    /// Attempts are in progress.
    case running(ActiveDownload)
    /// The attempts ended or were cancelled, and their bytes are being stored; `next` follows. A
    /// control that arrives meanwhile only changes `next`.
    case ending(EndingPhase, next: AfterEnding)
    case waiting(Waiting)
    case paused
    /// The file is being verified, unpacked or uploaded.
    case verifying(OperationID)
    /// The partial file, or a finished file private to its program, is being deleted. It stays
    /// recorded until it is gone, so that a crash leaves neither bytes without a record nor a
    /// record without bytes.
    case discarding(OperationID, next: AfterDiscarding)
    /// The rename is in progress and cannot be undone.
    case placing(OperationID, next: AfterPlacing)
    /// Final until reset.
    case completed
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
    var reason: WaitingReason
    /// nil: only the user or an event makes it continue.
    var until: MonotonicTime?
    /// The same time, for people and for the store.
    var goesOnAt: WallTime?
    var failure: TransferFailure
    /// The challenge that the program is to respond to, with the reason `needsLogin`, or
    /// `discretionary` for a `delayedRequest`.
    var challenge: ServerChallenge?
    /// What cannot be reached; the wait ends when it answers.
    var peer: Peer?
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
    case request(NextRequest)
    /// A segment of a playlist is complete; the next one follows in the same slot.
    case nextSegment
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

    var state: State {
      switch self {
      case .idle: .idle
      case .queued: .queued
      case .failed(let failure): .failed(failure)
      case .removed: .removed
      }
    }
  }

  package enum AfterPlacing: Sendable, Hashable {
    case completed
    case removed(withFile: FileFate)
  }

  package enum FileFate: Sendable, Hashable {
    case stays, goes
  }
}

extension TransferMachine.Waiting {
  /// A wait that only the user or an event ends.
  static func forEvent(
    _ reason: WaitingReason, _ failure: TransferFailure, challenge: ServerChallenge? = nil
  ) -> Self {
    Self(reason: reason, until: nil, goesOnAt: nil, failure: failure, challenge: challenge)
  }

  static func retrying(
    after milliseconds: Int64, _ reason: WaitingReason, _ failure: TransferFailure, at now: Moment
  ) -> Self {
    Self(
      reason: reason, until: now.monotonic.advanced(byMilliseconds: milliseconds),
      goesOnAt: now.wall.advanced(byMilliseconds: milliseconds), failure: failure)
  }

  static func discretionary(_ condition: TransferCondition) -> Self {
    forEvent(.discretionary, TransferFailure(.conditionUnmet, on: condition.rawValue))
  }

  /// Whether its end is one of a limited number. A server that names a time is asked as often as it
  /// likes, unless it refuses what is usually refused for good.
  var countsAsRetry: Bool {
    switch reason {
    case .retry: true
    case .retryAfter: failure.statusMeaning() == .final
    case .network, .hostUnreachable, .proxy, .diskSpace, .discretionary, .needsLink, .needsLogin,
      .needsDecision, .members:
      false
    }
  }

  var isForNetwork: Bool {
    reason == .network || (reason == .retry && failure.mayBeTheNetwork)
  }
}

// MARK: What a record shows

extension TransferMachine.State {
  /// The state as people and clients see it. An ending attempt is already shown in its next state,
  /// because that is what the user requested.
  var visible: TransferState {
    switch self {
    case .idle, .ending(_, next: .idle), .ending(_, next: .removed), .removed,
      .discarding(_, next: .idle), .discarding(_, next: .removed):
      .idle
    case .scheduled: .scheduled
    case .queued, .ending(_, next: .queued), .ending(_, next: .queuedFromZero),
      .discarding(_, next: .queued):
      .queued
    case .running, .ending(_, next: .request), .ending(_, next: .nextSegment),
      .ending(_, next: .whole),
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

  /// What the transfer waits for, or will when the pending operation ends.
  var waiting: TransferMachine.Waiting? {
    switch self {
    case .waiting(let waiting), .ending(_, next: .waiting(let waiting)): waiting
    case .idle, .scheduled, .queued, .running, .ending, .paused, .verifying, .discarding, .placing,
      .completed, .failed, .removed:
      nil
    }
  }

  /// When the transfer continues on its own, if that is known.
  var continuesAt: WallTime? {
    if case .scheduled(let date) = self { date } else { waiting?.goesOnAt }
  }

  /// Why the transfer waits or has failed.
  var failure: TransferFailure? {
    switch self {
    case .waiting(let waiting), .ending(_, next: .waiting(let waiting)): waiting.failure
    case .failed(let failure), .ending(_, next: .failed(let failure)),
      .ending(_, next: .cancelled(let failure)), .discarding(_, next: .failed(let failure)):
      failure
    case .idle, .scheduled, .queued, .running, .ending, .paused, .verifying, .discarding, .placing,
      .completed, .removed:
      nil
    }
  }

  /// Whether earlier failures are history: the row shows the present.
  var clearsFailure: Bool {
    switch self {
    case .scheduled, .running, .paused, .completed, .ending(_, next: .idle),
      .ending(_, next: .paused):
      true
    // A failed transfer that was stopped still says why it failed.
    case .idle, .queued, .waiting, .verifying, .placing, .failed, .removed, .discarding, .ending:
      false
    }
  }

  /// The failure that the next state still reports.
  func failureKept(_ lastFailure: TransferFailure?, before next: Self) -> TransferFailure? {
    if next.clearsFailure { return nil }
    if case .waiting = self, next.visible == .idle { return nil }
    return failure ?? lastFailure
  }
}

// MARK: Questions

extension TransferMachine.State {
  /// A connection is open, or its last bytes are still being stored.
  var occupiesSlot: Bool {
    switch self {
    case .running, .ending: true
    case .idle, .scheduled, .queued, .waiting, .paused, .verifying, .discarding, .placing,
      .completed, .failed, .removed:
      false
    }
  }

  /// Whether nothing happens to the transfer until the user starts it.
  var standsStill: Bool {
    switch self {
    case .idle, .paused: true
    case .scheduled, .queued, .running, .ending, .waiting, .verifying, .discarding, .placing,
      .completed, .failed, .removed:
      false
    }
  }

  /// The user's last request is complete, as far as it can be done at once.
  var isAtRest: Bool {
    switch self {
    case .ending, .discarding, .placing(_, next: .removed): false
    case .idle, .scheduled, .queued, .running, .waiting, .paused, .verifying, .completed, .failed,
      .removed, .placing(_, next: .completed):
      true
    }
  }

  /// Attempts are in progress, or their end is pending.
  var hasAttempts: Bool {
    switch self {
    case .running(let download): !download.connections.isEmpty
    case .ending(.attempts, _): true
    case .idle, .scheduled, .queued, .ending(.body, _), .waiting, .paused, .verifying,
      .discarding, .placing, .completed, .failed, .removed:
      false
    }
  }

  /// Everything was fetched: no connection is needed any more.
  var isFetched: Bool {
    switch self {
    case .ending(.body, next: .whole), .verifying, .placing: true
    case .idle, .scheduled, .queued, .running, .ending, .waiting, .paused, .discarding, .completed,
      .failed, .removed:
      false
    }
  }

  /// It leaves the list as soon as its pending operations end.
  var isBeingRemoved: Bool {
    switch self {
    case .removed, .ending(_, next: .removed), .discarding(_, next: .removed),
      .placing(_, next: .removed):
      true
    case .idle, .scheduled, .queued, .running, .ending, .waiting, .paused, .verifying, .discarding,
      .placing, .completed, .failed:
      false
    }
  }

  /// Whether it waits for the machine, and not for its program.
  var waitsForCondition: Bool {
    waiting.map { $0.reason == .discretionary && $0.challenge == nil } ?? false
  }

  /// Whether it is a collection that waits for its members.
  package var waitsForMembers: Bool {
    if case .waiting(let waiting) = self { waiting.reason == .members } else { false }
  }

  /// Whether the user must accept or reject what arrived.
  package var asksForDecision: Bool {
    if case .waiting(let waiting) = self { waiting.reason == .needsDecision } else { false }
  }

  /// Whether something is still to be fetched, so that a task can run out of time.
  ///
  /// - Parameter hasResumeToken: paused bytes with a token no longer belong to a task.
  func mayRunOutOfTime(hasResumeToken: Bool) -> Bool {
    switch self {
    case .scheduled, .queued, .running, .waiting, .ending(_, next: .queued),
      .ending(_, next: .paused), .ending(_, next: .waiting), .ending(_, next: .request),
      .ending(_, next: .nextSegment):
      true
    case .paused: !hasResumeToken
    case .idle, .ending(_, next: .idle), .ending(_, next: .removed), .ending(_, next: .failed),
      .ending(_, next: .cancelled), .ending(_, next: .queuedFromZero), .ending(_, next: .whole),
      .ending(_, next: .alreadyThere), .verifying, .discarding, .placing, .completed, .failed,
      .removed:
      false
    }
  }
}
