import KettleModel

/// Reports from the transport, the files and the network.
extension TransferScheduler {
  /// A connection that delivers nothing for this long is replaced, unless the server was silent
  /// before or the user is more patient.
  static let silentMillisecondsMax: Int64 = 15_000

  // MARK: Time and network

  package mutating func timePassed(at now: Moment) -> SchedulerOutput {
    var output = SchedulerOutput()
    hosts.forget(at: now.monotonic)
    bin.expire(at: now.wall)
    followSchedules(&output, at: now)
    for id in alarms.due(at: now) {
      update(id, into: &output) { $0.timePassed(at: now) }
      // A wall-clock alarm can fire early when that clock was set back; it is then filed again.
      if let machine = machines[id] { file(machine) }
      adjustConnections(of: id, &output, at: now)
    }
    fillSlots(&output, at: now)
    return output
  }

  /// Handles a change of the network: of its presence, its routes or this machine's addresses.
  package mutating func networkChanged(_ state: NetworkState, at now: Moment) -> SchedulerOutput {
    var output = SchedulerOutput()
    environment.network = state
    guard state == .present else { return output }
    for id in machines.keys.sorted() { update(id, into: &output) { $0.networkReturned() } }
    probeAll(&output, at: now)
    // Connections from before may be dead now, however short the interruption was.
    for id in queue.running { update(id, into: &output) { $0.networkChanged(at: now) } }
    fillSlots(&output, at: now)
    return output
  }

  // MARK: Progress

  /// Records the progress of a transfer's bodies before another decision is made.
  package mutating func recordProgress(
    _ receivedUpTo: [AttemptID: Int64], heldBack: Set<AttemptID> = [], of id: TransferID,
    at now: Moment
  ) {
    let progress = DownloadProgress(receivedUpTo: receivedUpTo, heldBack: heldBack)
    _ = machines[id]?.progressed(progress, at: now)
  }

  private mutating func adjustConnections(
    of id: TransferID, _ output: inout SchedulerOutput, at now: Moment
  ) {
    let limit = limit(of: id)
    let policy = queue.limits.division
    update(id, into: &output) {
      $0.adjustConnections(limitBytesPerSecond: limit, policy, at: now)
    }
  }

  /// Handles a tick: replaces dead connections and divides slow ones.
  ///
  /// - Parameters:
  ///   - receivedUpTo: how far the bodies of the transfer have progressed.
  ///   - heldBack: attempts that wait for our own disk.
  package mutating func progressed(
    _ id: TransferID, _ receivedUpTo: [AttemptID: Int64], heldBack: Set<AttemptID> = [],
    at now: Moment
  ) -> SchedulerOutput {
    var output = SchedulerOutput()
    let limit = limit(of: id)
    var progress = DownloadProgress(receivedUpTo: receivedUpTo, heldBack: heldBack)
    // A connection slowed down by our own limit is not silent.
    if limit == nil {
      progress.silentMillisecondsMax = machines[id]?.silentMillisecondsMax(
        usually: Self.silentMillisecondsMax)
    }
    let policy = queue.limits.division
    update(id, into: &output) { machine in
      let actions = machine.progressed(progress, at: now).actions
      var transition = machine.adjustConnections(limitBytesPerSecond: limit, policy, at: now)
      transition.actions = actions + transition.actions
      return transition
    }
    addConnections(to: id, &output, at: now)
    return output
  }

  /// The speed limit that applies to a transfer; nil without one.
  private func limit(of id: TransferID) -> Int64? {
    [limitBytesPerSecond, machines[id]?.spec.limitBytesPerSecond].compactMap { $0 }.min()
  }

  // MARK: Attempts

  /// An informational response (1xx) has arrived.
  ///
  /// - Parameter modifiedNanoseconds: the modification time of the file that is being sent; nil for
  ///   another body.
  package mutating func informed(
    by head: ResponseHead, from reach: NetworkReach, of attempt: AttemptID,
    sending modifiedNanoseconds: Int64?
  ) -> SchedulerOutput {
    var output = SchedulerOutput()
    guard let id = owners[attempt] else { return output }
    update(id, into: &output) {
      $0.informed(by: head, from: reach, of: attempt, sending: modifiedNanoseconds)
    }
    return output
  }

