import KettleModel
import KettleScheduler

/// How pending operations end.
extension SimulatedWorld {
  mutating func happen(
    _ event: Pending, on scheduler: inout TransferScheduler, luck: Int, at now: Moment
  ) {
    switch event {
    case .commit(let changes, let actions): commit(changes, actions, on: &scheduler, at: now)
    case .adding(let changes):
      // A full disk.
      if luck % 9 == 0 { return scheduler.withdraw(changes) }
      commit(changes, [], on: &scheduler, at: now)
      pending.append(.admitting(changes))
    case .admitting(let changes):
      let (evicted, output) = scheduler.admit(changes, at: now)
      recordEvicted(evicted, scheduler)
      run(output)
    case .head(let attempt): head(of: attempt, on: &scheduler, luck: luck, at: now)
    case .opening(let id, let attempt, let plan):
      guard let resumeData = opened(plan) else {
        let gone = TransferFailure(.partialFileChanged, on: "/d")
        run(scheduler.handle(.attempt(attempt, .bodyRefused(gone)), at: now))
        if let operation = closeWhenOpen.removeValue(forKey: id) {
          pending.append(.closing(id, operation))
        }
        return
      }
      open[id] = resumeData.inode
      run(scheduler.handle(.body(id, .opened(resumeData, by: attempt)), at: now))
      if let operation = closeWhenOpen.removeValue(forKey: id) {
        pending.append(.closing(id, operation))
      }
    case .bytes(let attempt): bytes(of: attempt, on: &scheduler, luck: luck, at: now)
    case .end(let attempt): end(attempt, .cancelled, on: &scheduler, at: now)
    case .checkpoint(let id): checkpoint(id, on: &scheduler, at: now)
    case .closing(let id, let operation): closed(id, operation, on: &scheduler, at: now)
    case .checking(let id, let operation, let resumeData):
      // Now and then the disk has lost the first bytes.
      let damaged = luck % 3 == 0 ? resumeData.durable.ranges.prefix(1) : []
      var rest = resumeData.durable
      for range in damaged {
        rest.remove(range)
        lost[resumeData.inode, default: ByteRangeSet()].insert(range)
      }
      if open.values.contains(resumeData.inode) { broken.append("an open file is checked") }
      partials[resumeData.inode]?.keep(rest)
      run(
        scheduler.handle(.file(id, .blocksChecked(damaged: Array(damaged), by: operation)), at: now)
      )
    case .digest(let id, let operation):
      let result: Result<String, TransferFailure> = .success(String(repeating: "a", count: 32))
      run(scheduler.handle(.file(id, .digestComputed(result, by: operation)), at: now))
    case .unpacking(let id, let operation, let resumeData):
      unpack(resumeData, id, operation, on: &scheduler, luck: luck, at: now)
    case .discarding(let id, let operation, let resumeData):
      partials[resumeData.inode] = nil
      // A finished file that its program did not keep is discarded like a partial one.
      finished.remove(resumeData.inode)
      if let other = resumeData.setAside { partials[other.inode] = nil }
      run(scheduler.handle(.file(id, .discarded(by: operation)), at: now))
    case .placing(let id, let operation, let resumeData):
      place(resumeData, id, operation, on: &scheduler, at: now)
    case .reading(let request): pending.append(.answer(request, queue(request)))
    case .answer(let request, let records):
      let gone = Set(records.map(\.id)).subtracting(stillListed(records).map(\.id))
      run(scheduler.queueRead(request, records, gone: gone, at: now).1)
    }
  }

  private mutating func commit(
    _ changes: [JournalChange], _ actions: [TransferAction], on scheduler: inout TransferScheduler,
    at now: Moment
  ) {
    for change in changes {
      switch change {
      case .put(let record):
        tell(record)
        store[record.id] = record
        checkRecord(record)
        lastID = max(lastID, record.id)
      case .progress(let id, let durable):
        if store[id]?.resumeData == nil { broken.append("\(id) has no bytes on record") }
        store[id]?.resumeData?.durable = durable
        checkClaim(of: id)
      case .remove(let id): store[id] = nil
      case .clearFinished, .uncover, .bin, .hostServed, .rememberHost, .hook, .digests,
        .forgetDigests, .members, .syncMembers, .leaveOutMembers:
        break
      case .putSession, .removeSession: broken.append("a session is no matter of the scheduler")
      }
    }
    for action in actions {
      perform(action)
      if case .acceptBody(let id, _, _) = action {
        run(scheduler.handle(.body(id, .recorded), at: now))
      }
    }
  }

