import TransferCore
import TransferModel

/// World → brain.
extension TransferEngine {
  func receive(_ input: EngineInput) {
    switch input {
    case .transport(.headReceived(let attempt, let head)): headReceived(head, of: attempt)
    case .transport(.ended(let attempt, let end)): ended(attempt, end)
    case .committed(let actions, let announced):
      let now = clock.now()
      for action in actions { perform(action, at: now) }
      for id in announced { announceChange(of: id) }
    case .bodyOpened(let attempt, let result): bodyOpened(result, of: attempt)
    case .checkpointDue(let attempt): checkpoint(attempt, at: clock.now())
    case .checkpointDone(let attempt, .success(let upTo)):
      apply { brain, _ in brain.bytesSynced(HeldRanges(prefix: upTo), of: attempt) }
    case .checkpointDone(let attempt, .failure):
      // The writer refuses every further byte and the attempt ends with the failure.
      transport.cancel(attempt)
    case .drained(let attempt, let end, let heldUpTo): settle(attempt, end, heldUpTo: heldUpTo)
    case .digested(let id, let operation, let result):
      apply { brain, now in brain.digestComputed(result, of: id, by: operation, at: now) }
    case .placed(let id, let operation, let result):
      apply { brain, now in brain.placed(result, of: id, by: operation, at: now) }
    case .discarded(let id, let operation):
      apply { brain, now in brain.discarded(id, by: operation, at: now) }
    case .alarm: alarm()
    }
  }

  private func headReceived(_ head: ResponseHead, of attempt: AttemptID) {
    guard let id = attempts[attempt]?.transfer else { return }
    live[id, default: LiveTransfer()].lastHead = head
    let jitter = Double.random(in: 0...1)
    apply { brain, now in brain.headReceived(head, of: attempt, jitter: jitter, at: now) }
  }

  private func bodyOpened(
    _ result: Result<BodyOpening.Opened, TransferFailure>, of attempt: AttemptID
  ) {
    guard case .opening(let ended)? = attempts[attempt]?.phase else { return }
    switch result {
    case .failure(let failure):
      attempts[attempt]?.phase = .asking
      apply { brain, now in brain.bodyRefused(failure, of: attempt, at: now) }
      if let ended { self.ended(attempt, ended) }
    case .success(let opened):
      let writer = BodyWriter(
        file: opened.file, from: opened.offset, upperLimit: opened.upperLimit,
        subject: opened.resumeData.finalName
      ) { [weak self] in self?.post(.checkpointDue(attempt)) }
      attempts[attempt]?.phase = .opened(writer)
      apply { brain, now in brain.bodyOpened(opened.resumeData, of: attempt, at: now) }
      if let ended { self.ended(attempt, ended) }
    }
  }

  /// The transport has let go of the attempt.
  private func ended(_ attempt: AttemptID, _ end: AttemptEnd) {
    switch attempts[attempt]?.phase {
    case .asking: settle(attempt, Self.settled(end, writer: nil), heldUpTo: nil)
    case .opening: attempts[attempt]?.phase = .opening(ended: end)
    case .opened(let writer), .flowing(let writer): drain(attempt, end, writer)
    case .draining, nil: break
    }
  }

  private func settle(_ attempt: AttemptID, _ end: SettledEnd, heldUpTo: Int64?) {
    guard let gone = attempts.removeValue(forKey: attempt) else { return }
    live[gone.transfer]?.speed = SpeedEstimator()
    let held = heldUpTo.map { HeldRanges(prefix: $0) }
    let jitter = Double.random(in: 0...1)
    apply { brain, now in
      brain.attemptSettled(attempt, end, held: held, jitter: jitter, at: now)
    }
  }

  private func alarm() {
    let now = clock.now()
    if let tick = nextTick, tick <= now.monotonic {
      nextTick = nil
      for (attempt, one) in attempts { progress(attempt, one, at: now) }
    }
    if let wakeUp = brain.nextWakeUp(at: now), wakeUp <= now.monotonic {
      apply { brain, now in brain.timePassed(at: now) }
    } else {
      setAlarm(at: now)
    }
  }

  private func progress(_ attempt: AttemptID, _ one: LiveAttempt, at now: Moment) {
    guard let writer = one.writer else { return }
    let byteCount = writer.receivedUpTo
    var known = live[one.transfer] ?? LiveTransfer()
    known.speed.sample(byteCount: byteCount, at: now.monotonic)
    let told = min(known.toldByteCount, byteCount)
    known.toldByteCount = byteCount
    live[one.transfer] = known
    if let snapshot = snapshot(of: one.transfer) {
      observer(.progress(snapshot, bytesWritten: byteCount - told))
    }
    let age = now.monotonic.milliseconds(since: one.checkpointedAt)
    if age >= configuration.checkpointMilliseconds, writer.hasUnconfirmedBytes {
      checkpoint(attempt, at: now)
    }
  }
}
