import KettleModel

/// Reports from the transport, the files and the network.
extension TransferScheduler {
  /// A connection that delivers nothing for this long is replaced.
  static let silentMillisecondsMax: Int64 = 15_000
  /// After the network returns, old connections get less time.
  static let silentMillisecondsAfterReturn: Int64 = 2_000

  package mutating func timePassed(at now: Moment) -> Turn {
    var turn = Turn()
    hosts.forget(at: now.monotonic)
    for id in alarms.due(at: now) {
      // A wall-clock alarm can fire early when that clock was set back; it is then filed again.
      if case .cancelAttempts(let attempts)? = update(id, &turn, { $0.timePassed(at: now) }) {
        turn.now += attempts.map(TransferAction.cancelAttempt)
      }
      if let machine = machines[id] { file(machine) }
    }
    fillSlots(&turn, at: now)
    return turn
  }

  package mutating func networkChanged(_ state: NetworkState, at now: Moment) -> Turn {
    var turn = Turn()
    network = state
    guard state == .present else { return turn }
    for id in machines.keys.sorted() { _ = update(id, &turn) { $0.networkReturned() } }
    // Connections from before may be dead now.
    for id in queue.running {
      leave(id, [:], [], silentMillisecondsMax: Self.silentMillisecondsAfterReturn, &turn, at: now)
    }
    fillSlots(&turn, at: now)
    return turn
  }

  /// Records the progress of a transfer's bodies before another decision is made.
  package mutating func noteProgress(
    _ progress: [AttemptID: Int64], of id: TransferID, at now: Moment
  ) {
    _ = machines[id]?.progressed(progress, silentMillisecondsMax: nil, at: now)
  }

  /// Handles a tick: replaces dead connections and divides slow ones.
  ///
  /// - Parameters:
  ///   - progress: how far the bodies of the transfer have progressed.
  ///   - heldBack: attempts that wait for our own disk.
  package mutating func progressed(
    _ id: TransferID, _ progress: [AttemptID: Int64], heldBack: Set<AttemptID> = [], at now: Moment
  ) -> Turn {
    var turn = Turn()
    leave(
      id, progress, heldBack, silentMillisecondsMax: Self.silentMillisecondsMax, &turn, at: now)
    fillLanes(of: id, &turn, at: now)
    return turn
  }

  private mutating func leave(
    _ id: TransferID, _ progress: [AttemptID: Int64], _ heldBack: Set<AttemptID>,
    silentMillisecondsMax: Int64, _ turn: inout Turn, at now: Moment
  ) {
    // A connection slowed down by our own limit is not silent.
    let isLimited =
      limitBytesPerSecond != nil || machines[id]?.record.spec.limitBytesPerSecond != nil
    let silent = update(id, &turn) {
      $0.progressed(
        progress, heldBack: heldBack,
        silentMillisecondsMax: isLimited ? nil : silentMillisecondsMax, at: now)
    }
    turn.now += (silent ?? []).map(TransferAction.cancelAttempt)
  }

  /// - Parameter reach: the reach of the server that sent the head.
  package mutating func headReceived(
    _ head: ResponseHead, from reach: NetworkReach, of attempt: AttemptID, jitter: Double,
    at now: Moment
  ) -> Turn {
    var turn = Turn()
    guard let id = owners[attempt] else { return turn }
    let circumstances = circumstances(of: attempt, jitter: jitter, at: now)
    let action = update(id, &turn) {
      $0.headReceived(head, from: reach, of: attempt, circumstances)
    }
    perform(action, of: id, &turn, at: now)
    return turn
  }

  package mutating func bodyOpened(
    _ resumeData: ResumeData, of id: TransferID, by attempt: AttemptID, at now: Moment
  ) -> Turn {
    var turn = Turn()
    switch update(id, &turn, { $0.bodyOpened(resumeData, of: attempt, at: now) }) {
    case .acceptBody(let attempt, let range):
      turn.afterCommit.append(.acceptBody(id, attempt, range))
    case nil, .nothing: break
    }
    return turn
  }

