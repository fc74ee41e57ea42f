import KettleModel

/// The events that the scheduler handles. A request is not an event: it returns a result, and has a
/// function of its own.
extension TransferScheduler {
  package enum Event: Sendable {
    /// The time returned by `nextWakeUp` is reached.
    case timePassed
    /// The network has come or gone, or its routes or the addresses of this machine have changed.
    case networkChanged(NetworkState)
    case attempt(AttemptID, AttemptEvent)
    case body(TransferID, BodyEvent)
    case file(TransferID, FileEvent)
    case collection(TransferID, CollectionEvent)
  }

  /// What happened to an attempt.
  package enum AttemptEvent: Sendable {
    /// An informational response (1xx) has arrived. `sending` is the modification time of the file
    /// that is the body of the request; nil for another body.
    case informed(ResponseHead, from: NetworkReach, sending: Int64?)
    /// The response head has arrived, and the body waits. `from` is the reach of the server,
    /// `roundTripMilliseconds` how long a packet takes to it and back, nil when unknown, and
    /// `isStream` whether the head came over HTTP/2.
    case headReceived(
      ResponseHead, from: NetworkReach, roundTripMilliseconds: Int64? = nil, isStream: Bool = false)
    /// The partial file could not be opened or created.
    case bodyRefused(TransferFailure)
    /// The exchange has ended as expected, and its last bytes are being written.
    case exchangeEnded
    /// The transport has measured what the exchange took. The attempt's end follows.
    case measured(AttemptMeasurement)
    /// The transport has released the attempt, and the bytes of its body are written: up to
    /// `receivedUpTo`, nil when none of them count. `sentByteCount` is how much of the request's
    /// body was sent; nil without one.
    case ended(AttemptOutcome, receivedUpTo: Int64?, sentByteCount: Int64? = nil)
  }

  /// What happened to the body of a transfer, while its partial file is written.
  package enum BodyEvent: Sendable {
    /// The partial file is open for the response to an attempt.
    case opened(ResumeData, because: FreshStartReason? = nil, by: AttemptID)
    /// The store has recorded the partial file, and the body flows.
    case recorded
    /// The progress of each attempt's body; reported before the next decision. `waitingForDisk` are
    /// the attempts that wait for this machine's disk.
    case received([AttemptID: Int64], waitingForDisk: Set<AttemptID> = [])
    /// The same at a tick, which also replaces dead connections and divides slow ones.
    case progressed([AttemptID: Int64], waitingForDisk: Set<AttemptID> = [])
    /// These ranges are on the disk; the sample identifies the file by its beginning.
    case synced(ByteRangeSet, FileSample? = nil)
    /// A piece does not have its digest, and its bytes are missing again.
    case pieceWrong(WrongPiece)
    /// The partial file is closed, with everything synced that the result says; `.success(nil)`
    /// where none was open.
    case closed(Result<ClosedBody?, TransferFailure>, by: OperationID)
  }

  /// What happened to the file of a transfer after its last byte.
  package enum FileEvent: Sendable {
    /// The page that arrived in place of the file has this title.
    case titleRead(String)
    /// The durable bytes of the partial file were compared with their digests, and these differ.
    case blocksChecked(damaged: [ByteRange], by: OperationID)
    /// The digest of the file is known, or could not be computed.
    case digestComputed(Result<String, TransferFailure>, by: OperationID)
    /// Its content codings are undone: it is another partial file now, or they cannot be.
    case unpacked(Result<ResumeData, TransferFailure>, by: OperationID)
    /// An upload in parts of the complete file has begun.
    case uploadBegun(ObjectUpload, by: OperationID)
    /// All of its parts are sent, or the failure says why not.
    case stored(TransferFailure?, by: OperationID)
    /// It has its final name, or could not get one.
    case placed(Result<FinishedFile, TransferFailure>, by: OperationID)
    /// It is deleted, or in the bin.
    case discarded(by: OperationID)
  }

  /// Decides what follows from an event.
  ///
  /// - Parameter jitter: 0…1, drawn by the caller.
  package mutating func handle(
    _ event: Event, jitter: Double = 0, at now: Moment
  ) -> SchedulerOutput {
    var output = SchedulerOutput()
    switch event {
    case .timePassed: timePassed(&output, at: now)
    case .networkChanged(.absent): environment.network = .absent
    case .networkChanged(.present): networkChanged(&output, at: now)
    case .attempt(let attempt, let event):
      guard let id = owners[attempt] else { break }
      let context = context(of: attempt, jitter: jitter, at: now)
      handle(event, of: attempt, for: id, &output, in: context)
    case .body(let id, let event):
      handle(event, for: id, &output, in: context(of: nil, jitter: jitter, at: now))
    case .file(let id, let event):
      handle(event, for: id, &output, in: context(of: nil, jitter: jitter, at: now))
    case .collection(let id, let event):
      update(id, into: &output) { $0.handle(event, at: now) }
    }
    return output
  }

