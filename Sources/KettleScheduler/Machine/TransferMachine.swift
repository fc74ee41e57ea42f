import KettleModel

/// The life of one transfer: an event and its time go in, actions come out.
///
/// Its state and facts change only in this file, and its record is derived from both. What an input
/// means is decided by values of their own: `State` for controls, `ActiveDownload` while
/// connections are open, `AfterEnding` and `Finishing` from the last byte on, and `TaskContract`
/// for a program's task. It knows no other transfers: whether a slot is free is decided by
/// `TransferScheduler`. docs/states.md shows the states and their transitions.
package struct TransferMachine: Sendable {
  @CopiedOnWrite private(set) var facts: TransferFacts
  package private(set) var state: State

  /// Whether both run and only their connections may differ. Their records are equal then.
  func differsInConnectionsOnly(from other: TransferMachine) -> Bool {
    guard case .running = state, case .running = other.state else { return false }
    return _facts.isSameCopy(as: other._facts) || facts == other.facts
  }

  package init(_ record: TransferRecord, state: State) {
    facts = TransferFacts(record)
    self.state = state
    if state.clearsFailure { facts.lastFailure = nil }
  }

  /// The only place where the state changes.
  private mutating func apply(_ transition: Transition) -> Transition {
    guard let next = transition.state else { return transition }
    assert(state.kind.exits.contains(next.kind), "\(state.kind) is not followed by \(next.kind)")
    let failure = state.failureKept(facts.lastFailure, before: next)
    if facts.lastFailure != failure { facts.lastFailure = failure }
    state = next
    return transition
  }

  /// Continues a running download, or ends its attempts.
  private mutating func apply(
    _ step: ActiveDownload.Step, to download: ActiveDownload
  ) -> Transition {
    if let next = step.next {
      return apply(.ending(download, next: next, hostHint: step.hostHint))
    }
    return apply(
      Transition(state: .running(download), actions: step.actions, hostHint: step.hostHint))
  }

  // MARK: Controls of the user

  package mutating func start(at now: Moment, fresh: FreshStartReason? = nil) -> Transition {
    if let fresh { facts.freshStart = fresh }
    return apply(state.start(&facts, at: now))
  }

  /// Takes what arrived in place of the file, or trusts the server that the system does not trust.
  package mutating func accept(_ operation: OperationID) -> Transition {
    apply(state.accept(&facts, operation))
  }

  /// Uses what the user has decided for hosts, where the transfer has nothing of its own.
  package mutating func adopt(_ remembered: RememberedHosts) -> Transition {
    facts.remembered = remembered
    return .none
  }

  mutating func titleRead(_ title: String) -> Transition { apply(state.titleRead(title)) }

  package mutating func pause() -> Transition { apply(state.pause(keepsBytes: facts.keepsBytes)) }

  package mutating func stop(_ operation: OperationID) -> Transition {
    apply(state.stop(&facts, operation))
  }

  /// Removes the transfer from the list; an unfinished task only after its program was notified.
  package mutating func remove(
    file fate: FileFate, _ operation: OperationID, at now: Moment
  ) -> Transition {
    apply(
      facts.isTask
        ? state.removeTask(&facts, file: fate, operation, at: now)
        : state.remove(&facts, file: fate, operation))
  }

  package mutating func reset(_ operation: OperationID) -> Transition {
    apply(state.reset(&facts, operation))
  }

  /// Files that the next control discards move to the bin.
  package mutating func discardFiles(into action: Int64) { facts.discardFiles(into: action) }

  /// Returns a transfer that was stopped or reset to what it was before, at its present place in
  /// the list.
  package mutating func restore(_ record: TransferRecord, at now: Moment) -> Transition {
    var record = record
    record.queuePosition = facts.queuePosition
    facts = TransferFacts(record)
    return apply(.entering(State(recovering: record, at: now)))
  }

  package mutating func relink(
    to url: TransferURL, login: Login?, broughtBy request: TransferSpec? = nil, at now: Moment
  ) -> Transition {
    apply(state.relink(&facts, to: url, login: login, broughtBy: request, at: now))
  }

  /// Takes what the user now asks for. It stands still and goes on doing so; in any other state
  /// nothing changes.
  package mutating func change(to spec: TransferSpec) -> Transition {
    guard state.standsStill else { return .none }
    if spec.url != facts.spec.url {
      facts.replaceLink(with: spec.source, login: nil)
    }
    facts.spec = spec
    return .none
  }

  /// Sets the limit of all attempts together in bytes per second; nil means no limit.
  package mutating func limit(toBytesPerSecond limit: Int64?) -> Transition {
    if case .completed = state { return .refused(.completed) }
    facts.spec.limitBytesPerSecond = limit
    facts.spec.options.recordChoice(.limit, isStandard: limit == nil)
    return Transition(actions: [.limit(facts.id, bytesPerSecond: limit)])
  }

  /// Takes effect when the next slot becomes free.
  package mutating func prioritize(_ priority: TransferPriority) -> Transition {
    facts.spec.priority = priority
    facts.spec.options.recordChoice(.priority, isStandard: priority == .normal)
    return .none
  }

  /// Takes over what a new request asks, none of which may be too late, and continues if it stands
  /// still. The caller has compared a finished file with a new checksum.
  package mutating func takeOver(
    _ difference: RequestDifference, at now: Moment
  ) -> Transition {
    apply(state.takeOver(&facts, difference, at: now))
  }

  /// For another transfer, which continues with them.
  mutating func surrenderBytes() -> ResumeData? {
    defer { facts.resumeData = nil }
    return facts.resumeData
  }

  mutating func inherit(_ resumeData: ResumeData) { facts.resumeData = resumeData }

  mutating func recordCheck(_ check: FileCheck) -> Transition {
    if case .completed = state { facts.finishedFile?.record(check) }
    return .none
  }

  /// Gives a new transfer the partial file for the bytes that it is to fetch.
  mutating func prepareRepair(with resumeData: ResumeData) -> Transition {
    guard state.standsStill, facts.spec.options.repairs != nil, facts.resumeData == nil else {
      return .none
    }
    facts.resumeData = resumeData
    return .none
  }

  package mutating func move(to position: Int64) { facts.queuePosition = position }

  /// Puts it into one of the user's queues.
  package mutating func assign(to queue: QueueName) -> Transition {
    facts.spec.options.queue = queue == .standard ? nil : queue
    facts.spec.options.recordChoice(.queue, isStandard: queue == .standard)
    return .none
  }

  /// Ends the run with every byte kept, so that it continues with the next slot.
  package mutating func suspend() -> Transition { apply(state.suspend()) }

  // MARK: Requests of a task's program

  package mutating func cancel(
    keepsBytes: Bool, _ operation: OperationID, at now: Moment
  ) -> Transition {
    apply(state.cancel(&facts, keepsBytes: keepsBytes, operation, at: now))
  }

  package mutating func drop(_ operation: OperationID) -> Transition {
    apply(state.drop(&facts, file: .stays, operation))
  }

  package mutating func acknowledge(
    keepingBytesFor secret: String?, _ operation: OperationID
  ) -> Transition {
    apply(state.acknowledge(&facts, keepingBytesFor: secret, operation))
  }

  package mutating func makeToken(secret: String) { state.makeToken(&facts, secret: secret) }

  package mutating func update(with changes: TaskChanges, at now: Moment) -> Transition {
    apply(state.update(&facts, with: changes, at: now))
  }

  package mutating func respond(
    to challenge: ServerChallenge, with answer: ChallengeAnswer, _ operation: OperationID,
    at now: Moment
  ) -> Transition {
    apply(state.respond(&facts, to: challenge, with: answer, operation, at: now))
  }

  package mutating func trustSystem() { _ = apply(state.trustSystem(&facts)) }

  /// Lets a delayed task begin whose program cannot be asked.
  package mutating func beginUnasked() { _ = apply(state.beginUnasked(facts)) }

  package mutating func adopt(taskIdentifier: Int64) -> Transition {
    apply(state.adopt(&facts, taskIdentifier: taskIdentifier))
  }

  // MARK: Time, network and conditions

  /// Counts the time of a task from its first start.
  package mutating func recordStart(at now: WallTime) {
    let visibleState = visibleState
    facts.task?.recordStart(in: visibleState, at: now)
  }

  mutating func timePassed(at now: Moment) -> Transition {
    if let end = state.timedOut(&facts, at: now.wall) { return apply(end) }
    return apply(state.timePassed(&facts, at: now))
  }

  mutating func networkReturned() -> Transition { apply(state.networkReturned()) }

  /// Waits for another login, because the host has rejected this one.
  package mutating func holdBackForLogin() -> Transition { apply(state.holdBackForLogin(facts)) }

  /// Waits for a peer that cannot be reached.
  package mutating func holdBack(
    for peer: Peer, until: Moment, because failure: TransferFailure
  ) -> Transition {
    apply(state.holdBack(for: peer, until: until, failure, facts))
  }

  /// Learns something about the peer that it waits for.
  package mutating func hear(_ news: PeerNews, of peer: Peer, at now: Moment) -> Transition {
    apply(state.hear(news, of: peer, &facts, at: now))
  }

  package mutating func conditionsChanged(unmet: TransferCondition?) -> Transition {
    apply(state.conditionsChanged(facts, unmet: unmet))
  }

  package mutating func holdBack(for condition: TransferCondition) {
    _ = apply(state.holdBack(facts, for: condition))
  }

  // MARK: The list

  /// Assigns the finish number when the transfer has just completed; clears it when it no longer is
  /// completed. Returns whether the number was used.
  package mutating func numberFinish(_ number: Int64, before: TransferState) -> Bool {
    guard visibleState == .completed else {
      if facts.finishNumber != nil { facts.finishNumber = nil }
      return false
    }
    // A restored transfer has its number.
    guard before != .completed, facts.finishNumber == nil else { return false }
    facts.finishNumber = number
    return true
  }

  // MARK: The run

  /// Starts work in a free slot. Unused identifiers are discarded.
  package mutating func slotGiven(
    _ ids: FreshIDs, as streamUse: StreamUse = .none, closed: ClosedHosts = ClosedHosts(),
    at now: Moment
  ) -> Transition {
    guard case .queued = state else { return .none }
    if let step = Finishing(ids.operation).beginWithoutRequest(&facts, at: now) {
      return apply(step)
    }
    facts.chooseOpener(at: now.monotonic)
    facts.documents = DocumentChain()
    var request = facts.firstRequest
    if closed.until(request.url.origin, at: now.monotonic) != nil {
      // The URL of the source may lead to another server this time.
      facts.route = .original
      request = facts.firstRequest
    }
    request.streamUse = streamUse
    return apply(ActiveDownload.begin(request, attempt: ids.attempt, &facts, at: now))
  }

  mutating func informed(
    by head: ResponseHead, from reach: NetworkReach, of attempt: AttemptID,
    sending modifiedNanoseconds: Int64?
  ) -> Transition {
    guard let download, let connection = download.connection(of: attempt),
      connection.phase == .requesting
    else { return .none }
    facts.recordInformational(head, from: connection, download.purpose)
    if let modifiedNanoseconds, download.purpose == .file {
      facts.recordUploadResource(
        in: head, from: connection, reach, sending: modifiedNanoseconds)
    }
    return .none
  }

  /// Decides what a response means. The attempt's body waits until then.
  mutating func headReceived(
    _ response: ActiveDownload.Response, in context: DecisionContext
  ) -> Transition {
    guard case .running(var download) = state else { return .none }
    let step = download.receive(response, &facts, in: context)
    return apply(step, to: download)
  }

  /// From now on the record names the partial file.
  mutating func bodyOpened(
    _ resumeData: ResumeData, because reason: FreshStartReason?, of attempt: AttemptID,
    at now: Moment
  ) -> Transition {
    facts.resumeData = resumeData
    if let reason { facts.freshStart = reason }
    guard case .running(var download) = state,
      let step = download.bodyOpened(resumeData, of: attempt, &facts, at: now.monotonic)
    else { return .none }
    return apply(step, to: download)
  }

  /// A piece of the file does not have its digest.
  mutating func pieceWrong(_ wrong: WrongPiece, in context: DecisionContext) -> Transition {
    guard case .running(let download) = state else { return .none }
    return apply(download.pieceWrong(wrong, &facts, in: context), to: download)
  }

  /// Other connections may join when the speed of the first one is known.
  mutating func bodyRecorded(_ policy: DivisionPolicy, at now: MonotonicTime) -> Transition {
    guard case .running(var download) = state else { return .none }
    download.bodyRecorded(facts, policy, at: now)
    return apply(.entering(.running(download)))
  }

  /// The attempts must be cancelled.
  mutating func bodyRefused(
    _ failure: TransferFailure, of attempt: AttemptID, in context: DecisionContext
  ) -> Transition {
    guard case .running(let download) = state, download.connection(of: attempt) != nil else {
      return .none
    }
    return apply(.ending(download, next: facts.afterBodyRefused(failure, in: context)))
  }

  /// The sources for another connection, the best one first; none when none would help.
  package func wantedSources(
    _ policy: DivisionPolicy, at now: MonotonicTime
  ) -> [ActiveDownload.WantedSource] {
    guard case .running(let download) = state, download.body == .open,
      facts.spec.options.repairs == nil
    else { return [] }
    return download.wantedSources(facts, policy, at: now)
  }

  /// - Parameter newcomerCount: how many connections could begin, this one included.
  package mutating func beginConnection(
    _ attempt: AttemptID, to source: MirrorTable.SourceID, newcomerCount: Int,
    _ policy: DivisionPolicy, at now: Moment
  ) -> Transition {
    guard case .running(var download) = state,
      let plan = download.beginConnection(
        attempt, to: source, newcomerCount: newcomerCount, facts, policy: policy,
        at: now.monotonic)
    else { return .none }
    return apply(.entering(.running(download), [.beginAttempt(facts.id, plan)]))
  }

  /// How many connections to a host, or to any if it is nil, could close for the sake of another
  /// transfer.
  func spareConnectionCount(at origin: Origin?) -> Int {
    guard case .running(let download) = state else { return 0 }
    return download.spareCount(facts, at: origin)
  }

  /// Closes one of these connections, if there is one to spare.
  package mutating func shedConnection(at origin: Origin?) -> Transition {
    guard case .running(var download) = state,
      let attempt = download.shedConnection(facts, at: origin)
    else { return .none }
    return apply(.entering(.running(download), [.cancelAttempt(attempt)]))
  }

  /// Records the progress of each connection, and cancels those that are silent.
  mutating func progressed(_ progress: DownloadProgress, at now: Moment) -> Transition {
    guard case .running(var download) = state else { return .none }
    var silent = download.recordProgress(progress, facts, at: now.monotonic)
    if !facts.mirrors.isEmpty {
      silent += download.recordSpeeds(progress, &facts, at: now.monotonic)
    }
    return apply(.entering(.running(download), silent.map(TransferAction.cancelAttempt)))
  }

  /// Adjusts the number of connections to the rate, and closes those that add nothing.
  mutating func adjustConnections(
    limitBytesPerSecond limit: Int64?, _ policy: DivisionPolicy, at now: Moment
  ) -> Transition {
    guard case .running(var download) = state else { return .none }
    let useless =
      download.closeSuperfluousTests()
      + download.adjust(facts, limitBytesPerSecond: limit, policy, at: now.monotonic)
    return apply(.entering(.running(download), useless.map(TransferAction.cancelAttempt)))
  }

  /// Every open connection may be dead.
  mutating func networkChanged(at now: Moment) -> Transition {
    guard case .running(var download) = state else { return .none }
    download.suspectAll(at: now.monotonic)
    return apply(.entering(.running(download)))
  }

  /// What newly synced bytes change in the record.
  enum SyncedChange {
    case nothing
    case bytes
    /// The retry count was reset, the validator is another one, or more of the beginning is known.
    case record
  }

  /// Records what is synced, where the next attempt could use it.
  mutating func bytesSynced(_ durable: ByteRangeSet, _ sample: FileSample?) -> SyncedChange {
    guard let known = facts.resumeData?.durable, known != durable, facts.keepsBytes, occupiesSlot
    else {
      return .nothing
    }
    let isRecordChanged = facts.recordSynced(durable)
    return facts.recordSample(sample) || isRecordChanged ? .record : .bytes
  }

  /// Stores what an attempt took, for the program.
  mutating func recordMeasurement(_ measurement: AttemptMeasurement) {
    facts.taskStatus?.record(measurement)
  }

  /// Continues without the attempt. After the last one, closes the partial file.
  mutating func attemptEnded(
    _ ended: ActiveDownload.Ended, operation: OperationID, in context: DecisionContext
  ) -> Transition {
    if let sentByteCount = ended.sentByteCount { facts.taskStatus?.sentByteCount = sentByteCount }
    switch state {
    case .ending(.attempts(let attempts), let next):
      return apply(
        next.attemptEnded(
          ended.attempt, with: ended.outcome, of: attempts, &facts, closing: operation))
    case .running(var download):
      guard let step = download.end(ended, &facts, in: context) else { return .none }
      guard let next = step.next, download.connections.isEmpty else {
        return apply(step, to: download)
      }
      var transition = next.closingBody(of: facts.id, operation)
      transition.hostHint = step.hostHint
      return apply(transition)
    case .idle, .scheduled, .queued, .ending(.body, _), .waiting, .paused, .verifying,
      .discarding, .placing, .completed, .failed, .removed:
      return .none
    }
  }

  /// If no connection is left and none can begin although the body is open, requeues the transfer.
  mutating func endWithoutConnections(_ operation: OperationID) -> Transition {
    guard let download, download.connections.isEmpty else { return .none }
    return apply(AfterEnding.queued.closingBody(of: facts.id, operation))
  }

  mutating func bodyClosed(
    _ result: Result<ClosedBody?, TransferFailure>, by operation: OperationID, ids: FreshIDs,
    in context: DecisionContext
  ) -> Transition {
    guard case .ending(.body(operation), let next) = state else { return .none }
    return apply(next.bodyClosed(result, &facts, ids: ids, in: context))
  }

  // MARK: Finishing

  /// Continues without the bytes of the partial file that are not as they were recorded.
  mutating func blocksChecked(
    _ damaged: [ByteRange], by operation: OperationID
  ) -> Transition {
    guard case .verifying(operation) = state else { return .none }
    facts.trust = .certain
    facts.forget(damaged)
    return apply(.entering(.queued))
  }

  mutating func digestComputed(
    _ result: Result<String, TransferFailure>, by operation: OperationID, next: OperationID,
    at now: Moment
  ) -> Transition {
    guard case .verifying(operation) = state else { return .none }
    return apply(Finishing(next).digestComputed(result, &facts, at: now))
  }

  mutating func fileUnpacked(
    _ result: Result<ResumeData, TransferFailure>, by operation: OperationID, next: OperationID,
    in context: DecisionContext
  ) -> Transition {
    guard case .verifying(operation) = state else { return .none }
    return apply(Finishing(next).fileUnpacked(result, &facts, in: context))
  }

  mutating func uploadBegun(
    _ upload: ObjectUpload, by operation: OperationID, next: OperationID
  ) -> Transition {
    guard case .verifying(operation) = state else { return .none }
    return apply(Finishing(next).uploadBegun(upload, &facts))
  }

  mutating func fileStored(
    _ failure: TransferFailure?, by operation: OperationID, next: OperationID,
    in context: DecisionContext
  ) -> Transition {
    guard case .verifying(operation) = state else { return .none }
    return apply(Finishing(next).fileStored(failure, &facts, in: context))
  }

  mutating func placed(
    _ result: Result<FinishedFile, TransferFailure>, by operation: OperationID,
    in context: DecisionContext
  ) -> Transition {
    guard case .placing(operation, let next) = state else { return .none }
    return apply(Finishing(operation).placed(result, next: next, &facts, in: context))
  }

  mutating func discarded(_ operation: OperationID) -> Transition {
    guard case .discarding(operation, let next) = state else { return .none }
    return apply(Finishing.discarded(&facts, next: next))
  }

  // MARK: Collections

  /// Takes the files that the last document of a list has named, once.
  mutating func takeListedMembers() -> (from: Int64, members: [ListedMember])? {
    guard facts.listing?.unrecorded != nil else { return nil }
    return facts.listing?.takeUnrecorded()
  }

  mutating func handle(_ event: CollectionEvent, at now: Moment) -> Transition {
    apply(facts.take(event, in: state, at: now))
  }

  // MARK: Recovery

  /// Restores a record after a restart. A running transfer continues; one with a date keeps
  /// waiting, on the wall clock, the only one that survives a reboot.
  package init(recovering record: TransferRecord, at now: Moment) {
    self.init(record, state: State(recovering: record, at: now))
    // A crash preceded the record of its end time.
    if visibleState == .failed, facts.finishedAt == nil { facts.finishedAt = now.wall }
  }

  /// Continues what a crash interrupted: an idle transfer has no bytes, and wrong bytes are not
  /// kept.
  package mutating func recoverDiscarding(_ operation: OperationID) -> Transition {
    apply(state.recoverDiscarding(&facts, operation))
  }
}