  /// Checks that a task's end is reported once, after it is committed.
  private mutating func tell(_ record: TransferRecord) {
    guard record.spec.task != nil, record.task?.resumeToken == nil else { return }
    if let end = told[record.id] {
      if !record.state.isFinished {
        broken.append("\(record.id) goes on after its end as \(record.state)")
      }
      if record.state.isFinished, end != record.failure {
        broken.append("\(record.id) ends in two ways")
      }
    } else if record.state.isFinished {
      told[record.id] = .some(record.failure)
    }
  }

  private mutating func head(
    of attempt: AttemptID, on scheduler: inout TransferScheduler, luck: Int, at now: Moment
  ) {
    guard let one = attempts[attempt], !one.isCancelled else { return }
    switch server.answer(one.plan, luck: luck) {
    case .cut:
      let lost = TransferFailure(.connectionLost, on: "h")
      end(attempt, .failed(lost), on: &scheduler, at: now)
    case .head(let head, let version):
      attempts[attempt]?.version = version
      run(scheduler.handle(.attempt(attempt, .headReceived(head, from: .world)), at: now))
    }
  }

  /// Returns nil if the partial file is missing.
  private mutating func opened(_ plan: BodyPlan) -> ResumeData? {
    switch plan {
    case .create(let new):
      lastInode += 1
      partials[lastInode] = SimulatedFile()
      var resumeData = ResumeData(
        partialPath: "/d/\(lastInode).part", device: 1, inode: lastInode, durable: ByteRangeSet(),
        totalByteCount: new.total, validator: new.validator, finalName: new.preferredName)
      resumeData.contentCoding = new.contentCoding
      if let old = new.old, old.fate == .setAside {
        if let older = old.resumeData.setAside { partials[older.inode] = nil }
        resumeData.setAside = old.resumeData.partialIdentity
      }
      return resumeData
    case .goOn(let resumeData):
      if partials[resumeData.inode] == nil { return nil }
      // A file that was closed properly is not truncated.
      if resumeData.lastWriteNanoseconds == nil {
        partials[resumeData.inode]?.keep(resumeData.durable)
      }
      var opened = resumeData
      opened.lastWriteNanoseconds = nil
      return opened
    }
  }

  /// Checks that a response to anything but a plain GET is recorded completely or not at all.
  private mutating func checkRecord(_ record: TransferRecord) {
    guard record.spec.request != nil, let data = record.resumeData, !data.durable.isEmpty else {
      return
    }
    if data.durable.prefixByteCount != data.totalByteCount {
      broken.append("a part of a reply is on record")
    }
  }

  private mutating func bytes(
    of attempt: AttemptID, on scheduler: inout TransferScheduler, luck: Int, at now: Moment
  ) {
    guard let one = attempts[attempt], !one.isCancelled, let upTo = one.upTo,
      let inode = open[one.transfer]
    else { return }
    let step = min(Int64(luck % 8 + 1) << 17, one.upper - upTo)
    if let range = ByteRange(lower: upTo, upper: upTo + max(0, step)), !range.isEmpty {
      if partials[inode]?.write(range, version: one.version) != true {
        let failure = TransferFailure(.otherVersion, on: "h")
        return end(attempt, .failed(failure), on: &scheduler, at: now)
      }
      attempts[attempt]?.upTo = range.upper
    }
    if luck % 3 == 0 { pending.append(.checkpoint(one.transfer)) }
    if luck % 31 == 0 {
      let lost = TransferFailure(.connectionLost, on: "h")
      return end(attempt, .failed(lost), on: &scheduler, at: now)
    }
    if (attempts[attempt]?.upTo ?? 0) >= one.upper {
      return end(attempt, .complete, on: &scheduler, at: now)
    }
    pending.append(.bytes(attempt))
    let progress = attempts.filter { $0.value.transfer == one.transfer }.compactMapValues(\.upTo)
    run(scheduler.handle(.body(one.transfer, .progressed(progress)), at: now))
  }