  private mutating func handle(
    _ event: AttemptEvent, of attempt: AttemptID, for id: TransferID,
    _ output: inout SchedulerOutput, in context: DecisionContext
  ) {
    switch event {
    case .informed(let head, let reach, let modified):
      update(id, into: &output) {
        $0.informed(by: head, from: reach, of: attempt, sending: modified)
      }
    case .headReceived(let head, let reach, let roundTrip, let isStream):
      let response = ActiveDownload.Response(
        head: head, reach: reach, attempt: attempt, roundTripMilliseconds: roundTrip,
        isStream: isStream)
      headReceived(response, for: id, &output, in: context)
    case .bodyRefused(let failure):
      update(id, into: &output) { $0.bodyRefused(failure, of: attempt, in: context) }
    case .exchangeEnded:
      // Other transfers may use its connection if it is the only one. After a segment, a recording
      // needs it for the next one.
      guard machines[id]?.download?.purpose.isFile == true else { return }
      guard machines[id]?.download?.connections.count == 1 else { return }
      hosts.close(attempt, at: context.now.monotonic)
      fillSlots(&output, at: context.now)
    case .measured(let measurement): machines[id]?.recordMeasurement(measurement)
    case .ended(let outcome, let receivedUpTo, let sentByteCount):
      let ended = ActiveDownload.Ended(
        attempt: attempt, outcome: outcome, receivedUpTo: receivedUpTo,
        sentByteCount: sentByteCount)
      attemptEnded(ended, for: id, &output, in: context)
    }
  }

  private mutating func handle(
    _ event: BodyEvent, for id: TransferID, _ output: inout SchedulerOutput,
    in context: DecisionContext
  ) {
    let now = context.now
    switch event {
    case .opened(let resumeData, let reason, let attempt):
      update(id, into: &output) {
        $0.bodyOpened(resumeData, because: reason, of: attempt, at: now)
      }
      // The connection of a small file may be free for others already.
      let origin = hosts.origin(of: attempt) ?? machines[id]?.spec.url.origin
      if let change = origin.flatMap({ outages.changeToRecord($0) }) {
        output.changes.append(change)
      }
    case .recorded:
      let policy = queue.limits.division
      update(id, into: &output) { $0.bodyRecorded(policy, at: now.monotonic) }
      addConnections(to: id, &output, at: now)
    case .received(let upTo, let waitingForDisk):
      let progress = DownloadProgress(receivedUpTo: upTo, waitingForDisk: waitingForDisk)
      _ = machines[id]?.progressed(progress, at: now)
    case .progressed(let upTo, let waitingForDisk):
      let progress = DownloadProgress(receivedUpTo: upTo, waitingForDisk: waitingForDisk)
      progressed(progress, for: id, &output, at: now)
    case .synced(let durable, let sample): bytesSynced(durable, sample, for: id, into: &output)
    case .pieceWrong(let wrong):
      update(id, into: &output) { $0.pieceWrong(wrong, in: context) }
    case .closed(let result, let operation):
      let fresh = ids.next()
      var context = context
      context.isPlaceTaken = hasLostPlace(id, after: result, at: now)
      update(id, into: &output) { $0.bodyClosed(result, by: operation, ids: fresh, in: context) }
      fillSlots(&output, at: now)
    }
  }

  private mutating func handle(
    _ event: FileEvent, for id: TransferID, _ output: inout SchedulerOutput,
    in context: DecisionContext
  ) {
    let now = context.now
    switch event {
    case .titleRead(let title): update(id, into: &output) { $0.titleRead(title) }
    case .blocksChecked(let damaged, let operation):
      update(id, into: &output) { $0.blocksChecked(damaged, by: operation) }
      fillSlots(&output, at: now)
    case .digestComputed(let result, let operation):
      let next = ids.nextOperation()
      update(id, into: &output) { $0.digestComputed(result, by: operation, next: next, at: now) }
    case .unpacked(let result, let operation):
      let next = ids.nextOperation()
      update(id, into: &output) { $0.fileUnpacked(result, by: operation, next: next, in: context) }
      fillSlots(&output, at: now)
    case .uploadBegun(let upload, let operation):
      let next = ids.nextOperation()
      update(id, into: &output) { $0.uploadBegun(upload, by: operation, next: next) }
    case .stored(let failure, let operation):
      let next = ids.nextOperation()
      update(id, into: &output) { $0.fileStored(failure, by: operation, next: next, in: context) }
      fillSlots(&output, at: now)
    case .placed(let result, let operation):
      update(id, into: &output) { $0.placed(result, by: operation, in: context) }
      fillSlots(&output, at: now)
    case .discarded(let operation):
      update(id, into: &output) { $0.discarded(operation) }
      fillSlots(&output, at: now)
    }
  }

  // MARK: Time and network

  private mutating func timePassed(_ output: inout SchedulerOutput, at now: Moment) {
    hosts.forget(at: now.monotonic)
    bin.expire(at: now.wall)
    followSchedules(&output, at: now)
    for id in alarms.due(at: now) {
      update(id, into: &output) { $0.timePassed(at: now) }
      // A wall-clock alarm can fire early when that clock was set back; it is then filed again.
      if let machine = machines[id] { file(machine) }
      let limit = limit(of: id)
      let policy = queue.limits.division
      update(id, into: &output) {
        $0.adjustConnections(limitBytesPerSecond: limit, policy, at: now)
      }
    }
    fillSlots(&output, at: now)
  }

