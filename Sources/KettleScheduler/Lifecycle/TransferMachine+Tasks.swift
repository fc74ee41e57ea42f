import KettleModel

/// What a program's task has beyond the life of a transfer: an end that stays until the program was
/// told of it.
extension TransferMachine {
  static let byTheUser = "by the user"

  package var isTask: Bool { record.spec.task != nil }

  /// Its program took resume data in its place and was told everything. One that failed may have
  /// its token before that.
  package var isPutAside: Bool { record.task?.resumeToken != nil && record.failure == nil }

  /// Its program is or was told of its end: nobody makes it go on, or its program would be told of
  /// a second one.
  package var isFinalTask: Bool { isTask && (visibleState.isFinished || isPutAside) }

  /// It goes off the list as soon as what is under way is over.
  package var isBeingRemoved: Bool {
    switch state {
    case .removed, .ending(_, next: .removed), .discarding(_, next: .removed),
      .placing(_, next: .removed):
      true
    case .idle, .scheduled, .queued, .running, .ending, .waiting, .paused, .verifying, .discarding,
      .placing, .completed, .failed:
      false
    }
  }

  /// Ends it as cancelled; what is finished, or cannot be taken back, stays as it is.
  package mutating func cancel(
    keepsBytes: Bool, detail: String? = nil, _ operation: OperationID, at now: Moment
  ) -> ControlAction {
    let failure = TransferFailure(.cancelled, on: record.spec.url.text, detail: detail)
    guard !isPutAside else { return .nothing }
    switch state {
    case .running(let fetch):
      return cancel(fetch, next: keepsBytes ? .failed(failure) : .cancelled(failure))
    case .ending(_, next: .failed), .ending(_, next: .cancelled), .ending(_, next: .removed),
      .discarding(_, next: .failed), .discarding(_, next: .removed), .placing, .failed, .removed:
      return .nothing
    case .ending(let phase, next: .idle), .ending(let phase, next: .queuedFromZero):
      // These bytes were given up already.
      enter(.ending(phase, next: .cancelled(failure)))
      return .nothing
    case .ending(let phase, _):
      enter(.ending(phase, next: keepsBytes ? .failed(failure) : .cancelled(failure)))
      return .nothing
    case .discarding(let underWay, next: .idle), .discarding(let underWay, next: .queued):
      record.finishedAt = now.wall
      enter(.discarding(underWay, next: .failed(failure)))
      return .nothing
    case .completed:
      return .refuseCompleted
    case .idle, .scheduled, .queued, .waiting, .paused, .verifying:
      record.finishedAt = now.wall
      guard !keepsBytes else {
        enter(.failed(failure))
        return .nothing
      }
      return discard(operation, next: .failed(failure))
    }
  }

  /// The user takes a task away: its bytes go, and it stays until its program was told.
  mutating func removeTask(
    _ fate: FileFate, _ operation: OperationID, at now: Moment
  ) -> ControlAction {
    guard isFinalTask else {
      return cancel(keepsBytes: false, detail: Self.byTheUser, operation, at: now)
    }
    // Its end is on the way; a second request for it is not one for more.
    guard isAtRest else { return .nothing }
    return drop(fate, operation)
  }

  /// Takes it off the list whoever was told what, with a finished file that only its program could
  /// have found. That one is deleted as a partial file is: it stays on record until it is gone, so
  /// that no crash leaves it behind where nobody looks.
  package mutating func drop(_ fate: FileFate, _ operation: OperationID) -> ControlAction {
    guard record.holdsFile else { return removeAnyhow(fate, operation) }
    guard case .completed = state, let held = record.finishedFile?.asResumeData else {
      return removeAnyhow(.stays, operation)
    }
    record.resumeData = held
    return discard(operation, next: .removed)
  }

  /// While what it has is deleted, a task is on record as what its program was told, with a
  /// partial file that holds nothing: after a crash the deletion is done again. Completed it has
  /// none otherwise, so that its program is not told of it a second time.
  func keepEnd(before next: AfterDiscarding, in durable: inout TransferRecord) {
    switch next {
    case .idle, .queued: return
    case .failed: break
    case .removed:
      if record.finishedFile != nil {
        durable.state = .completed
      } else if isPutAside {
        durable.state = .paused
      } else if record.finishedAt != nil, record.failure != nil {
        durable.state = .failed
      }
    }
    durable.resumeData?.held = HeldRanges()
  }

  // MARK: What the program was told

  /// Takes it off the list because its program knows how it ended. An unfinished one stays.
  ///
  /// - Parameter secret: of the token for what it has, when the program wants that kept.
  package mutating func acknowledge(
    keepingBytesFor secret: String?, _ operation: OperationID
  ) -> ControlAction {
    guard isFinalTask, isAtRest else { return .nothing }
    guard let secret, case .failed = state, canBeResumed else {
      // One that was put aside before keeps its token.
      if secret != nil, isPutAside { return .nothing }
      return drop(.stays, operation)
    }
    makeToken(secret: secret)
    record.retryCount = 0
    enter(.paused)
    return .nothing
  }