  /// - Parameters:
  ///   - reach: the reach of the server that sent the head.
  ///   - roundTripMilliseconds: how long a packet takes to it and back; nil when unknown.
  ///   - isStream: whether it came over HTTP/2.
  package mutating func headReceived(
    _ head: ResponseHead, from reach: NetworkReach, of attempt: AttemptID,
    roundTripMilliseconds: Int64? = nil, isStream: Bool = false, jitter: Double, at now: Moment
  ) -> SchedulerOutput {
    var output = SchedulerOutput()
    guard let id = owners[attempt] else { return output }
    if let origin = hosts.origin(of: attempt) {
      streams.record(head, of: attempt, at: origin, isStream: isStream)
    }
    var context = context(of: attempt, jitter: jitter, at: now)
    context.rules = environment.transferRules
    hostResponded(attempt, with: head.status, &output, at: now)
    let queueBefore = machines[id]?.spec.queue
    let hint = update(id, into: &output) {
      $0.headReceived(
        head, from: reach, of: attempt, roundTripMilliseconds: roundTripMilliseconds,
        isStream: isStream, in: context)
    }?.hostHint
    if hint?.connectionsMax != nil { hosts.recordRefusal(of: attempt) }
    learn(hint, from: id, &output, at: now)
    // A rule may have moved it, perhaps to a closed queue.
    if machines[id]?.spec.queue != queueBefore { fillSlots(&output, at: now) }
    return output
  }

  /// The only exchange of a transfer has ended as expected and its last bytes are being written:
  /// other transfers may use its connection meanwhile.
  package mutating func exchangeEnded(_ attempt: AttemptID, at now: Moment) -> SchedulerOutput {
    var output = SchedulerOutput()
    guard let id = owners[attempt], machines[id]?.download?.connections.count == 1 else {
      return output
    }
    hosts.close(attempt, at: now.monotonic)
    fillSlots(&output, at: now)
    return output
  }

  /// Stores what an attempt of a task took. Its end follows, and is recorded.
  package mutating func recordMeasurement(
    _ measurement: AttemptMeasurement, of attempt: AttemptID
  ) {
    guard let id = owners[attempt] else { return }
    machines[id]?.recordMeasurement(measurement)
  }

  /// - Parameter sentByteCount: how many bytes of the request's body were sent; nil without a body.
  package mutating func attemptEnded(
    _ attempt: AttemptID, _ outcome: AttemptOutcome, receivedUpTo: Int64?,
    sentByteCount: Int64? = nil, jitter: Double, at now: Moment
  ) -> SchedulerOutput {
    var output = SchedulerOutput()
    guard let id = owners[attempt] else { return output }
    var context = context(of: attempt, jitter: jitter, at: now)
    let (verdict, table) = outageVerdict(on: outcome, of: attempt, jitter: jitter, at: now)
    context.outage = verdict
    if let origin = hosts.origin(of: attempt) {
      streams.recordEnd(
        of: attempt, outcome, at: origin, isBeside: hosts.isStream(attempt))
    }
    owners[attempt] = nil
    hosts.close(attempt, at: now.monotonic)
    let operation = ids.nextOperation()
    let transition = update(id, into: &output) {
      $0.attemptEnded(
        attempt, outcome, receivedUpTo: receivedUpTo, sentByteCount: sentByteCount,
        operation: operation, in: context)
    }
    learn(transition?.hostHint, from: id, &output, at: now)
    if let hint = transition?.hostHint, hint.isOutage {
      follow(verdict, with: table, &output, at: now)
    }
    fillSlots(&output, at: now)
    update(id, into: &output) { $0.endWithoutConnections(operation) }
    return output
  }

  // MARK: The partial file

