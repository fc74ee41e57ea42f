import KettleModel
import KettleScheduler
import Logging

/// Checksums, computed while the file is written: each digest follows the durable part of its file
/// up to the first gap, so that little is left to read when the last byte arrives.
extension TransferEngine {
  /// Begins a digest for an opened file when there is a checksum to compare with.
  func followDigest(of id: TransferID, _ resumeData: ResumeData) {
    let spec = scheduler.machines[id]?.spec
    guard let algorithm = spec?.checksum(of: resumeData)?.algorithm else {
      live[id].digest = nil
      return
    }
    if let known = live[id].digest, known.inode == resumeData.inode, known.algorithm == algorithm {
      return
    }
    // If it cannot begin, it is retried when the digest is needed, and fails there with its reason.
    let begun = Result { () throws(TransferFailure) in
      try files.storage.beginDigest(of: resumeData, algorithm: algorithm)
    }
    live[id].digest = (try? begun.get()).map {
      LiveDigest(
        inode: resumeData.inode, algorithm: algorithm, digest: $0,
        queue: work.makeQueue("kettle.digest"))
    }
  }

  /// Continues a digest after more of the file became durable.
  func advanceDigest(of id: TransferID, to durable: ByteRangeSet) {
    guard let one = live[id].digest else { return }
    let upper = durable.prefixByteCount
    one.queue.enqueue {
      guard upper > one.digest.byteCount else { return }
      // A failure here recurs when the digest is needed.
      try? one.digest.advance(to: upper) { false }
    }
  }

  func computeDigest(
    _ algorithm: Checksum.Algorithm, of resumeData: ResumeData, for id: TransferID,
    as operation: OperationID
  ) {
    let upper = resumeData.durable.prefixByteCount
    let known = live[id].digest.take()
    let usable = known.flatMap { one in
      one.inode == resumeData.inode && one.algorithm == algorithm ? one : nil
    }
    let work: WorkerPool.Work = { [weak self, storage = files.storage] in
      let result = Result { () throws(TransferFailure) in
        let digest: any FileDigest
        if let usable {
          digest = usable.digest
        } else {
          digest = try storage.beginDigest(of: resumeData, algorithm: algorithm)
        }
        try digest.advance(to: upper) { false }
        return try digest.finish()
      }
      self?.post(.event(.file(id, .digestComputed(result, by: operation))))
    }
    if let usable { usable.queue.enqueue(work) } else { files.digests.async(work) }
  }
}

/// Unpacking of files that arrived compressed, for transfers that ask for it.
extension TransferEngine {
  func unpack(_ resumeData: ResumeData, of id: TransferID, as operation: OperationID) {
    // It may have been paused during the commit.
    guard let machine = scheduler.machines[id], machine.isVerifying(operation) else { return }
    let unpacking = LiveFileWork(operation, .unpacking)
    live[id].work = unpacking
    let work = BodyUnpacking(
      files: files.storage, id: id, spec: machine.spec, tooFewFreeBytes: live[id].tooFewFreeBytes)
    files.digests.async { [weak self] in
      let end = work.run(resumeData) { unpacking.shouldStop }
      self?.post(.unpacked(id, operation, end))
    }
  }

  func unpacked(_ end: BodyUnpacking.End, of id: TransferID, by operation: OperationID) {
    let coding = scheduler.machines[id]?.resumeData?.contentCoding
    // A stopped unpacking is not a failure: the transfer unpacks again when it continues.
    if live[id].work?.operation == operation {
      live[id].work = nil
      live[id].tooFewFreeBytes = end.tooFewFreeBytes
      let hasOtherBytes = (try? end.result.get()) != nil
      apply(
        .file(id, .unpacked(end.result, by: operation)),
        with: hasOtherBytes ? [.forgetDigests(id), .digests(id, end.digests)] : [])
    }
    guard case .success(let unpacked) = end.result else { return }
    let identity = unpacked.partialIdentity
    guard scheduler.machines[id]?.resumeData?.partialIdentity == identity else {
      // It was paused or stopped meanwhile, and its record names the compressed file.
      return files.remove(identity)
    }
    if let coding {
      live[id].observed.note(.unpacked(coding: coding), at: clock.now().wall)
    }
  }
}

/// Digests of blocks: they are recorded with the bytes, and prove these after a crash.
extension TransferEngine {
  /// Compares the durable bytes of a partial file with their digests, away from the engine.
  func checkBlocks(of resumeData: ResumeData, for id: TransferID, as operation: OperationID) {
    let checking = LiveFileWork(operation, .comparing)
    live[id].work = checking
    files.digests.async { [inbox, archive = store.archive, storage = files.storage] in
      // Opening reports what is wrong with the file itself.
      let known = try? archive.digests(of: id).entries(within: resumeData.durable)
      let damaged = Result { () throws(TransferFailure) in
        try storage.compare(fileAt: resumeData.partialPath, with: known ?? []) { byteCount in
          if byteCount > 0, byteCount % (64 * BlockDigests.blockByteCount) == 0 {
            _ = inbox.put(.advanced(id))
          }
          return checking.advance(to: byteCount)
        }.differing
      }
      _ = inbox.put(.blocksChecked(id, operation, damaged))
    }
  }