  /// Gives a failed task that has bytes worth something its token, once; its program is still to be
  /// told.
  package mutating func makeToken(secret: String) {
    guard isTask, case .failed = state, canBeResumed, record.task?.resumeToken == nil
    else { return }
    record.task?.resumeToken = ResumeToken(id: record.id, secret: secret)
  }

  /// Whether its bytes are worth something to a later task: the rule that Apple gives for resume
  /// data (`cancel(byProducingResumeData:)`).
  var canBeResumed: Bool {
    guard record.spec.request?.isPlainGET ?? true, let resumeData = record.resumeData,
      !resumeData.held.isEmpty, let validator = resumeData.validator
    else { return false }
    let reply = record.task?.reply.map { ResponseHead(status: $0.status, headers: $0.headers) }
    if reply?.value(of: "Accept-Ranges")?.trimmed.lowercased() == "none" { return false }
    return validator.entityTag?.isEmpty == false || validator.lastModified?.isEmpty == false
  }

  // MARK: Bytes of an earlier task

  /// Answers what a task that has a token has, when it may go on as one with this spec; one that
  /// failed is acknowledged by that. Bytes cannot change their directory on the way.
  package func resumeData(for spec: TransferSpec) -> ResumeData? {
    guard let token = record.task?.resumeToken, token == spec.task?.resumes, isFinalTask, isAtRest,
      var resumeData = record.resumeData, spec.request?.isPlainGET ?? true,
      record.spec.session == spec.session, record.spec.directory == spec.directory,
      record.spec.name == spec.name
    else { return nil }
    if record.spec.url != spec.url, resumeData.validatorURL == nil {
      resumeData.validatorURL = record.spec.url.text
    }
    return resumeData
  }

  /// What was taken over goes on from there: the server sends the rest, or there is none. It is
  /// told once.
  mutating func noteResumed(at offset: Int64) {
    guard record.spec.task?.resumes != nil, record.task?.resumedAtByteCount == nil else { return }
    record.task?.resumedAtByteCount = offset
  }

  /// The server sends everything: what was taken over was not gone on with, now or later.
  mutating func noteFreshStart() { record.spec.task?.resumes = nil }

  // MARK: Changes

  package mutating func update(_ changes: TaskChanges, at now: Moment) {
    guard record.spec.task != nil else { return }
    if let data = changes.programData { record.spec.task?.programData = data }
    if let count = changes.expectedSendByteCount {
      record.spec.task?.expectedSendByteCount = count
    }
    if let count = changes.expectedReceiveByteCount {
      record.spec.task?.expectedReceiveByteCount = count
    }
    if let priority = changes.priority { record.spec.priority = priority }
    guard let date = changes.notBefore else { return }
    switch state {
    case .idle, .paused: record.spec.notBefore = date.isNone ? nil : date
    case .scheduled:
      record.spec.notBefore = date.isNone ? nil : date
      enter(date > now.wall ? .scheduled(until: date) : .queued)
    case .queued, .running, .ending, .waiting, .verifying, .discarding, .placing, .completed,
      .failed, .removed:
      break
    }
  }

  /// A task is not started before its date, whoever resumes it; started a second time it is.
  func scheduledStart(at now: Moment) -> State? {
    guard isTask, let date = record.spec.notBefore, date > now.wall else {
      return nil
    }
    return .scheduled(until: date)
  }

  /// Makes it the user's own transfer. What its program alone could do for it ends.
  package mutating func adopt(taskIdentifier: Int64) {
    record.spec.session = .kettle
    record.taskIdentifier = taskIdentifier
    if record.spec.login == nil {
      record.spec.login = record.spec.task?.credential(for: record.spec.url.origin)?.login
    }
    record.spec.task = nil
    record.task = nil
    conditionsChanged(unmet: nil)
  }
}

extension TransferRecord {
  /// The finished file is where only its program finds it, for its program alone.
  package var holdsFile: Bool { spec.task != nil && spec.directory == nil }
}

extension FinishedFile {
  /// The file as one that holds nothing of worth; nil when it is not ours.
  fileprivate var asResumeData: ResumeData? {
    guard let identity else { return nil }
    return ResumeData(
      partialPath: path, device: identity.device, inode: identity.inode, held: HeldRanges(),
      totalByteCount: nil, validator: nil,
      finalName: path.split(separator: "/").last.map(String.init) ?? path)
  }
}

extension WallTime {
  /// By which a program takes a date away.
  fileprivate var isNone: Bool { millisecondsSince1970 <= 0 }
}