  package mutating func bodyOpened(
    _ resumeData: ResumeData, because reason: FreshStartReason? = nil, of id: TransferID,
    by attempt: AttemptID, at now: Moment
  ) -> SchedulerOutput {
    var output = SchedulerOutput()
    update(id, into: &output) {
      $0.bodyOpened(resumeData, because: reason, of: attempt, at: now)
    }
    // The connection of a small file may be free for others already.
    let origin = hosts.origin(of: attempt) ?? machines[id]?.spec.url.origin
    if let change = origin.flatMap({ outages.changeToRecord($0) }) {
      output.changes.append(change)
    }
    return output
  }

  /// The store has recorded the partial file of a transfer; its body can flow.
  package mutating func bodyRecorded(of id: TransferID, at now: Moment) -> SchedulerOutput {
    var output = SchedulerOutput()
    let policy = queue.limits.division
    update(id, into: &output) { $0.bodyRecorded(policy, at: now.monotonic) }
    addConnections(to: id, &output, at: now)
    return output
  }

  package mutating func bodyRefused(
    _ failure: TransferFailure, of attempt: AttemptID, at now: Moment
  ) -> SchedulerOutput {
    var output = SchedulerOutput()
    guard let id = owners[attempt] else { return output }
    let context = context(of: attempt, jitter: 0, at: now)
    update(id, into: &output) { $0.bodyRefused(failure, of: attempt, in: context) }
    return output
  }

  package mutating func bytesSynced(
    _ durable: ByteRangeSet, _ sample: FileSample? = nil, of id: TransferID
  ) -> SchedulerOutput {
    // Observers are notified of progress once per tick, not here.
    var output = SchedulerOutput()
    switch machines[id]?.bytesSynced(durable, sample) {
    case .bytes: output.changes.append(.progress(id, durable))
    case .record:
      if let record = machines[id]?.durableRecord { output.changes.append(.put(record)) }
    case nil, .nothing: break
    }
    return output
  }

  /// The partial file of a transfer is closed, with everything synced that `result` reports.
  package mutating func bodyClosed(
    _ result: Result<ClosedBody?, TransferFailure>, of id: TransferID, by operation: OperationID,
    jitter: Double, at now: Moment
  ) -> SchedulerOutput {
    var output = SchedulerOutput()
    let fresh = ids.next()
    let context = context(of: nil, jitter: jitter, at: now)
    update(id, into: &output) { $0.bodyClosed(result, by: operation, ids: fresh, in: context) }
    fillSlots(&output, at: now)
    return output
  }

  // MARK: Finishing

  /// The title of the page that arrived in place of a file.
  package mutating func titleRead(
    _ title: String, of id: TransferID, at now: Moment
  ) -> SchedulerOutput {
    var output = SchedulerOutput()
    update(id, into: &output) { $0.titleRead(title) }
    return output
  }

  package mutating func digestComputed(
    _ result: Result<String, TransferFailure>, of id: TransferID, by operation: OperationID,
    at now: Moment
  ) -> SchedulerOutput {
    var output = SchedulerOutput()
    let next = ids.nextOperation()
    update(id, into: &output) { $0.digestComputed(result, by: operation, next: next, at: now) }
    return output
  }

  /// The content codings of a file are undone: it is another partial file now, or they cannot be.
  package mutating func fileUnpacked(
    _ result: Result<ResumeData, TransferFailure>, of id: TransferID, by operation: OperationID,
    at now: Moment
  ) -> SchedulerOutput {
    var output = SchedulerOutput()
    let next = ids.nextOperation()
    let context = context(of: nil, jitter: 0, at: now)
    update(id, into: &output) { $0.fileUnpacked(result, by: operation, next: next, in: context) }
    fillSlots(&output, at: now)
    return output
  }

  package mutating func discarded(
    _ id: TransferID, by operation: OperationID, at now: Moment
  ) -> SchedulerOutput {
    var output = SchedulerOutput()
    update(id, into: &output) { $0.discarded(operation) }
    fillSlots(&output, at: now)
    return output
  }

  package mutating func placed(
    _ result: Result<FinishedFile, TransferFailure>, of id: TransferID, by operation: OperationID,
    at now: Moment
  ) -> SchedulerOutput {
    var output = SchedulerOutput()
    update(id, into: &output) { $0.placed(result, by: operation, at: now) }
    fillSlots(&output, at: now)
    return output
  }
}
