import KettleModel
import KettleScheduler

/// Passes input to the scheduler.
extension TransferEngine {
  func receive(_ input: EngineInput) {
    switch input {
    case .event(let event):
      apply(noting(event))
    case .transport(.headReceived(let attempt, let head, let reach, let roundTrip)):
      headReceived(head, from: reach, of: attempt, roundTripMilliseconds: roundTrip)
    case .transport(.informed(let attempt, let head, let reach, let modified)):
      apply(.attempt(attempt, .informed(head, from: reach, sending: modified)))
    case .transport(.multiplexed(let attempt)): attempts[attempt]?.isStream = true
    case .transport(.addressLeft(let attempt, let address)): addressLeft(address, by: attempt)
    case .transport(.sent(let attempt, let byteCount)): sent(byteCount, by: attempt)
    case .transport(.measured(let attempt, let measurement)): measured(measurement, of: attempt)
    case .transport(.ended(let attempt, let end)): ended(attempt, end)
    case .headersRead(let attempt, let result): headersRead(result, for: attempt)
    case .committed(let actions, let announced, let kept):
      let now = clock.now()
      for action in actions { perform(action, at: now) }
      for id in announced { announceChange(of: id) }
      noteKept(kept)
      evict()
    case .queueRead(let request, let result): queueRead(request, result)
    case .bodyOpened(let id, let attempt, let result): bodyOpened(result, of: id, by: attempt)
    case .attemptEnded(let attempt, let outcome, let segment):
      attemptEnded(attempt, outcome, writing: segment)
    case .roomMade(let attempts): for attempt in attempts { transport.resumeReceiving(attempt) }
    case .checkpointSynced(let id, let writer, let result):
      checkpointSynced(result, by: writer, of: id)
    case .bodyClosed(let id, let operation, let result, let digests):
      bodyClosed(result, with: digests, of: id, by: operation)
    case .advanced(let id): announceChange(of: id)
    case .fileVerified(let id, let result): fileVerified(result, of: id)
    case .repaired(let id): repaired(id)
    case .blocksChecked(let id, let operation, let result):
      blocksChecked(result, of: id, by: operation)
    case .unpacked(let id, let operation, let end): unpacked(end, of: id, by: operation)
    case .stored(let id, let operation, let destination, let outcome):
      stored(outcome, of: id, by: operation, in: destination)
    case .alarm: alarm()
    case .turnsTaken: break
    }
  }

  private func headReceived(
    _ head: ResponseHead, from reach: NetworkReach, of attempt: AttemptID,
    roundTripMilliseconds: Int64?
  ) {
    guard let one = attempts[attempt] else { return }
    let id = one.transfer
    attempts[attempt]?.trust = head.countsOnlyAtItsEnd ? .atItsEnd : .atOnce
    live[id].observed.lastHead = head
    noteProgress(of: id)
    apply(
      .attempt(
        attempt,
        .headReceived(
          head, from: reach, roundTripMilliseconds: roundTripMilliseconds,
          isStream: one.isStream)))
  }

  private func addressLeft(_ address: IPAddress, by attempt: AttemptID) {
    guard let id = attempts[attempt]?.transfer else { return }
    live[id].observed.note(.addressLeft(address: address.description), at: clock.now().wall)
  }

  /// Reported with the next tick; recorded when the attempt is over.
  private func sent(_ byteCount: Int64, by attempt: AttemptID) {
    guard let id = attempts[attempt]?.transfer else { return }
    attempts[attempt]?.sentByteCount = byteCount
    live[id].noteSent(byteCount)
  }

  /// Recorded when the attempt is over.
  private func measured(_ measurement: AttemptMeasurement, of attempt: AttemptID) {
    var measurement = measurement
    measurement.startedAt = clock.now().wall.advanced(
      byMilliseconds: -measurement.totalMicroseconds / 1000)
    apply(.attempt(attempt, .measured(measurement)))
  }