  /// The store has recorded the partial file of a transfer; its body can flow.
  package mutating func bodyRecorded(of id: TransferID, at now: Moment) -> Turn {
    var turn = Turn()
    let policy = queue.limits.division
    _ = update(id, &turn) { $0.bodyRecorded(policy, at: now.monotonic) }
    fillLanes(of: id, &turn, at: now)
    return turn
  }

  package mutating func bodyRefused(
    _ failure: TransferFailure, of attempt: AttemptID, at now: Moment
  ) -> Turn {
    var turn = Turn()
    guard let id = owners[attempt] else { return turn }
    let circumstances = circumstances(of: attempt, jitter: 0, at: now)
    let action = update(id, &turn) { $0.bodyRefused(failure, of: attempt, circumstances) }
    perform(action, of: id, &turn, at: now)
    return turn
  }

  private mutating func perform(
    _ action: TransferMachine.HeadAction?, of id: TransferID, _ turn: inout Turn, at now: Moment
  ) {
    switch action {
    case .openBody(let attempt, let plan):
      hosts.serves(attempt)
      turn.now.append(.openBody(id, attempt, plan))
    case .acceptBody(let attempt, let range, let shortening):
      hosts.serves(attempt)
      if let shortening {
        turn.now.append(.shorten(id, shortening.attempt, to: shortening.upper))
      }
      turn.now.append(.acceptBody(id, attempt, range))
    case .cancelAttempts(let attempts, let lesson):
      turn.now += attempts.map(TransferAction.cancelAttempt)
      if lesson?.connectionsMax != nil { attempts.forEach { hosts.refuses($0) } }
      learn(lesson, of: id, &turn, at: now)
    case nil, .nothing: break
    }
  }

  package mutating func bytesSynced(_ held: ByteRangeSet, of id: TransferID) -> Turn {
    // Observers are notified of progress once per tick, not here.
    var turn = Turn()
    switch machines[id]?.bytesSynced(held) {
    case .heldMore: turn.changes.append(.progress(id, held))
    case .heldMoreAfterRetries:
      if let record = machines[id]?.durableRecord { turn.changes.append(.put(record)) }
    case nil, .nothing: break
    }
    return turn
  }

  /// The only exchange of a transfer has ended as expected and its last bytes are being written:
  /// other transfers may use its connection meanwhile.
  package mutating func exchangeEnded(_ attempt: AttemptID, at now: Moment) -> Turn {
    var turn = Turn()
    guard let id = owners[attempt], machines[id]?.fetch?.lanes.count == 1 else { return turn }
    hosts.closed(attempt, at: now.monotonic)
    fillSlots(&turn, at: now)
    return turn
  }

  /// - Parameter sentByteCount: how many bytes of the request's body were sent; nil without a body.
  package mutating func attemptEnded(
    _ attempt: AttemptID, _ outcome: AttemptOutcome, receivedUpTo: Int64?,
    sentByteCount: Int64? = nil, jitter: Double, at now: Moment
  ) -> Turn {
    var turn = Turn()
    guard let id = owners[attempt] else { return turn }
    let circumstances = circumstances(of: attempt, jitter: jitter, at: now)
    owners[attempt] = nil
    hosts.closed(attempt, at: now.monotonic)
    let operation = nextOperation()
    let action = update(id, &turn) { machine in
      if let sentByteCount { machine.record.task?.sentByteCount = sentByteCount }
      return machine.attemptEnded(
        attempt, outcome, receivedUpTo: receivedUpTo, operation: operation, circumstances)
    }
    perform(action, of: id, &turn, at: now)
    fillSlots(&turn, at: now)
    let idle = update(id, &turn) { $0.endWithoutLanes(operation) }
    perform(idle, of: id, &turn, at: now)
    return turn
  }

