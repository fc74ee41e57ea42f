import KettleScheduler
import KettleModel

/// What was received goes on the disk, and then on record.
extension TransferEngine {
  /// Puts what a body received in full blocks on the disk and on record, on the thread that writes
  /// its blocks. It may wait and is awake: to hand a checkpoint from the disk's threads to the
  /// engine's and on to the journal's wakes each of them a hundred times a second.
  nonisolated func checkpointHere(_ id: TransferID, _ body: TransferBody) {
    let result = Result { () throws(TransferFailure) in try body.sync(.fullBlocks) }
    if case .success(let synced) = result, recordHere(synced.held, of: body) { return }
    decideHere { engine in engine.checkpointDone(id, body, result, isCommittedHere: true) }
    journal.commitHere()
  }

  /// Without the engine, where it left that to the body. False when it is to be asked.
  private nonisolated func recordHere(_ held: HeldRanges, of body: TransferBody) -> Bool {
    guard let stamp = body.progressStamp, journal.put(held, stamp),
      let goOn = body.confirm(held, stamp, at: clock.now().monotonic)
    else { return false }
    for attempt in goOn { transport.resumeReceiving(attempt) }
    return true
  }

  /// Puts what the attempts have brought so far on the disk, to go on record then.
  func checkpoint(_ id: TransferID, _ extent: TransferBody.Extent, at now: Moment) {
    guard case .open(let body, _)? = bodies[id] else { return }
    bodies[id] = .open(body, checkpointedAt: now.monotonic)
    diskLanes.async { [weak self] in
      let result = Result { () throws(TransferFailure) in try body.sync(extent) }
      self?.postFromLane(.checkpointDone(id, body, result))
    }
  }

  func checkpointDone(
    _ id: TransferID, _ body: TransferBody, _ result: Result<TransferBody.Synced, TransferFailure>,
    isCommittedHere: Bool = false
  ) {
    // That of a file that was closed meanwhile says less than its closing.
    guard bodies[id]?.body === body else { return }
    switch result {
    case .success(let synced):
      let now = clock.now()
      bodies[id] = .open(body, checkpointedAt: now.monotonic)
      advanceDigest(of: id, to: synced.held)
      let turn = brain.bytesSynced(synced.held, of: id)
      guard case .progress? = turn.changes.first else { return run(turn, at: now) }
      submitDecided()
      // A digest follows what is on record, and hears of it here.
      if digests[id] == nil { body.leaveRecording() }
      // Nobody is told of it, and the network need not wait for the engine to go on.
      let finish: @Sendable (Result<Void, any Error>) -> Void = { [weak self] _ in
        self?.confirm(synced.held, of: id, in: body)
      }
      if isCommittedHere {
        journal.enqueue(turn.changes, finish: finish)
      } else {
        journal.submit(turn.changes, finish: finish)
      }
    case .failure:
      // The body refuses every further byte; the attempts end with its failure.
      for (attempt, one) in attempts where one.transfer == id { transport.cancel(attempt) }
    }
  }

  /// The journal has it. Called where it says so: its stamp is that of this checkpoint then.
  private nonisolated func confirm(
    _ held: HeldRanges, of id: TransferID, in body: TransferBody
  ) {
    let goOn = body.confirm(held) { journal.progressStamp(of: id) }
    for attempt in goOn { transport.resumeReceiving(attempt) }
  }

  /// Tells the brain what was put on record without it.
  func noteRecorded(of id: TransferID) {
    if let recorded = bodies[id]?.body?.recorded { brain.noteRecorded(recorded.held, of: id) }
  }

  /// From here on the engine records what a body syncs. Answers what was recorded before and the
  /// brain did not know of, if that is kept.
  @discardableResult
  func takeOverRecording(of id: TransferID) -> HeldRanges? {
    guard case .open(let body, let checkpointedAt)? = bodies[id],
      let recorded = body.takeOverRecording()
    else { return nil }
    bodies[id] = .open(body, checkpointedAt: max(checkpointedAt, recorded.at))
    return brain.noteRecorded(recorded.held, of: id) ? recorded.held : nil
  }

  /// Records on their way to the journal, with what was put on record since the brain was told, or
  /// they would say less than it has. Comes before anything else is done of what was decided with
  /// them, and keeps the recording with the engine until the next checkpoint.
  func takingOverRecording(_ changes: [JournalChange]) -> [JournalChange] {
    if bodies.isEmpty { return changes }
    var changes = changes
    var recorded: [TransferID: HeldRanges] = [:]
    for index in changes.indices {
      guard case .put(var record) = changes[index] else { continue }
      recorded[record.id] = takeOverRecording(of: record.id) ?? recorded[record.id]
      guard let held = recorded[record.id] else { continue }
      record.resumeData?.held = held
      changes[index] = .put(record)
    }
    return changes
  }
}