  private func bodyOpened(
    _ result: Result<BodyOpening.Opened, TransferFailure>, of id: TransferID, by attempt: AttemptID
  ) {
    switch (live[id].body, result) {
    case (.opening(let body)?, .failure(let failure)) where body.attempt == attempt:
      live[id].body = nil
      apply(.attempt(attempt, .bodyRefused(failure)))
      if let end = body.end { ended(attempt, end) }
      if let close = body.close { closeBody(id, close) }
    case (.opening(let body)?, .success(let opened)) where body.attempt == attempt:
      let writer = makeWriter(
        for: opened.file, durable: opened.resumeData.durable,
        totalByteCount: opened.resumeData.totalByteCount, opened.ledger, of: id)
      use(writer, opened, of: id, by: attempt)
      if let end = body.end { ended(attempt, end) }
      if let close = body.close { closeBody(id, close) }
    // The attempt's end reports the same, and there is nothing to close before.
    case (.late(let late)?, .failure(let failure)) where late.attempt == attempt:
      apply(.attempt(attempt, .bodyRefused(failure)))
    case (.late(let late)?, .success(let opened)) where late.attempt == attempt:
      use(late.writer, opened, of: id, by: attempt)
    case (.opening, _), (.late, _), (.open, _), (.closing, _), (nil, _): break
    }
  }

  func makeWriter(
    for file: any PartialFile, durable: ByteRangeSet,
    totalByteCount: Int64?, _ ledger: PieceLedger? = nil, of id: TransferID
  ) -> PartialFileWriter {
    let pieces = PieceComparing(storage: files.storage) { [weak self] wrong in
      self?.post(.event(.body(id, .pieceWrong(wrong))))
    }
    // What is durable already has its digests, or is too much to be read for them.
    let blocks = BlockLedger(known: durable) { [storage = files.storage] in
      storage.makeBlockDigest()
    }
    return PartialFileWriter(
      file: file, durable: durable, totalByteCount: totalByteCount,
      queue: work.makeQueue("kettle.writer"), syncQueue: work.makeQueue("kettle.sync"),
      pieceQueue: work.makeQueue("kettle.pieces"), pieces: ledger == nil ? nil : pieces,
      ledger: ledger, blocks: blocks
    ) { [weak self] attempts in self?.post(.roomMade(attempts)) }
  }

  /// Notifies the scheduler that the partial file is open.
  func use(
    _ writer: PartialFileWriter, _ opened: BodyOpening.Opened, of id: TransferID,
    by attempt: AttemptID
  ) {
    live[id].body = .open(writer, CheckpointPace(since: clock.now().monotonic))
    live[id].needsFileFirst = false
    followDigest(of: id, opened.resumeData)
    if live[id].digest != nil || opened.ledger != nil { opened.file.keepInMemory() }
    apply(
      .body(id, .opened(opened.resumeData, because: opened.freshStart, by: attempt)),
      with: opened.origin == .created ? [.forgetDigests(id)] : [])
  }

  /// The transport is done with the attempt; its last bytes are still to be written.
  private func ended(_ attempt: AttemptID, _ end: AttemptEnd) {
    guard let one = attempts[attempt] else { return }
    if case .opening(var body)? = live[one.transfer].body, body.attempt == attempt,
      body.copying.byteCount != nil
    {
      // The bytes that are copied are not those of its response, which may not last as long.
      body.end = end
      live[one.transfer].body = .opening(body)
      return
    }
    if let document = one.document {
      // Other transfers and all clients would wait while it is read here.
      return files.names.async { [weak self] in
        let outcome = document.outcome(of: end) ?? Self.outcome(end, failure: nil)
        self?.post(.attemptEnded(attempt, outcome, PartialFileWriter.EndedSegment()))
      }
    }
    guard let writer = live[one.transfer].body?.writer else {
      return attemptEnded(
        attempt, Self.outcome(end, failure: nil), writing: PartialFileWriter.EndedSegment())
    }
    let work: WorkerPool.Work = { [weak self] in
      let undecrypted = one.decryption?.finish(isComplete: end == .complete)
      let segment = writer.end(attempt, isComplete: end == .complete && undecrypted == nil)
      writer.settle()
      let failure = undecrypted ?? segment.failure
      self?.post(.attemptEnded(attempt, Self.outcome(end, failure: failure), segment))
    }
    if case .late(let late)? = live[one.transfer].body {
      files.names.async {
        // The last write creates and names the file, unless that has begun already.
        if late.making == .begun { _ = try? late.file.make() }
        work()
      }
    } else {
      writer.queue.enqueue(work)
    }
    switch end {
    case .complete, .satisfied:
      apply(.attempt(attempt, .exchangeEnded))
    case .cancelled, .sinkFailed, .failed, .untrusted, .certificateWanted: break
    }
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
    _ attempt: AttemptID, _ outcome: AttemptOutcome, writing segment: PartialFileWriter.EndedSegment
  ) {
    guard let gone = attempts.removeValue(forKey: attempt) else { return }
    noteProgress(of: gone.transfer)
    noteDiscarded(segment.discardedByteCount, of: gone.transfer)
    settleLate(gone.transfer, after: attempt)
    live[gone.transfer].endSending()
    apply(
      .attempt(
        attempt,
        .ended(
          outcome, receivedUpTo: segment.receivedUpTo, sentByteCount: gone.sentByteCount)))
  }