  private mutating func perform(
    _ action: TransferMachine.EndedAction?, of id: TransferID, _ turn: inout Turn, at now: Moment
  ) {
    switch action {
    case .goOn(let attempts, let lesson), .cancelAttempts(let attempts, let lesson):
      turn.now += attempts.map(TransferAction.cancelAttempt)
      learn(lesson, of: id, &turn, at: now)
    case .closeBody(let operation, let lesson):
      turn.now.append(.closeBody(id, operation))
      learn(lesson, of: id, &turn, at: now)
    case nil, .nothing: break
    }
  }

  /// The partial file of a transfer is closed, with everything synced that `result` reports.
  package mutating func bodyClosed(
    _ result: Result<TransferMachine.ClosedBody?, TransferFailure>, of id: TransferID,
    by operation: OperationID, jitter: Double, at now: Moment
  ) -> Turn {
    var turn = Turn()
    let names = nextNames()
    let circumstances = circumstances(of: nil, jitter: jitter, at: now)
    let action = update(id, &turn) {
      $0.bodyClosed(result, by: operation, next: names, circumstances)
    }
    switch action {
    case .beginAttempt(let plan): begin(plan, of: id, &turn)
    case .computeDigest(let operation, let resumeData, let algorithm):
      turn.now.append(.computeDigest(id, operation, resumeData, algorithm))
    case .placeFile(let operation, let resumeData):
      turn.afterCommit.append(.placeFile(id, operation, resumeData, conflictPolicy(of: id)))
    case .discardPartialFile(let operation, let resumeData):
      turn.afterCommit.append(.discardPartialFile(id, operation, resumeData))
    case nil, .nothing: break
    }
    fillSlots(&turn, at: now)
    return turn
  }

  package mutating func digestComputed(
    _ result: Result<String, TransferFailure>, of id: TransferID, by operation: OperationID,
    at now: Moment
  ) -> Turn {
    var turn = Turn()
    let next = nextOperation()
    switch update(id, &turn, { $0.digestComputed(result, by: operation, next: next, at: now) }) {
    case .placeFile(let operation, let resumeData):
      turn.afterCommit.append(.placeFile(id, operation, resumeData, conflictPolicy(of: id)))
    case .discardPartialFile(let operation, let resumeData):
      turn.afterCommit.append(.discardPartialFile(id, operation, resumeData))
    case nil, .nothing: break
    }
    return turn
  }

  package mutating func discarded(
    _ id: TransferID, by operation: OperationID, at now: Moment
  ) -> Turn {
    var turn = Turn()
    _ = update(id, &turn) { $0.discarded(operation) }
    fillSlots(&turn, at: now)
    return turn
  }

  package mutating func placed(
    _ result: Result<FinishedFile, TransferFailure>, of id: TransferID, by operation: OperationID,
    at now: Moment
  ) -> Turn {
    var turn = Turn()
    switch update(id, &turn, { $0.placed(result, by: operation, at: now) }) {
    case .deleteFinishedFile(let file): turn.afterCommit.append(.deleteFinishedFile(id, file))
    case .discardPartialFile(let operation, let resumeData):
      turn.afterCommit.append(.discardPartialFile(id, operation, resumeData))
    case nil, .nothing: break
    }
    fillSlots(&turn, at: now)
    return turn
  }

  private mutating func learn(
    _ lesson: HostTable.Lesson?, of id: TransferID, _ turn: inout Turn, at now: Moment
  ) {
    guard let lesson else { return }
    hosts.learn(lesson, at: now.monotonic)
    if lesson.connectionsMax != nil,
      let connectionsMax = hosts.connectionsMax(at: lesson.origin, now.monotonic)
    {
      turn.taught.append((id, connectionsMax))
    }
  }

  private func circumstances(
    of attempt: AttemptID?, jitter: Double, at now: Moment
  ) -> Circumstances {
    let others = attempt.map { hosts.otherCount(than: $0) } ?? 0
    return Circumstances(
      retryPolicy: retryPolicy, jitter: jitter, otherConnectionCount: max(0, others),
      network: network, now: now)
  }
}