  private mutating func networkChanged(_ output: inout SchedulerOutput, at now: Moment) {
    environment.network = .present
    for id in machines.keys.sorted() { update(id, into: &output) { $0.networkReturned() } }
    probeAll(&output, at: now)
    // Connections from before may be dead now, however short the interruption was.
    for id in queue.running { update(id, into: &output) { $0.networkChanged(at: now) } }
    fillSlots(&output, at: now)
  }

  // MARK: Attempts

  private mutating func headReceived(
    _ response: ActiveDownload.Response, for id: TransferID, _ output: inout SchedulerOutput,
    in context: DecisionContext
  ) {
    let (attempt, now) = (response.attempt, context.now)
    if let origin = hosts.origin(of: attempt) {
      streams.record(response.head, of: attempt, at: origin, isStream: response.isStream)
      recordPause(response.head, to: id, at: origin, now)
    }
    hostResponded(attempt, with: response.head.status, &output, at: now)
    let queueBefore = machines[id]?.spec.queue
    let wasReserved = machines[id].map(hasReservedConnection) ?? false
    let hint = update(id, into: &output) { $0.headReceived(response, in: context) }?.hostHint
    if hint?.connectionsMax != nil { hosts.recordRefusal(of: attempt) }
    learn(hint, from: id, &output, at: now)
    // A rule may have moved it, perhaps to a closed queue; another host may have accepted it.
    let isFree = wasReserved && machines[id].map(hasReservedConnection) == false
    if isFree || machines[id]?.spec.queue != queueBefore { fillSlots(&output, at: now) }
  }

  /// A host that asks for a pause, or has answered the last request which it permits, gets no other
  /// one for a while. That holds also if the response answers an attempt that is being cancelled.
  /// Whether a program's task waits is for the program to decide.
  private mutating func recordPause(
    _ head: ResponseHead, to id: TransferID, at origin: Origin, _ now: Moment
  ) {
    var pause: RetryAfter?
    if head.value(of: "Retry-After") == nil {
      pause = RateLimit.pauseMilliseconds(head, at: now).map { RetryAfter(milliseconds: $0) }
    } else if machines[id]?.facts.isTask == false,
      StatusMeaning(status: head.status, hasRetryAfter: true) == .host
    {
      pause = RetryAfter(head, at: now)
    }
    guard let pause else { return }
    hosts.learn(
      HostLimitHint(
        origin: origin, status: head.status, closedMilliseconds: pause.boundedMilliseconds),
      at: now)
  }

  private mutating func attemptEnded(
    _ ended: ActiveDownload.Ended, for id: TransferID, _ output: inout SchedulerOutput,
    in context: DecisionContext
  ) {
    let (attempt, now) = (ended.attempt, context.now)
    var context = context
    let (verdict, table) = outageVerdict(
      on: ended.outcome, of: attempt, jitter: context.jitter, at: now)
    context.outage = verdict
    if let origin = hosts.origin(of: attempt) {
      streams.recordEnd(
        of: attempt, ended.outcome, at: origin, isBeside: hosts.isStream(attempt))
    }
    owners[attempt] = nil
    hosts.close(attempt, at: now.monotonic)
    let operation = ids.nextOperation()
    let transition = update(id, into: &output) {
      $0.attemptEnded(ended, operation: operation, in: context)
    }
    learn(transition?.hostHint, from: id, &output, at: now)
    if let hint = transition?.hostHint, hint.isOutage {
      follow(verdict, with: table, &output, at: now)
    }
    fillSlots(&output, at: now)
    update(id, into: &output) { $0.endWithoutConnections(operation) }
  }

  // MARK: The partial file

  /// A connection that delivers nothing for this long is replaced, unless the server was silent
  /// before or the user is more patient.
  private static let silentMillisecondsMax: Int64 = 15_000

  private mutating func progressed(
    _ progress: DownloadProgress, for id: TransferID, _ output: inout SchedulerOutput,
    at now: Moment
  ) {
    let limit = limit(of: id)
    var progress = progress
    // A connection slowed down by our own limit is not silent.
    if limit == nil {
      progress.silentMillisecondsMax = machines[id]?.facts.silentMillisecondsMax(
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
  }

  /// The speed limit that applies to a transfer; nil without one.
  private func limit(of id: TransferID) -> Int64? {
    [limitBytesPerSecond, machines[id]?.spec.limitBytesPerSecond].compactMap { $0 }.min()
  }

  /// Observers are notified of progress once per tick, not here.
  private mutating func bytesSynced(
    _ durable: ByteRangeSet, _ sample: FileSample?, for id: TransferID,
    into output: inout SchedulerOutput
  ) {
    switch machines[id]?.bytesSynced(durable, sample) {
    case .bytes: output.changes.append(.progress(id, durable))
    case .record:
      if let record = machines[id]?.durableRecord { output.changes.append(.put(record)) }
    case nil, .nothing: break
    }
  }
}
