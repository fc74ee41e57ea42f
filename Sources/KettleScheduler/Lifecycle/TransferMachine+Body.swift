import KettleModel

/// The partial file: opened by the first reply, recorded before a byte is written, closed last.
extension TransferMachine {
  /// Actions returned by `bodyOpened(…)`.
  package enum BodyOpenedAction: Sendable, Hashable {
    /// The user acted first; the attempt is ending, and the partial file is recorded.
    case nothing
    case acceptBody(AttemptID, ByteRange?)
  }

  /// The partial file is open; from now on the record names it.
  package mutating func bodyOpened(
    _ resumeData: ResumeData, of attempt: AttemptID, at now: Moment
  ) -> BodyOpenedAction {
    record.resumeData = resumeData
    guard case .running(var fetch) = state, case .opening(let plan) = fetch.body,
      let index = fetch.index(of: attempt)
    else { return .nothing }
    fetch.body = .opened
    fetch.received = resumeData.held
    fetch.heldAtStartByteCount = resumeData.held.byteCount
    fetch.lanes[index].flow(fetch.lanes[index].range, at: now.monotonic)
    fetch.proof = resumeData.validator?.strongValue.map { .ifRange($0) } ?? .sameValidator
    if case .goOn = plan, case .sameValidator? = fetch.lanes[index].asked?.proof {
      fetch.proof = .sameValidator
    }
    if case .goOn = plan, let asked = fetch.lanes[index].asked { noteResumed(at: asked.lower) }
    let range = fetch.lanes[index].range
    enter(.running(fetch))
    return .acceptBody(attempt, range)
  }

  /// The store has recorded the partial file, and the first connection's body flows into it. Others
  /// may join when its speed is known.
  package mutating func bodyRecorded(_ policy: DivisionPolicy, at now: MonotonicTime) {
    guard case .running(var fetch) = state, fetch.body == .opened else { return }
    fetch.body = .open
    for index in fetch.lanes.indices where fetch.lanes[index].phase == .flowing {
      fetch.lanes[index].flow(fetch.lanes[index].range, at: now)
    }
    if divisibleTotal(fetch) != nil { fetch.awaitSpeed(policy, at: now) }
    enter(.running(fetch))
  }

  /// The partial file could not be opened or created; the attempts must be cancelled.
  package mutating func bodyRefused(
    _ failure: TransferFailure, of attempt: AttemptID, _ circumstances: Circumstances
  ) -> HeadAction {
    guard case .running(let fetch) = state, fetch.index(of: attempt) != nil else { return .nothing }
    if failure.code == .partialFileChanged {
      return cancelAll(next: asksAgain(.fresh(.partialFileChanged)))
    }
    if failure.isOfFileThere, record.spec.onConflict == .skip {
      return cancelAll(next: .alreadyThere(path: failure.subject))
    }
    return cancelAll(next: afterFileFailure(failure, circumstances))
  }

  /// What `bytesSynced(…)` changed in the record.
  package enum SyncedChange: Sendable, Hashable {
    case nothing
    case heldMore
    /// The retry count was reset as well.
    case heldMoreAfterRetries
  }

  /// More of the file is synced and may be recorded, where the next attempt could use it.
  @discardableResult
  package mutating func bytesSynced(_ held: ByteRangeSet) -> SyncedChange {
    guard let known = record.resumeData?.held, known != held, keepsBytes, occupiesSlot
    else { return .nothing }
    record.resumeData?.held = held
    guard held.byteCount > known.byteCount, record.retryCount > 0 else { return .heldMore }
    record.retryCount = 0
    return .heldMoreAfterRetries
  }

  /// What was durable when the partial file was closed, and its last modification time. nil where
  /// no partial file was open.
  package struct ClosedBody: Sendable, Hashable {
    package var held: ByteRangeSet
    package var modifiedNanoseconds: Int64

    package init(held: ByteRangeSet, modifiedNanoseconds: Int64) {
      self.held = held
      self.modifiedNanoseconds = modifiedNanoseconds
    }
  }

  /// Actions returned by `bodyClosed(…)`.
  package enum ClosedAction: Sendable, Hashable {
    case nothing
    case beginAttempt(AttemptPlan)
    case computeDigest(OperationID, ResumeData, Checksum.Algorithm)
    case placeFile(OperationID, ResumeData)
    case discardPartialFile(OperationID, ResumeData)
  }

