import KettleModel
import KettleScheduler

/// Checkpoints: received bytes are synced, and then recorded.
extension TransferEngine {
  /// Syncs and records the full blocks of a body, on the thread that writes its blocks. That thread
  /// may block and is awake: passing a checkpoint from the disk's threads to the engine's and on to
  /// the journal's would wake each of them a hundred times a second.
  nonisolated func checkpointHere(_ id: TransferID, _ body: TransferBody) {
    let result = Result { () throws(TransferFailure) in try body.sync(.fullBlocks) }
    if case .success(let synced) = result, recordHere(synced.held, of: body) { return }
    decideHere { engine in engine.checkpointDone(id, body, result, isCommittedHere: true) }
    journal.commitHere()
  }

  /// Records without the engine, if it handed over recording to the body. Returns false when the
  /// engine must record.
  private nonisolated func recordHere(_ held: ByteRangeSet, of body: TransferBody) -> Bool {
    guard let stamp = body.progressStamp, journal.put(held, stamp),
      let goOn = body.confirm(held, stamp, at: clock.now().monotonic)
    else { return false }
    for attempt in goOn { transport.resumeReceiving(attempt) }
    return true
  }

  /// Syncs the bytes that the attempts have received so far; they are recorded afterwards.
  func checkpoint(_ id: TransferID, _ extent: TransferBody.Extent, at now: Moment) {
    guard case .open(let body, _)? = bodies[id] else { return }
    bodies[id] = .open(body, checkpointedAt: now.monotonic)
    diskPool.async { [weak self] in
      let result = Result { () throws(TransferFailure) in try body.sync(extent) }
      self?.postFromLane(.checkpointDone(id, body, result))
    }
  }

  func checkpointDone(
    _ id: TransferID, _ body: TransferBody, _ result: Result<TransferBody.Synced, TransferFailure>,
    isCommittedHere: Bool = false
  ) {
    // If the file was closed meanwhile, its closing says more.
    guard bodies[id]?.body === body else { return }
    switch result {
    case .success(let synced):
      let now = clock.now()
      bodies[id] = .open(body, checkpointedAt: now.monotonic)
      advanceDigest(of: id, to: synced.held)
      let turn = scheduler.bytesSynced(synced.held, of: id)
      guard case .progress? = turn.changes.first else { return run(turn, at: now) }
      submitDecided()
      // A digest follows the recorded bytes, and is notified here.
      if digests[id] == nil { body.leaveRecording() }
      // No client is notified, and the network need not wait for the engine to continue.
      let finish: @Sendable (Result<Void, any Error>) -> Void = { [weak self] _ in
        self?.confirm(synced.held, of: id, in: body)
      }
      if isCommittedHere {
        journal.enqueue(turn.changes, finish: finish)
      } else {
        journal.submit(turn.changes, finish: finish)
      }
    case .failure:
      // The body rejects all further bytes, and the attempts end with its failure.
      for (attempt, one) in attempts where one.transfer == id { transport.cancel(attempt) }
    }
  }

  /// Confirms a committed checkpoint. Called by the journal's `finish`, while the journal's stamp
  /// is that of this checkpoint.
  private nonisolated func confirm(
    _ held: ByteRangeSet, of id: TransferID, in body: TransferBody
  ) {
    let goOn = body.confirm(held) { journal.progressStamp(of: id) }
    for attempt in goOn { transport.resumeReceiving(attempt) }
  }

  /// Notifies the scheduler of what was recorded without it.
  func noteRecorded(of id: TransferID) {
    if let recorded = bodies[id]?.body?.recorded { scheduler.recordDurable(recorded.held, of: id) }
  }

  /// Takes recording of a body's checkpoints back. Returns what the body recorded in the meantime
  /// if it is news to the scheduler, or nil.
  @discardableResult
  func takeOverRecording(of id: TransferID) -> ByteRangeSet? {
    guard case .open(let body, let checkpointedAt)? = bodies[id],
      let recorded = body.takeOverRecording()
    else { return nil }
    bodies[id] = .open(body, checkpointedAt: max(checkpointedAt, recorded.at))
    return scheduler.recordDurable(recorded.held, of: id) ? recorded.held : nil
  }

  /// Returns the changes with what was recorded since the scheduler last knew; otherwise they would say
  /// less than the journal has. Call this before anything else is done with a decision. The engine
  /// keeps the recording until the next checkpoint.
  func takingOverRecording(_ changes: [JournalChange]) -> [JournalChange] {
    if bodies.isEmpty { return changes }
    var changes = changes
    var recorded: [TransferID: ByteRangeSet] = [:]
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
