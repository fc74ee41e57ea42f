import KettleModel
import KettleScheduler

/// Unpacking of files that arrived compressed, for transfers that ask for it.
extension TransferEngine {
  func unpack(_ resumeData: ResumeData, of id: TransferID, as operation: OperationID) {
    // It may have been paused during the commit.
    guard let machine = scheduler.machines[id], machine.isVerifying(operation) else { return }
    let live = LiveUnpacking(operation)
    unpackings[id] = live
    let unpacking = BodyUnpacking(
      files: files, id: id, spec: machine.spec, tooFewFreeBytes: tooFewFreeBytes[id])
    digestPool.async { [weak self] in
      let end = unpacking.run(resumeData) { live.shouldStop }
      self?.post(.unpacked(id, operation, end))
    }
  }

  func unpacked(_ end: BodyUnpacking.End, of id: TransferID, by operation: OperationID) {
    let coding = scheduler.machines[id]?.resumeData?.contentCoding
    // A stopped unpacking is not a failure: the transfer unpacks again when it continues.
    if unpackings[id]?.operation == operation {
      unpackings[id] = nil
      tooFewFreeBytes[id] = end.tooFewFreeBytes
      apply { scheduler, now in
        scheduler.fileUnpacked(end.result, of: id, by: operation, at: now)
      }
    }
    guard case .success(let unpacked) = end.result else { return }
    let identity = unpacked.partialIdentity
    guard scheduler.machines[id]?.resumeData?.partialIdentity == identity else {
      // It was paused or stopped meanwhile, and its record names the compressed file.
      return namePool.async { [files] in files.removePartialFile(identity) }
    }
    if let coding {
      live[id, default: begun(id)].note(HistoryText.unpacked(coding), at: clock.now().wall)
    }
  }

  /// Stops the unpacking of transfers that no longer wait for it.
  func stopAbandonedUnpackings() {
    guard !unpackings.isEmpty else { return }
    for (id, live) in unpackings where scheduler.machines[id]?.isVerifying(live.operation) != true {
      live.abandon()
      unpackings[id] = nil
    }
  }

  func stopAllUnpackings() {
    for live in unpackings.values { live.abandon() }
    unpackings = [:]
  }
}
