import Dispatch
import KettleModel
import KettleScheduler

/// Passes input to the scheduler.
extension TransferEngine {
  func receive(_ input: EngineInput) {
    switch input {
    case .transport(.headReceived(let attempt, let head, let reach)):
      headReceived(head, from: reach, of: attempt)
    case .transport(.sent(let attempt, let byteCount)): sent(byteCount, by: attempt)
    case .transport(.ended(let attempt, let end)): ended(attempt, end)
    case .committed(let actions, let announced, let kept):
      let now = clock.now()
      for action in actions { perform(action, at: now) }
      for id in announced { announceChange(of: id) }
      noteKept(kept)
      evict()
    case .queueRead(let request, let result): queueRead(request, result)
    case .bodyOpened(let id, let attempt, let result): bodyOpened(result, of: id, by: attempt)
    case .attemptEnded(let attempt, let outcome, let segment):
      attemptEnded(attempt, outcome, segment)
    case .checkpointDone(let id, let body, let result): checkpointDone(id, body, result)
    case .bodyClosed(let id, let operation, let result): bodyClosed(result, of: id, by: operation)
    case .digested(let id, let operation, let result):
      apply { scheduler, now in scheduler.digestComputed(result, of: id, by: operation, at: now) }
    case .placed(let id, let operation, let result):
      apply { scheduler, now in scheduler.placed(result, of: id, by: operation, at: now) }
    case .discarded(let id, let operation):
      apply { scheduler, now in scheduler.discarded(id, by: operation, at: now) }
    case .alarm: alarm()
    }
  }

  private func headReceived(
    _ head: ResponseHead, from reach: NetworkReach, of attempt: AttemptID
  ) {
    guard let id = attempts[attempt]?.transfer else { return }
    attempts[attempt]?.trust = head.hasTransferCoding ? .atItsEnd : .atOnce
    live[id, default: begun(id)].lastHead = head
    noteProgress(of: id)
    let jitter = Double.random(in: 0...1)
    apply { scheduler, now in
      scheduler.headReceived(head, from: reach, of: attempt, jitter: jitter, at: now)
    }
  }

  /// Reported with the next tick; recorded when the attempt is over.
  private func sent(_ byteCount: Int64, by attempt: AttemptID) {
    guard let id = attempts[attempt]?.transfer else { return }
    attempts[attempt]?.sentByteCount = byteCount
    live[id, default: begun(id)].sentByteCount = byteCount
    sending.insert(id)
  }

  private func bodyOpened(
    _ result: Result<BodyOpening.Opened, TransferFailure>, of id: TransferID, by attempt: AttemptID
  ) {
    switch (bodies[id], result) {
    case (.opening(let close)?, .failure(let failure)):
      bodies[id] = nil
      apply { scheduler, now in scheduler.bodyRefused(failure, of: attempt, at: now) }
      if let close { closeBody(id, close) }
    case (.opening(let close)?, .success(let opened)):
      let body = makeBody(
        opened.file, of: id, held: opened.resumeData.held, total: opened.resumeData.totalByteCount)
      opens(body, opened, of: id, by: attempt)
      if let close { closeBody(id, close) }
    // The attempt's end reports the same, and there is nothing to close before.
    case (.late(let late)?, .failure(let failure)) where late.attempt == attempt:
      apply { scheduler, now in scheduler.bodyRefused(failure, of: attempt, at: now) }
    case (.late(let late)?, .success(let opened)) where late.attempt == attempt:
      opens(late.body, opened, of: id, by: attempt)
    case (.late, _), (.open, _), (.closing, _), (nil, _): break
    }
  }

  func makeBody(
    _ file: any PartialFile, of id: TransferID, held: ByteRangeSet, total: Int64?
  ) -> TransferBody {
    let queue = LingeringQueue("kettle.body")
    return TransferBody(file: file, held: held, totalByteCount: total, queue: queue) {
      [weak self] body in
      queue.async { [weak self] in self?.checkpointHere(id, body) }
    }
  }

  func opens(
    _ body: TransferBody, _ opened: BodyOpening.Opened, of id: TransferID, by attempt: AttemptID
  ) {
    bodies[id] = .open(body, checkpointedAt: clock.now().monotonic)
    followDigest(of: id, opened.resumeData)
    if digests[id] != nil { opened.file.keepInMemory() }
    apply { scheduler, now in scheduler.bodyOpened(opened.resumeData, of: id, by: attempt, at: now)
    }
  }

  /// The transport is done with the attempt; its last bytes are still to be written.
  private func ended(_ attempt: AttemptID, _ end: AttemptEnd) {
    guard let one = attempts[attempt] else { return }
    guard let body = bodies[one.transfer]?.body else {
      return attemptEnded(
        attempt, Self.outcome(end, failure: nil), TransferBody.EndedSegment())
    }
    lanes(of: one.transfer).async { [weak self] in
      let segment = body.end(attempt, isComplete: end == .complete)
      body.settle()
      self?.postFromLane(
        .attemptEnded(attempt, Self.outcome(end, failure: segment.failure), segment))
    }
    switch end {
    case .complete, .satisfied:
      apply { scheduler, now in scheduler.exchangeEnded(attempt, at: now) }
    case .cancelled, .sinkFailed, .failed, .untrusted, .certificateWanted: break
    }
  }