  private mutating func end(
    _ attempt: AttemptID, _ outcome: AttemptOutcome, on scheduler: inout TransferScheduler,
    at now: Moment
  ) {
    guard let one = attempts.removeValue(forKey: attempt) else { return }
    run(
      scheduler.handle(.attempt(attempt, .ended(outcome, receivedUpTo: one.upTo)), at: now))
  }

  private mutating func checkpoint(
    _ id: TransferID, on scheduler: inout TransferScheduler, at now: Moment
  ) {
    guard let inode = open[id], var file = partials[inode] else { return }
    file.sync()
    partials[inode] = file
    run(scheduler.handle(.body(id, .synced(file.all)), at: now))
  }

  private mutating func closed(
    _ id: TransferID, _ operation: OperationID, on scheduler: inout TransferScheduler,
    at now: Moment
  ) {
    var body: ClosedBody?
    if let inode = open.removeValue(forKey: id), var file = partials[inode] {
      file.sync()
      partials[inode] = file
      body = ClosedBody(durable: file.all, modifiedNanoseconds: 0)
    }
    run(scheduler.handle(.body(id, .closed(.success(body), by: operation)), at: now))
  }

  private mutating func unpack(
    _ resumeData: ResumeData, _ id: TransferID, _ operation: OperationID,
    on scheduler: inout TransferScheduler, luck: Int, at now: Moment
  ) {
    guard let packed = partials[resumeData.inode] else {
      if let other = resumeData.setAside { partials[other.inode] = nil }
      let gone = TransferFailure(.partialFileChanged, on: resumeData.partialPath)
      return run(scheduler.handle(.file(id, .unpacked(.failure(gone), by: operation)), at: now))
    }
    if luck % 7 == 0 {
      let full = TransferFailure(.diskFull, on: "/d")
      return run(scheduler.handle(.file(id, .unpacked(.failure(full), by: operation)), at: now))
    }
    if let older = resumeData.setAside { partials[older.inode] = nil }
    lastInode += 1
    partials[lastInode] = packed
    var unpacked = resumeData
    unpacked.partialPath = "/d/\(lastInode).part"
    unpacked.inode = lastInode
    unpacked.contentCoding = nil
    unpacked.setAside = resumeData.partialIdentity
    run(scheduler.handle(.file(id, .unpacked(.success(unpacked), by: operation)), at: now))
    let known = scheduler.machines[id]?.record.resumeData
    if known?.inode != unpacked.inode { partials[unpacked.inode] = nil }
  }

  private mutating func place(
    _ resumeData: ResumeData, _ id: TransferID, _ operation: OperationID,
    on scheduler: inout TransferScheduler,
    at now: Moment
  ) {
    let file = FinishedFile(
      path: "/d/\(resumeData.inode)",
      identity: FileIdentity(
        device: 1, inode: resumeData.inode, byteCount: SimulatedServer.byteCount,
        modifiedNanoseconds: 0))
    if let other = resumeData.setAside { partials[other.inode] = nil }
    if finished.contains(resumeData.inode) {
      run(scheduler.handle(.file(id, .placed(.success(file), by: operation)), at: now))
      return
    }
    guard let partial = partials.removeValue(forKey: resumeData.inode) else {
      let gone = TransferFailure(.partialFileChanged, on: resumeData.partialPath)
      run(scheduler.handle(.file(id, .placed(.failure(gone), by: operation)), at: now))
      return
    }
    if !partial.isWholeAndOfOneVersion {
      broken.append("a file was placed that is not one whole version: \(partial.written)")
    }
    finished.insert(resumeData.inode)
    if scheduler.machines[id]?.record.spec.keepsFileForProgram == true {
      held.insert(resumeData.inode)
    }
    run(scheduler.handle(.file(id, .placed(.success(file), by: operation)), at: now))
  }
}