  private func noteDiscarded(_ byteCount: Int64, of id: TransferID) {
    guard byteCount > 0 else { return }
    live[id].observed.note(.discarded(byteCount: byteCount), at: clock.now().wall)
  }

  private func bodyClosed(
    _ result: Result<ClosedBody?, TransferFailure>, with digests: [DigestedBytes],
    of id: TransferID, by operation: OperationID
  ) {
    live[id].endBody()
    if case .success(let closed?) = result { advanceDigest(of: id, to: closed.durable) }
    apply(
      .body(id, .closed(result, by: operation)),
      with: digests.isEmpty ? [] : [.digests(id, digests)])
    // A waiting or paused transfer keeps no descriptor open.
    if scheduler.machines[id]?.visibleState != .running { live[id].digest = nil }
  }

  // MARK: Time

  private func alarm() {
    let now = clock.now()
    if pace.takeTick(at: now.monotonic) {
      for id in live.takeSending() where live[id].body?.writer == nil {
        tellProgress(of: id, at: now)
      }
      for id in live.withBody.sorted() { progress(of: id, at: now) }
      judgeSpeeds(at: now)
    }
    if let wakeUp = nextWakeUp(at: now), wakeUp <= now.monotonic {
      pace.woken(at: now.monotonic)
      for id in live.withBody { noteProgress(of: id) }
      apply(.timePassed)
    } else {
      setAlarm(at: now)
    }
  }

  /// The scheduler divides the missing bytes by the progress of each attempt, so it needs that
  /// progress before it decides.
  private func noteProgress(of id: TransferID) {
    guard let writer = live[id].body?.writer else { return }
    measureBytes(of: id)
    let now = clock.now()
    let body = TransferScheduler.BodyEvent.received(
      writer.progress, waitingForDisk: writer.waitingForDisk)
    _ = decide { $0.handle(.body(id, body), at: now) }
  }

  private func progress(of id: TransferID, at now: Moment) {
    guard let writer = live[id].body?.writer else {
      if live[id].body?.fileByteCount != nil { tellProgress(of: id, at: now) }
      return
    }
    measureBytes(of: id)
    let waitingForDisk = writer.waitingForDisk
    live[id].observation?.noteTick(
      byteCount: writer.receivedByteCount, waitsForDisk: !waitingForDisk.isEmpty,
      at: now.monotonic)
    noteArrivals(of: id)
    apply(.body(id, .progressed(writer.progress, waitingForDisk: waitingForDisk)))
    tellProgress(of: id, at: now)
    if case .late(let late)? = live[id].body {
      let age = now.monotonic.milliseconds(since: late.since)
      if age >= configuration.checkpoints.slowMilliseconds { makeFile(of: id, late) }
    } else {
      checkpointIfDue(id, at: now)
    }
  }

  /// Reports the progress: of a download the bytes in the file, of an upload the bytes sent.
  private func tellProgress(of id: TransferID, at now: Moment) {
    guard let isUpload = scheduler.machines[id]?.spec.isUpload else { return }
    let byteCount =
      isUpload ? live[id].observation?.sentByteCount ?? 0 : live[id].body?.fileByteCount ?? 0
    let newByteCount = live[id].observed.tell(byteCount, at: now.monotonic)
    if isUpload, let origin = scheduler.machines[id]?.spec.url.origin {
      measurements.recordBytes(newByteCount, from: origin)
    }
    // A failure is reported separately, when the store has it.
    if let snapshot = snapshot(of: id), snapshot.state != .failed {
      observer(.progress(snapshot, bytesWritten: newByteCount))
    }
  }
}