  /// A file that does not exist yet is also created and named there.
  private func lanes(of id: TransferID) -> WorkerPool {
    if case .late? = bodies[id] { namePool } else { diskPool }
  }

  private static func outcome(_ end: AttemptEnd, failure: TransferFailure?) -> AttemptOutcome {
    if let failure { return .failed(failure) }
    return switch end {
    case .complete, .satisfied: .complete
    case .cancelled: .cancelled
    case .failed(let failure): .failed(failure)
    case .untrusted(let failure, let challenge): .untrusted(failure, challenge)
    case .certificateWanted(let failure): .certificateWanted(failure)
    case .sinkFailed: .failed(TransferFailure(.internalProblem, on: "the partial file"))
    }
  }

  private func attemptEnded(
    _ attempt: AttemptID, _ outcome: AttemptOutcome, _ segment: TransferBody.EndedSegment
  ) {
    guard let gone = attempts.removeValue(forKey: attempt) else { return }
    noteProgress(of: gone.transfer)
    noteDiscarded(segment.discardedByteCount, of: gone.transfer)
    settleLate(gone.transfer, after: attempt)
    live[gone.transfer]?.sentByteCount = nil
    sending.remove(gone.transfer)
    let jitter = Double.random(in: 0...1)
    apply { scheduler, now in
      scheduler.attemptEnded(
        attempt, outcome, receivedUpTo: segment.receivedUpTo, sentByteCount: gone.sentByteCount,
        jitter: jitter, at: now)
    }
  }

  private func noteDiscarded(_ byteCount: Int64, of id: TransferID) {
    guard byteCount > 0 else { return }
    live[id, default: begun(id)]
      .note(HistoryText.discarded(byteCount: byteCount), at: clock.now().wall)
  }

  private func bodyClosed(
    _ result: Result<ClosedBody?, TransferFailure>, of id: TransferID,
    by operation: OperationID
  ) {
    bodies[id] = nil
    live[id]?.speed = SpeedEstimator()
    live[id]?.recentSpeeds.rest()
    if case .success(let closed?) = result { advanceDigest(of: id, to: closed.held) }
    let jitter = Double.random(in: 0...1)
    apply { scheduler, now in
      scheduler.bodyClosed(result, of: id, by: operation, jitter: jitter, at: now)
    }
    // A waiting or paused transfer keeps no descriptor open.
    if scheduler.machines[id]?.visibleState != .running { digests[id] = nil }
  }

  // MARK: Time

  private func alarm() {
    let now = clock.now()
    if let tick = nextTick, tick <= now.monotonic {
      nextTick = nil
      for id in sending.sorted() where bodies[id]?.body == nil { tellProgress(of: id, at: now) }
      sending = []
      for id in bodies.keys.sorted() { progress(of: id, at: now) }
    }
    if let wakeUp = scheduler.nextWakeUp(at: now), wakeUp <= now.monotonic {
      for id in bodies.keys { noteProgress(of: id) }
      apply { scheduler, now in scheduler.timePassed(at: now) }
    } else {
      setAlarm(at: now)
    }
  }

  /// The scheduler divides the missing bytes by the progress of each attempt, so it needs that progress
  /// before it decides.
  private func noteProgress(of id: TransferID) {
    guard let body = bodies[id]?.body else { return }
    scheduler.recordProgress(body.progress, of: id, at: clock.now())
    noteRecorded(of: id)
  }

  private func progress(of id: TransferID, at now: Moment) {
    let body: TransferBody
    let keptAt: MonotonicTime
    switch bodies[id] {
    case .open(let open, let checkpointedAt):
      (body, keptAt) = (open, max(checkpointedAt, open.recorded?.at ?? checkpointedAt))
    case .late(let late): (body, keptAt) = (late.body, late.since)
    case .opening, .closing, nil: return
    }
    noteRecorded(of: id)
    apply { scheduler, now in
      scheduler.progressed(id, body.progress, heldBack: body.heldBack, at: now)
    }
    tellProgress(of: id, at: now)
    let age = now.monotonic.milliseconds(since: keptAt)
    guard age >= configuration.checkpointMilliseconds else { return }
    if case .late(let late)? = bodies[id] {
      makeFile(of: id, late)
    } else if body.claimCheckpoint() {
      checkpoint(id, .everything, at: now)
    }
  }

  /// Reports the progress: of a download the bytes in the file, of an upload the bytes sent.
  private func tellProgress(of id: TransferID, at now: Moment) {
    guard let isUpload = scheduler.machines[id]?.spec.isUpload else { return }
    var known = live[id] ?? begun(id)
    let byteCount = isUpload ? known.sentByteCount ?? 0 : bodies[id]?.heldByteCount ?? 0
    known.speed.sample(byteCount: byteCount, at: now.monotonic)
    known.recentSpeeds.sample(byteCount: byteCount, at: now.monotonic)
    let told = min(known.toldByteCount, byteCount)
    known.toldByteCount = byteCount
    live[id] = known
    // A failure is reported separately, when the store has it.
    if let snapshot = snapshot(of: id), snapshot.state != .failed {
      observer(.progress(snapshot, bytesWritten: byteCount - told))
    }
  }
}
