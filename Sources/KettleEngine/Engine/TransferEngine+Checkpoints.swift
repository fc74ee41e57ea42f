import Dispatch
import KettleModel
import KettleScheduler

/// Checkpoints: received bytes are synced, and then recorded like any other change.
extension TransferEngine {
  /// Begins a checkpoint if one is due. Called at each tick.
  func checkpointIfDue(_ id: TransferID, at now: Moment) {
    guard case .open(let writer, var pace)? = bodies[id],
      pace.begin(
        receivedByteCount: writer.receivedByteCount, configuration.checkpoints, at: now.monotonic)
    else { return }
    bodies[id] = .open(writer, pace)
    writer.syncQueue.async { [weak self] in
      let result = Result { () throws(TransferFailure) in try writer.sync() }
      self?.post(.checkpointSynced(id, writer, result))
    }
  }

  func checkpointSynced(
    _ result: Result<PartialFileWriter.Synced, TransferFailure>, by writer: PartialFileWriter,
    of id: TransferID
  ) {
    // If the file was closed meanwhile, its closing says more.
    guard case .open(let current, var pace)? = bodies[id], current === writer else { return }
    switch result {
    case .success(let synced):
      advanceDigest(of: id, to: synced.durable)
      let output = scheduler.bytesSynced(synced.durable, synced.sample, of: id)
      if output.changes.isEmpty { pace.end() } else { pace.submit() }
      bodies[id] = .open(writer, pace)
      run(output, at: clock.now())
    case .failure:
      pace.end()
      bodies[id] = .open(writer, pace)
      // The writer rejects all further bytes, and the attempts end with its failure.
      for (attempt, one) in attempts where one.transfer == id { cancel(attempt) }
    }
  }

  /// The store has a record of the transfer: its next checkpoint may begin.
  func checkpointRecorded(of id: TransferID) {
    guard case .open(let writer, var pace)? = bodies[id] else { return }
    pace.recorded()
    bodies[id] = .open(writer, pace)
  }
}