  func blocksChecked(
    _ result: Result<[ByteRange], TransferFailure>, of id: TransferID, by operation: OperationID
  ) {
    if live[id].work?.operation == operation { live[id].work = nil }
    let damaged = (try? result.get()) ?? []
    guard scheduler.machines[id]?.isVerifying(operation) == true else { return }
    if !damaged.isEmpty {
      let byteCount = damaged.reduce(0) { $0 + $1.byteCount }
      live[id].observed.note(.damaged(byteCount: byteCount), at: clock.now().wall)
      logger.warning(
        "A partial file has changed on the disk",
        metadata: ["transfer": "\(id.rawValue)", "bytes": "\(byteCount)"])
    }
    apply(.file(id, .blocksChecked(damaged: damaged, by: operation)))
  }
}

/// Small bodies, which flow before their partial file exists (`LatePartialFile`).
extension TransferEngine {
  /// Lets the body flow into memory.
  func letFlow(
    into file: LatePartialFile, _ plan: BodyPlan, of attempt: AttemptID, _ id: TransferID
  ) {
    guard case .create(let new) = plan, let total = new.total, let one = attempts[attempt] else {
      return
    }
    let writer = makeWriter(for: file, durable: ByteRangeSet(), totalByteCount: total, of: id)
    live[id].body = .late(
      LateBody(writer: writer, file: file, attempt: attempt, since: clock.now().monotonic))
    attempts[attempt]?.phase = .flowing
    transport.accept(
      attempt, into: writer.begin(attempt, from: 0, .whole(total), trust: one.trust))
  }

  /// Records a slow body before it is complete, like all others.
  func makeFile(of id: TransferID, _ late: LateBody) {
    switch late.making {
    case .begun: return
    case .notAsked where late.writer.receivedByteCount == 0: return
    case .notAsked: break
    }
    var late = late
    late.making = .begun
    live[id].body = .late(late)
    files.names.async { [weak self, late] in
      let result = Result { () throws(TransferFailure) in try late.file.make() }
      self?.post(.bodyOpened(id, late.attempt, result))
    }
  }

  /// Handles the end of the only attempt, whose bytes, if any, are in the file. The scheduler
  /// learns of the file before it learns of the end.
  func settleLate(_ id: TransferID, after attempt: AttemptID) {
    guard case .late(let late)? = live[id].body, late.attempt == attempt else { return }
    switch late.file.result {
    case nil: live[id].body = nil
    case .failure(let failure):
      live[id].body = nil
      live[id].needsFileFirst = failure.code == .diskFull
      apply(.attempt(attempt, .bodyRefused(failure)))
    case .success(let opened): use(late.writer, opened, of: id, by: attempt)
    }
  }
}

/// Checkpoints: received bytes are synced, and then recorded like any other change.
extension TransferEngine {
  /// Begins a checkpoint if one is due. Called at each tick.
  func checkpointIfDue(_ id: TransferID, at now: Moment) {
    guard case .open(let writer, var pace)? = live[id].body,
      pace.begin(
        receivedByteCount: writer.receivedByteCount, configuration.checkpoints, at: now.monotonic)
    else { return }
    live[id].body = .open(writer, pace)
    writer.syncQueue.enqueue { [weak self] in
      let result = Result { () throws(TransferFailure) in try writer.sync() }
      self?.post(.checkpointSynced(id, writer, result))
    }
  }

  func checkpointSynced(
    _ result: Result<PartialFileWriter.Synced, TransferFailure>, by writer: PartialFileWriter,
    of id: TransferID
  ) {
    // If the file was closed meanwhile, its closing says more.
    guard case .open(let current, var pace)? = live[id].body, current === writer else { return }
    switch result {
    case .success(let synced):
      advanceDigest(of: id, to: synced.durable)
      let now = clock.now()
      var output = decide {
        $0.handle(.body(id, .synced(synced.durable, synced.sample)), at: now)
      }
      if output.changes.isEmpty { pace.end() } else { pace.submit() }
      if !synced.digests.isEmpty { output.changes.append(.digests(id, synced.digests)) }
      live[id].body = .open(writer, pace)
      run(output, at: now)
    case .failure:
      pace.end()
      live[id].body = .open(writer, pace)
      // The writer rejects all further bytes, and the attempts end with its failure.
      for (attempt, one) in attempts where one.transfer == id { cancel(attempt) }
    }
  }

  /// The store has a record of the transfer: its next checkpoint may begin.
  func checkpointRecorded(of id: TransferID) {
    guard case .open(let writer, var pace)? = live[id].body else { return }
    pace.recorded()
    live[id].body = .open(writer, pace)
  }
}