  /// All attempts have ended; their bytes are synced, or must not be trusted.
  package mutating func bodyClosed(
    _ result: Result<ClosedBody?, TransferFailure>, by operation: OperationID,
    next names: NextNames,
    _ circumstances: Circumstances
  ) -> ClosedAction {
    guard case .ending(.body(operation), var next) = state else { return .nothing }
    switch result {
    case .success(let closed):
      if let closed {
        bytesSynced(closed.held)
        if next == .whole { record.resumeData?.held = closed.held }
        record.resumeData?.lastWriteNanoseconds = closed.modifiedNanoseconds
      }
      if next == .whole { next = afterLastByte(circumstances) }
      if closed != nil, !keepsBytes, next != .whole { forgetBytes() }
    case .failure(let failure) where failure.code == .partialFileChanged:
      next = afterPartialFileChanged(next)
    case .failure(let failure):
      switch next {
      case .idle, .removed, .queuedFromZero, .failed, .cancelled: break
      case .queued, .paused, .waiting, .askAgain, .whole, .alreadyThere:
        next = afterFileFailure(failure, circumstances)
      }
    }
    return settle(into: next, names: names, at: circumstances.now)
  }

  /// Another program truncated the partial file while it was being written: none of it is trusted
  /// any more.
  private mutating func afterPartialFileChanged(_ next: AfterEnding) -> AfterEnding {
    forgetBytes()
    record.freshStart = .partialFileChanged
    switch next {
    case .askAgain(let ask):
      if case .fresh = ask.asking { return next }
      return asksAgain(.fresh(.partialFileChanged))
    case .whole: return asksAgain(.fresh(.partialFileChanged))
    case .queued, .paused, .waiting, .alreadyThere, .idle, .removed, .queuedFromZero, .failed,
      .cancelled:
      return next
    }
  }

  /// Every byte was received; checks that every byte is synced.
  private func afterLastByte(_ circumstances: Circumstances) -> AfterEnding {
    guard let resumeData = record.resumeData else {
      return .failed(TransferFailure(.internalProblem, on: record.spec.url.text))
    }
    let held = resumeData.held.prefixByteCount
    guard let total = resumeData.totalByteCount, held != total else { return .whole }
    let failure = TransferFailure(
      .truncated, on: record.spec.url.text, detail: "\(held) of \(total) bytes")
    return afterFailure(failure, retryAfter: nil, circumstances)
  }

  private mutating func settle(
    into next: AfterEnding, names: NextNames, at now: Moment
  ) -> ClosedAction {
    switch next {
    case .queued: enter(.queued)
    case .paused: enter(.paused)
    case .waiting(let waiting): enter(.waiting(waiting))
    case .failed(let failure):
      record.finishedAt = now.wall
      enter(.failed(failure))
    case .cancelled(let failure):
      record.finishedAt = now.wall
      return settleDiscarding(names.operation, next: .failed(failure))
    case .idle: return settleDiscarding(names.operation, next: .idle)
    case .removed: return settleDiscarding(names.operation, next: .removed)
    case .queuedFromZero: return settleDiscarding(names.operation, next: .queued)
    case .alreadyThere(let path):
      record.finishedFile = FinishedFile(path: path, identity: nil)
      record.finishedAt = now.wall
      enter(.completed)
    case .whole: return settleWhole(operation: names.operation)
    case .askAgain(let ask): return .beginAttempt(begin(names.attempt, ask, at: now))
    }
    return .nothing
  }

  private mutating func settleWhole(operation: OperationID) -> ClosedAction {
    guard var resumeData = record.resumeData else {
      enter(.failed(TransferFailure(.internalProblem, on: record.spec.url.text)))
      return .nothing
    }
    resumeData.totalByteCount = resumeData.held.prefixByteCount
    record.resumeData = resumeData
    switch finish(resumeData, operation: operation) {
    case .digest(let algorithm): return .computeDigest(operation, resumeData, algorithm)
    case .place: return .placeFile(operation, record.resumeData ?? resumeData)
    }
  }

  private mutating func settleDiscarding(
    _ operation: OperationID, next: AfterDiscarding
  ) -> ClosedAction {
    guard let resumeData = record.resumeData else {
      forgetProgress(before: next)
      enter(next.state)
      return .nothing
    }
    enter(.discarding(operation, next: next))
    return .discardPartialFile(operation, resumeData)
  }
}
